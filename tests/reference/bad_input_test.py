"""Bad input gets file:line:column, the offending text, the cause and what to write instead; and its exit status tells its kind.

One row a mistake. fio itself takes some of these (bs=4x becomes 4 bytes), so nothing here is compared with it.
"""
import os
import re

import compare
import places

USAGE, PRIVILEGE, IO = 2, 3, 4

# name, job file, line of the mistake, text that the column points at, words that the message must have
IN_FILE = [
    ("bs=4x", "[j]\nsize=64k\nbs=4x\n", 3, ("4x", "x"), ["bs=4x", "4k"]),
    ("indented", "[j]\nsize=64k\n   bs=4x\n", 3, ("4x", "x"), ["bs=4x"]),
    ("rw=randred", "[j]\nrw=randred\nsize=64k\n", 2, ("randred",), ["randred", "randread"]),
    ("iodepth=0", "[j]\niodepth=0\nsize=64k\n", 2, ("0",), ["iodepth=0", "1"]),
    ("in [global]", "; a comment\n[global]\nrwmixread=101\n[j]\nsize=64k\n", 3, ("101",), ["rwmixread", "100"]),
    ("unknown option", "[j]\nblocksiez=4k\nsize=64k\n", 2, ("blocksiez",), ["blocksiez", "blocksize"]),
    ("an option of fio's that is not built", "[j]\nverify=pi\nsize=64k\n", 2, ("verify", "pi"), ["verify", "not built"]),
    ("unknown engine", "[j]\nioengine=psink\nsize=64k\n", 2, ("psink",), ["psink", "psync"]),
    ("an engine of fio's that is not built", "[j]\nioengine=rdma\nsize=64k\n", 2, ("rdma",), ["rdma", "not built"]),
    ("an option the engine lacks", "[j]\nioengine=libaio\nsqthread_poll=1\nsize=64k\n", 3, ("sqthread_poll", "1"),
     ["sqthread_poll", "libaio", "io_uring"]),
    ("not a number", "[j]\nnumjobs=two\nsize=64k\n", 2, ("two",), ["numjobs=two"]),
    ("not a size", "[j]\nsize=abc\n", 2, ("abc",), ["size=abc"]),
    ("not a time", "[j]\nsize=64k\nruntime=10q\n", 3, ("10q", "q"), ["runtime=10q"]),
    ("bssplit over 100", "[j]\nsize=64k\nbssplit=4k/60:8k/50\n", 3, ("4k", "8k", "50"), ["bssplit", "100"]),
    ("bsrange of letters", "[j]\nsize=64k\nbsrange=8k-q\n", 3, ("8k", "q"), ["bsrange"]),
    ("percentile over 100", "[j]\nsize=64k\npercentile_list=50:200\n", 3, ("50", "200"), ["percentile_list", "100"]),
    ("unknown distribution", "[j]\nsize=64k\nrandom_distribution=zipff:1.2\n", 3, ("zipff",), ["zipff", "zipf"]),
    ("distribution's parameter", "[j]\nsize=64k\nrandom_distribution=pareto:2\n", 3, ("pareto", "2"), ["pareto:2"]),
    ("section without its bracket", "[j\nsize=64k\n", 1, ("[j",), ["]"]),
    ("option before any section", "size=64k\n[j]\nrw=read\n", 1, ("size",), ["size"]),
    ("missing include", "[j]\ninclude nowhere.fio\nsize=64k\n", 2, ("nowhere.fio", "include"), ["nowhere.fio"]),
]

# name, words of the command line, words of the message, exit status
ON_COMMAND_LINE = [
    ("bs=4x", ["--name=j", "--bs=4x", "--size=64k"], ["bs=4x", "4k"], USAGE),
    ("unknown option", ["--name=j", "--blocksiez=4k", "--size=64k"], ["blocksiez", "blocksize"], USAGE),
    ("unknown format", ["--output-format=jsn", "--name=j", "--size=64k"], ["jsn", "json"], USAGE),
    ("nothing to do", ["--name=j", "--rw=read"], ["j", "size"], USAGE),
    ("no job at all", ["--size=64k"], ["name"], USAGE),
    ("missing job file", ["nowhere.fio"], ["nowhere.fio", "No such file"], None),
    ("missing file", ["--name=j", "--rw=read", "--filename=nowhere", "--allow_file_create=0", "--size=64k"], ["nowhere"], None),
    ("missing directory", ["--name=j", "--rw=write", "--directory=nowhere", "--size=64k"], ["nowhere"], None),
    ("read-only run", ["--readonly", "--name=j", "--rw=write", "--size=64k"], ["readonly"], USAGE),
    ("--section that is not there", ["--section=nope", "job.fio"], ["nope"], USAGE),
]


