"""What explains a difference has a measured bound: calls that a seccomp notifier answered and nobody did are missing and no page cache; holes and reserved
blocks are a finding of their own; a run of one block is too short to judge; others that cannot be asked are not nobody. Each beside its clean twin."""
# label: kernel
# alone: what others write meanwhile is an explanation of its own
# timeout: 180
import os
import shutil
import subprocess
import sys
import tempfile

from audited import FATHOM, Checks, SIZE, folder, has_disk, keep_in_memory, make_file, parse, run, witness, words

PSYNC = ["--ioengine=psync", "--direct=0"]


def ids(fathom):
    return {f["id"] for f in fathom["findings"]}


def built(where):
    program = os.path.join(where, "faked_calls")
    source = os.path.join(os.environ["FATHOM_SOURCE"], "tests", "audit_run", "faked_calls.cc")
    made = subprocess.run([os.environ.get("CXX", "c++"), "-std=c++20", "-O1", "-o", program, source], capture_output=True, text=True)
    return program if made.returncode == 0 else None


def faked(checks, where, program):
    for way, what in (("write", "write"), ("write", "half-write"), ("read", "read"), ("read", "half-read")):
        make_file(os.path.join(where, "f"))
        command = words(where, f"--rw={way}", *PSYNC)
        done = subprocess.run([program, what, "65536", *command], capture_output=True, text=True, timeout=60)
        if done.returncode == 77:
            return print("     skipped: no notifier of seccomp")
        w = witness(parse(done.stdout), "process", way)
        checks.check(w["verdict"] == "disagrees" and w["diagnosis"] == "missing_io", f"{what} faked: {w['verdict']}: {w['cause']}")
        checks.check(parse(done.stdout)["checks"] == "failed" and done.returncode == 0, f"{what} faked: the checks failed, status {done.returncode}")
        strict = subprocess.run([program, what, "65536", *command, "--strict"], capture_output=True, text=True, timeout=60)
        checks.check(strict.returncode == 1, f"{what} faked, --strict: status {strict.returncode}")
        make_file(os.path.join(where, "f"))
        w = witness(run(where, f"--rw={way}", *PSYNC), "process", way)
        checks.check(w["verdict"] in ("agrees", "explained"), f"its clean twin: {w['verdict']} {w['cause']}")


def served_by_memory(checks, where):
    """What may come from memory, and does, is explained as before."""
    for options in (["--rw=read", "--invalidate=0"], ["--rw=randwrite", "--norandommap"], ["--rw=write", "--loops=3"], ["--rw=write", "--numjobs=2"],
                    ["--rw=write", "--verify=crc32c"], ["--rw=randrw", "--bs=4k"], ["--rw=randread", "--bs=512"], ["--rw=randread", "--ioengine=mmap"],
                    ["--rw=randread", "--bs=3m", "--io_size=240m"], ["--rw=randwrite", "--bs=3m", "--io_size=240m"]):
        make_file(os.path.join(where, "f"))
        fathom = run(where, *PSYNC, *options)
        checks.check(fathom["audit"]["verdict"] in ("agrees", "explained"), f"{' '.join(options)}: {fathom['audit']['line']}")


def nothing_read(checks, where):
    path = os.path.join(where, "empty")
    for made, diagnosis, finding in ((["truncate", "-s", str(SIZE), path], "holes", "audit.holes"),
                                     (["fallocate", "-l", str(SIZE), path], "unwritten", "audit.unwritten")):
        if os.path.exists(path):
            os.unlink(path)
        subprocess.run(made, check=True)
        for direct in (1, 0):
            fathom = run(where, "--filename=empty", "--rw=read", f"--direct={direct}", "--allow_file_create=0")
            w = witness(fathom, "process")
            checks.check(w["verdict"] == "explained" and w["diagnosis"] == diagnosis and finding in ids(fathom), f"{made[0]}, direct={direct}: {w['cause']}")
    os.unlink(path)
    checks.check(not ids(run(where, "--rw=read", "--direct=1")) & {"audit.holes", "audit.unwritten"}, "its clean twin has neither finding")


def too_short(checks, where):
    done = subprocess.run([FATHOM, "run", "--name=t", f"--filename={where}/new", "--size=4k", "--bs=4k", "--rw=write", "--direct=1", "--clock-check=skip",
                           "--output-format=json"], capture_output=True, text=True, timeout=60)
    fathom = parse(done.stdout)
    for w in fathom["audit"]["witnesses"]:
        off = abs(w["seen_bytes"] - w["expected_bytes"]) > 0.1 * w["expected_bytes"]
        checks.check((w["verdict"] == "agrees") <= (not off), f"4 KiB, {w['source']}: {w['verdict']}, {w['seen_bytes']:.0f} of {w['expected_bytes']:.0f}")


def hidden(checks, where):
    """A neighbour outside of a PID namespace cannot be asked."""
    if os.geteuid() != 0 or shutil.which("unshare") is None:
        return print("     skipped: no PID namespace")
    other = os.path.join(where, "other")
    make_file(other, 64 << 20)
    reader = subprocess.Popen(["sh", "-c", f"while :; do dd if={other} of=/dev/null bs=1M iflag=direct 2>/dev/null || exit 1; done"], start_new_session=True)
    try:
        command = words(where, "--time_based", "--runtime=1", "--rate_iops=100", "--rw=randread", "--direct=1")
        done = subprocess.run(["unshare", "--pid", "--fork", "--mount-proc", *command], capture_output=True, text=True, timeout=60)
    finally:
        os.killpg(reader.pid, 9)
        reader.wait()
    if done.returncode != 0:
        return print("     skipped: no PID namespace")
    w = witness(parse(done.stdout), "block")
    checks.check(w["diagnosis"] == "foreign_io" and "could not be examined" in w["cause"] and "PID namespace" in w["cause"], f"a neighbour outside: {w['cause']}")


def main():
    checks = Checks()
    keep_in_memory()
    with folder() as where, tempfile.TemporaryDirectory() as build:
        if not has_disk(where):
            print("skipped: /var/tmp lies on no disk that the block layer counts")
            return 77
        program = built(build)
        checks.check(program is not None, "the program that fakes calls is built")
        for part in (served_by_memory, nothing_read, too_short, hidden):
            checks.in_attempts(part, where)
        if program:
            checks.in_attempts(faked, where, program)
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
