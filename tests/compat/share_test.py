# label: test
# cost: 6
# timeout: 600
"""How much of what people have runs under the name fio: the example files that Debian's fio understands, everyday command lines, and what bench-fio writes.

share.json has the number of each and the name of everything that still stops, with the option that stops it; it may only get better. Every one is
held as it was written against --parse-only; and then it runs, on a scratch folder, with sizes and times made small (small.py). Which files fio
understands is recorded. With recorded answers one of RUN_EACH runs, and the others are only parsed; with FATHOM_FIO=live all run.
FATHOM_WRITE_SHARE=1 with FATHOM_FIO=live writes share.json anew, and refuses to write a smaller share. FIO_SHARE=1 tells what Debian's fio does with the same small runs.
"""
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import bench_fio
import command_lines
import examples
import small

HERE = pathlib.Path(__file__).resolve().parent
SHARE = HERE / "share.json"
SKIP, TIMEOUT_S = 77, 30
RUN_EACH = 8
FIO = examples.recorded.FIO
FATHOM = FIO if os.environ.get("FIO_SHARE") else os.environ.get("FATHOM", "")
NOT_BUILT = re.compile(r"(?:fio (?:option|engine)|fio's(?: debug)?(?: output)?) `([^`]+)`|error: (--[\w-]+)[^\n]* is not built|: `?(--[\w-]+)`?[^\n]*not built")
REFUSED_IO_URING = "io_uring is refused here"


def program():
    link = pathlib.Path(FATHOM).parent / "fio"
    return str(link if link.exists() else FATHOM)


def call(words, folder):
    """None: it had to be killed."""
    env = {**os.environ, "unixsocket": "/nowhere"}
    try:
        return subprocess.run([program(), *map(str, words)], cwd=folder, env=env, capture_output=True, text=True, errors="replace",
                              stdin=subprocess.DEVNULL, timeout=TIMEOUT_S)
    except subprocess.TimeoutExpired:
        return None


def stopped_by(done):
    """What a refusal names: options and engines, or its first line."""
    if done is None:
        return [f"did not end within {TIMEOUT_S} s"]
    said = done.stderr + done.stdout
    named = sorted({next(filter(None, found)) for found in NOT_BUILT.findall(said)})
    return named or [re.sub(r"^\S+:\d+:\d+: |/\S*/", "", next((row for row in said.split("\n") if row.strip()), "exit status"))[:160]]


class Item:
    """One file or command line: its words as they were written, and its words for a small run in a scratch folder."""

    def __init__(self, group, name, written, make_small, only_understood=None):
        self.group, self.name, self.written, self.make_small, self.only_understood = group, name, written, make_small, only_understood

    def stops(self):
        """[]: it runs. Else what stops it."""
        with tempfile.TemporaryDirectory(prefix="fathom-share-", dir="/var/tmp") as folder:
            understood = call(["--parse-only", *self.written(folder)], folder)
            if understood is None or understood.returncode or understood.stderr:
                return stopped_by(understood)
            if self.only_understood:
                return []
            scratch = os.path.join(folder, "scratch")
            os.mkdir(scratch)
            done = call(self.make_small(folder, scratch), folder)
            if done is None or done.returncode or done.stderr:
                return stopped_by(done)
        return []


def example_items():
    def small_file(name):
        def make(folder, scratch):
            text = (examples.FOLDER / name).read_text()
            path = os.path.join(folder, name)
            with open(path, "w") as f:
                f.write(small.job_file(text, scratch, examples.MORE.get(name)))
            return [path]
        return make
    return [Item("examples", name, lambda _, name=name: [examples.FOLDER / name], small_file(name), examples.ONLY_UNDERSTOOD.get(name))
            for name in examples.parsed_by_fio() if name not in examples.BEYOND]


def line_items():
    return [Item("command lines", name, lambda _, text=text: shlex.split(text), lambda _, scratch, text=text: small.words(shlex.split(text), scratch))
            for name, text in command_lines.LINES]


def bench_fio_items():
    def whole(mode):
        def make(folder, scratch=None):
            path = os.path.join(folder, "tmpjobfile.fio")
            text = bench_fio.job_file(mode)
            with open(path, "w") as f:
                f.write(small.job_file(text, scratch) if scratch else text)
            return ["--output-format=json", f"--output={folder}/out.json", path]
        return make
    return [Item("bench-fio", mode, whole(mode), whole(mode)) for mode in bench_fio.MODES]


def measure(items):
    with ThreadPoolExecutor(2 * (os.cpu_count() or 1) + 2) as pool:
        return {(item.group, item.name): stops for item, stops in zip(items, pool.map(Item.stops, items))}


