"""What differs from run to run is made equal before two outputs are compared: the folder, process ids, dates, who built the program and
how, and, in rows that measure, the measured numbers. Rows on the scripted clock of ioengine=sim keep every number."""
import re

# What no two runs share. Order matters: the first that matches has had its turn.
ALWAYS = [(re.compile(pattern, re.M), to) for pattern, to in (
    (r"\(commit [^)]*\)", "(commit #)"),
    (r'("(?:commit|compiler)" : )"[^"]*"', r'\1"#"'),
    (r"\b(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun) [A-Z][a-z][a-z] [ \d]\d \d\d:\d\d:\d\d \d{4}", "DATE"),
    (r"\b[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}\b", "UUID"),
    (r"\bpid=\d+", "pid=#"),
    (r'("(?:pid|timestamp|timestamp_ms|job_start|time_epoch_ms|end_epoch_ms|start_epoch_ms|load_average_1min|usr_cpu|sys_cpu|ctx|majf|minf|rchar)" : )[\d.]+',
     r"\1#"),
    (r'("(?:waited_s|background_cpu_percent|background_disk_iops|background_disk_bytes_per_s)" : )[\d.]+', r"\1#"),
    (r"^(  cpu          : ).*$", r"\1#"),
    # the build: one without optimisation says so
    (r'^ *\{\n *"id" : "build\.[^{}]*\},?\n', ""),
    (r"^.*build\.(?:unoptimised|sanitized|profiled).*\n(?:    .*\n)*", ""),
)]

# In rows that measure.
NUMBER = re.compile(r"(?<![A-Za-z_#])[-+±]?\d(?:[\d.,]*\d)?(?:e[-+]?\d+)?(?:[kKMGT](?:i?B(?:/s)?)?|[nmu]s(?:ec)?|s\b|%)?")
UNIT = re.compile(r"\(?(?:nsec|usec|msec|usecs|ns|us|ms)\)?(?=[\s,:;)]|$)")
# charts, and counters of the kernel that show where they have moved
MACHINES = re.compile(r'[▁▂▃▄▅▆▇█┤┬└─]|^ *"(?:nr|numa|pg|pswp|thp|work|zswp?|swap|compact|kswapd|allocstall|oom|drop|slabs|unevictable)\w*" : |<counter name=|'
                      r"^ *kernel, whole machine:|^ *  [a-z_]+ \d+, [a-z_]+ \d+")
REPEATED_LINES = 40


def shape(line):
    """What is left of a line without its numbers: lists of them are one."""
    line = UNIT.sub("T", NUMBER.sub("#", line))
    line = re.sub(r"\s+", " ", line).rstrip(" ,").replace("[ ", "[")
    line = re.sub(r"#+", "#", line)
    return re.sub(r"((?:\||\b\w*)?[# ]?#[^\s#]*(?:#[^\s#]*)*)(?:[ ,]+\1)+", r"\1", line)


def numbers(text):
    """A measured output: lines without their numbers, and lines or blocks of lines that are then as those before them are one."""
    kept = []
    for line in text.split("\n"):
        if MACHINES.search(line):
            continue
        kept.append(shape(line))
        for length in range(1, REPEATED_LINES + 1):
            if len(kept) >= 2 * length and kept[-length:] == kept[-2 * length:-length]:
                del kept[-length:]
                break
    return "\n".join(kept)


def masked(text, measured):
    for pattern, to in ALWAYS:
        text = pattern.sub(to, text)
    return numbers(text) if measured else text
