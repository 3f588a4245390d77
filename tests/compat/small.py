"""Makes what scripts ask for harmless and short: targets go to a scratch folder, sizes and times become small, and what was asked otherwise stays.

A job file's line `size=100g`, a word `--size=100g` and two words `--size 100g` are changed by the same rows.
"""
import os
import re

FILE_BYTES = 2 << 20  # of a device's stand-in and of files that a job expects to be there
BYTES = re.compile(r"(\d+)([kmgt]?)i?b?$", re.I)
KEPT_DEVICES = {"/dev/null", "/dev/zero"}


def bytes_of(text):
    found = BYTES.match(text)
    return int(found[1]) << {"": 0, "k": 10, "m": 20, "g": 30, "t": 40}[found[2].lower()] if found else None


def at_most(most):
    def change(value, _):
        size = bytes_of(value)
        return most if size is None and "%" not in value or (size or 0) > bytes_of(most) else value
    return change


def number_at_most(most):
    return lambda value, _: str(min(int(value), most)) if value.isdigit() else value


def always(text):
    return lambda value, _: text


def times(factor, unit):
    return lambda value, _: f"{int(value) * factor}{unit}" if value.isdigit() else value


def in_scratch(value, scratch):
    """A path becomes a file of that name in the scratch folder; a name without a folder stays."""
    names = [n if n in KEPT_DEVICES or not n.startswith("/") else os.path.join(scratch, n.strip("/").replace("/", "-"))
             for n in re.split(r"(?<!\\):", value)]
    for name in names:
        if name.startswith(scratch) and not os.path.exists(name):
            with open(name, "wb") as f:
                f.write(os.urandom(FILE_BYTES))
    return ":".join(names)


def prefix_in_scratch(value, scratch):
    return os.path.join(scratch, os.path.basename(value)) if value.startswith("/") else value


ROWS = {
    "runtime": always("300ms"), "timeout": always("300ms"), "ramp_time": always("50ms"), "startdelay": times(5, "ms"),
    "size": at_most("1m"), "filesize": at_most("512k"), "io_size": at_most("1m"), "io_limit": at_most("1m"),
    "offset_increment": at_most("128k"), "offset": at_most("256k"), "zonesize": at_most("256k"), "zoneskip": at_most("256k"), "zonerange": at_most("512k"),
    "numjobs": number_at_most(3), "nrfiles": number_at_most(20), "loops": number_at_most(2), "number_ios": number_at_most(50),
    "directory": lambda value, scratch: scratch, "filename": in_scratch, "status-interval": always("200ms"),
    "steadystate_duration": always("2s"), "ss_dur": always("2s"), "steadystate_ramp_time": always("0"), "ss_ramp": always("0"),
    "write_bw_log": prefix_in_scratch, "write_iops_log": prefix_in_scratch, "write_lat_log": prefix_in_scratch, "write_hist_log": prefix_in_scratch,
    "log_avg_msec": number_at_most(100), "log_hist_msec": number_at_most(100), "latency_window": always("100ms"),
}


def line(text, scratch, more):
    """One `key=value`, with or without dashes before it."""
    found = re.fullmatch(r"(\s*-*)([\w-]+)(\s*=\s*)([^;#]*?)(\s*(?:[;#].*)?)", text)
    if not found:
        return text
    change = {**ROWS, **more}.get(found[2])
    if change is None:
        return text
    value = change if isinstance(change, str) else change(found[4], scratch)
    return f"{found[1]}{found[2]}{found[3]}{value}{found[5]}"


def job_file(text, scratch, more=None):
    return "\n".join(line(row, scratch, more or {}) for row in text.split("\n"))


def words(argv, scratch, more=None):
    """Both forms of an option: --size=1g and --size 1g."""
    done, i = [], 0
    while i < len(argv):
        word = argv[i]
        if re.fullmatch(r"--[\w-]+", word) and i + 1 < len(argv) and word[2:] in ROWS and not argv[i + 1].startswith("-"):
            done.append(line(f"{word}={argv[i + 1]}", scratch, more or {}))
            i += 2
            continue
        done.append(line(word, scratch, more or {}))
        i += 1
    return done