def as_json(items, stops):
    groups = {}
    for item in items:
        group = groups.setdefault(item.group, {"of": 0, "runs": 0, "stops": {}})
        group["of"] += 1
        if stops[item.group, item.name]:
            group["stops"][item.name] = stops[item.group, item.name]
        else:
            group["runs"] += 1
    total = {"of": sum(g["of"] for g in groups.values()), "runs": sum(g["runs"] for g in groups.values())}
    return {**groups, "all": total}


def problems(committed, now):
    """What got worse, and what got better without being written down."""
    found = []
    for group, value in now.items():
        old = committed.get(group, {"of": 0, "runs": 0, "stops": {}})
        if group != "all":
            found += [f"{group}: {name} ran and now stops at {', '.join(why)}" for name, why in value["stops"].items() if name not in old["stops"]]
        if value["of"] < old["of"]:
            found.append(f"{group}: {value['of']} are looked at and were {old['of']}")
    if not found and {g: (v["of"], v["runs"]) for g, v in now.items()} != {g: (v["of"], v["runs"]) for g, v in committed.items()}:
        found.append(f"more runs than tests/compat/share.json says ({now['all']}): write it again with FATHOM_FIO=live FATHOM_WRITE_SHARE=1 python3 tests/compat/share_test.py")
    return found


def fell_in_history():
    """The committed numbers themselves never fell."""
    git = ["git", "-C", str(HERE), "--no-pager"]
    log = subprocess.run([*git, "log", "--format=%H", "--", "share.json"], capture_output=True, text=True)
    shares = []
    for commit in reversed(log.stdout.split()):
        shown = subprocess.run([*git, "show", f"{commit}:./share.json"], capture_output=True, text=True)
        if shown.returncode == 0:
            shares.append((commit[:12], json.loads(shown.stdout)["all"]["runs"]))
    return [f"{b}: {after} run, and at {a} it was {before}" for (a, before), (b, after) in zip(shares, shares[1:]) if after < before]


def refusal_of_io_uring():
    with tempfile.TemporaryDirectory(prefix="fathom-share-", dir="/var/tmp") as folder:
        done = call(["--name=a", "--ioengine=io_uring", "--size=64k", "--rw=write"], folder)
        return done is None or done.returncode != 0


def self_test():
    """The comparison can fail."""
    old = {"g": {"of": 2, "runs": 1, "stops": {"a": ["x"]}}, "all": {"of": 2, "runs": 1}}
    worse = {"g": {"of": 2, "runs": 0, "stops": {"a": ["x"], "b": ["y"]}}, "all": {"of": 2, "runs": 0}}
    better = {"g": {"of": 2, "runs": 2, "stops": {}}, "all": {"of": 2, "runs": 2}}
    assert problems(old, old) == [] and "b ran and now stops at y" in problems(old, worse)[0] and "write it again" in problems(old, better)[0]
    assert small.words(["--size", "10g", "--rw=read"], "/s") == ["--size=1m", "--rw=read"]
    assert small.job_file("[a]\nsize = 10g ; much\nstartdelay=4", "/s") == "[a]\nsize = 1m ; much\nstartdelay=20ms"
    assert stopped_by(subprocess.CompletedProcess([], 1, "", "x:7:1: error: fio option `rate_min` is not built in fathom yet\n")) == ["rate_min"]


def main():
    self_test()
    if not os.access(FATHOM, os.X_OK) or not examples.FOLDER.exists():
        print("skipped: needs FATHOM, and Debian's fio-examples (scripts/setup --test)")
        return SKIP
    if shutil.disk_usage("/var/tmp").free < 1 << 30:
        print("skipped: /var/tmp has less than 1 GiB")
        return SKIP
    items = example_items() + line_items() + bench_fio_items()
    if not examples.recorded.LIVE and not sys.argv[1:] and FATHOM != FIO:
        for number, item in enumerate(items):
            item.only_understood = item.only_understood or number % RUN_EACH
    items = [item for item in items if not sys.argv[1:] or any(word in item.name for word in sys.argv[1:])]
    stops = measure(items)
    if refusal_of_io_uring():
        print(f"left out where it is needed: {REFUSED_IO_URING}")
        stops = {key: [] if any("io_uring" in word for word in why) else why for key, why in stops.items()}
    now = as_json(items, stops)
    for group, value in now.items():
        print(f"{group}: {value['runs']} of {value['of']} run")
    if sys.argv[1:] or FATHOM == FIO:
        print("\n".join(f"{group}: {name}: {', '.join(why)}" for (group, name), why in stops.items() if why))
        return 0
    committed = json.loads(SHARE.read_text()) if SHARE.exists() else {}
    found = problems(committed, now) if committed else ["tests/compat/share.json is missing: write it again"]
    if os.environ.get("FATHOM_WRITE_SHARE") and examples.recorded.LIVE and all("write it again" in row for row in found):
        SHARE.write_text(json.dumps(now, indent=1, sort_keys=True) + "\n")
        found = []
    found += fell_in_history()
    print("\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