def run(head, words, text=None, prefix=()):
    with compare.workspace() as cwd:
        os.chmod(os.path.dirname(cwd), 0o755)
        path = os.path.join(cwd, "job.fio")
        with open(path, "w") as f:
            f.write(text if text is not None else "[j]\nsize=64k\nioengine=null\n")
        return compare.execute([*prefix, *head, *words], cwd)


def check_message(checks, name, stderr, words):
    for word in words:
        checks.check(f"{name}: the message says {word}", word in stderr, stderr)
    checks.check(f"{name}: and what to do", re.search(r"^ *help: \S", stderr, re.M), stderr)


def check_in_file(checks, name, text, line, pointed, words):
    for way, head, status in (("run", [compare.FATHOM, "run"], USAGE), ("fio mode", [compare.fio_link()], 1)):
        label = f"{name}, {way}"
        outcome = run(head, ["job.fio"], text)
        checks.equal(f"{label}: exit status", outcome.rc, status)
        checks.equal(f"{label}: nothing on stdout", outcome.stdout, "")
        place = re.search(r"^(?:[^\n]*/)?(job\.fio):(\d+):(\d+): ", outcome.stderr, re.M)
        if checks.check(f"{label}: file:line:column", place, outcome.stderr):
            checks.equal(f"{label}: line", int(place[2]), line)
            rest = text.split("\n")[line - 1][int(place[3]) - 1:]
            checks.check(f"{label}: column", rest.startswith(pointed), f"column {place[3]} is {rest!r}")
        check_message(checks, label, outcome.stderr, words)


def check_on_command_line(checks, name, words, expected, status):
    outcome = run([compare.FATHOM, "run"], words)
    allowed = (status,) if status is not None else (USAGE, IO)
    checks.check(f"{name}: exit status", outcome.rc in allowed, f"{outcome.rc}, expected {allowed}")
    check_message(checks, f"{name} (command line)", outcome.stderr, expected)


def check_privilege(checks):
    """EPERM: root's file, read by nobody."""
    nobody = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]
    with compare.workspace() as cwd:
        os.chmod(os.path.dirname(cwd), 0o755)
        compare.fill(cwd, {"secret": "64k"})
        os.chmod(os.path.join(cwd, "secret"), 0o600)
        words = ["--name=j", "--rw=read", "--filename=secret", "--size=64k"]
        for way, head, status in (("run", [compare.FATHOM, "run"], PRIVILEGE), ("fio mode", [compare.fio_link()], 1)):
            outcome = compare.execute([*nobody, *head, *words], cwd)
            checks.equal(f"EPERM, {way}: exit status", outcome.rc, status)
            for word in ("secret", "Permission denied"):
                checks.check(f"EPERM, {way}: the message says {word}", word in outcome.stderr, outcome.stderr)


def check_no_space(checks):
    with places.small_tmpfs("1m") as where, compare.workspace() as cwd:
        outcome = compare.execute([compare.FATHOM, "run", "--name=j", "--rw=write", f"--directory={where}", "--size=2m"], cwd)
    checks.equal("ENOSPC: exit status", outcome.rc, IO)
    for word in (where + "/j.0.0", "No space left on device"):
        checks.check(f"ENOSPC: stderr says {word}", word in outcome.stderr, outcome.stderr)


def main():
    compare.need_fathom()
    checks = compare.Checks()
    for row in IN_FILE:
        if checks.wanted(row[0]):
            check_in_file(checks, *row)
    for row in ON_COMMAND_LINE:
        if checks.wanted(row[0]):
            check_on_command_line(checks, *row)
    if reason := places.why_not():
        checks.note(f"EPERM and ENOSPC: not run, {reason}")
    else:
        check_privilege(checks)
        check_no_space(checks)
    checks.done()


main()
