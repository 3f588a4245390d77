"""Lies planted in real runs, each beside its clean twin: a foreign reader, a file in the page cache, a disk and a process that must agree to
the byte; and what --audit=off and fio mode leave alone."""
# label: kernel
# timeout: 600
# alone: who did how much on a disk: others of ours would be among them
import os
import re
import subprocess
import sys
import time

from audited import FATHOM, Checks, folder, has_disk, keep_in_memory, make_file, parse, run, witness, words

DIRECT = ["--rw=randread", "--direct=1"]


def exact(checks, where):
    """What is true of /proc/PID/io on any machine: direct I/O is charged to the byte, whichever engine does it."""
    for engine in ("psync", "libaio", "io_uring"):
        for more in (["--rw=randread"], ["--rw=randwrite"], ["--rw=randrw", "--numjobs=2"], ["--rw=randrw", "--thread", "--numjobs=2"],
                     ["--rw=randread", "--time_based", "--runtime=300ms", "--ramp_time=200ms"]):
            fathom = run(where, "--direct=1", f"--ioengine={engine}", "--iodepth=8", *more)
            for w in fathom["audit"]["witnesses"]:
                if w["source"] == "process":
                    # A write may dirty the block that its inode lies in, for the file's times: once a worker.
                    most = 2 * 4096 if w["direction"] == "write" else 0
                    checks.check(w["verdict"] == "agrees" and 0 <= w["seen_bytes"] - w["expected_bytes"] <= most,
                                 f"{engine} {' '.join(more)}: {w['direction']} {w['seen_bytes']:.0f} of {w['expected_bytes']:.0f}")
            checks.check(fathom["audit"]["verdict"] in ("agrees", "explained"), f"{engine} {' '.join(more)}: {fathom['audit']['line']}")


def verified(checks, where):
    fathom = run(where, "--rw=write", "--direct=1", "--verify=crc32c")
    w = witness(fathom, "process")
    checks.check(w["verdict"] == "agrees" and w["expected_bytes"] == 16 << 20, f"reading back is of the job: {fathom['audit']['line']}")


def foreign_reader(checks, where):
    other = os.path.join(where, "other")
    make_file(other, 64 << 20)
    reader = subprocess.Popen(["sh", "-c", f"while :; do dd if={other} of=/dev/null bs=1M iflag=direct 2>/dev/null || exit 1; done"],
                              start_new_session=True)
    time.sleep(0.2)
    try:
        fathom = run(where, "--time_based", "--runtime=3", "--rate_iops=100", *DIRECT)
    finally:
        os.killpg(reader.pid, 9)
        reader.wait()
    w = witness(fathom, "block")
    checks.check(w["verdict"] == "explained" and w["diagnosis"] == "foreign_io", f"foreign reader: {fathom['audit']['line']}")
    checks.check(re.search(r"\d+ (dd|sh) [0-9.]+ [MG]iB", w["cause"]) is not None, f"it is named: {w['cause']}")
    checks.check(any(f["id"] == "audit.foreign_io" for f in fathom["findings"]), "a finding says so")
    checks.check(witness(fathom, "process")["verdict"] == "agrees", "the workers' own account agrees all the same")
    reader = subprocess.Popen(["dd", f"if={other}", "of=/dev/null", "bs=64k", "iflag=direct"], stderr=subprocess.DEVNULL)
    reader.wait()
    clean = run(where, *DIRECT)
    checks.check(not any("dd" in t["how"] for t in witness(clean, "block")["explained"]), "its clean twin, after the reader, does not name it")


def reserve(path, size):
    """Extents that nobody has written; an earlier attempt may have."""
    if os.path.exists(path):
        os.unlink(path)
    subprocess.run(["fallocate", "-l", size, path], check=True)


def traced(checks, where):
    """--audit=trace tells the run's own bytes from a neighbour's by who submitted them."""
    unwritten = os.path.join(where, "f")
    make_file(unwritten)
    other = os.path.join(where, "other")
    make_file(other, 64 << 20)
    for engine, more in (("psync", []), ("io_uring", ["--iodepth=8"]), ("libaio", ["--iodepth=8", "--thread"])):
        reader = subprocess.Popen(["dd", f"if={other}", "of=/dev/null", "bs=1M", "iflag=direct"], stderr=subprocess.DEVNULL)
        fathom = run(where, f"--ioengine={engine}", "--rw=randrw", "--direct=1", "--audit=trace", *more)
        reader.wait()
        if any(m.startswith("tracepoints") for m in fathom["audit"]["missing"]):
            return print(f"     skipped: {fathom['audit']['missing']}")
        for direction in ("read", "write"):
            w = next((w for w in fathom["audit"]["witnesses"] if w["source"] == "trace" and w["direction"] == direction), None)
            to_the_byte = w is not None and w["verdict"] == "agrees" and abs(w["seen_bytes"] - w["expected_bytes"]) <= w["tolerance_bytes"]
            checks.check(to_the_byte or (w is not None and w["diagnosis"] == "program_pages"),
                         f"traced {engine} {direction}: {fathom['audit']['line']}")
    reserve(unwritten, "16m")
    lie = run(where, "--audit=trace", "--allow_file_create=0", *DIRECT)
    w = witness(lie, "trace")
    checks.check(w["verdict"] == "explained" and w["diagnosis"] == "unwritten", f"unwritten extents: {w['cause']}")
    os.unlink(unwritten)


def page_cache(checks, where):
    with open(os.path.join(where, "f"), "rb") as f:
        while f.read(1 << 20):
            pass
    warm = run(where, "--rw=read", "--invalidate=0")
    for source in ("process", "block"):
        w = witness(warm, source)
        checks.check(w["verdict"] == "explained" and w["diagnosis"] == "page_cache", f"warm file, {source}: {w['cause']}")
    clean = run(where, *DIRECT)
    checks.check(witness(clean, "process")["verdict"] == "agrees", "its clean twin agrees")


def holes(checks, where):
    path = os.path.join(where, "sparse")
    with open(path, "wb") as f:
        f.truncate(16 << 20)
    fathom = run(where, "--filename=sparse", "--rw=read", "--direct=1")
    w = witness(fathom, "process")
    checks.check(w["verdict"] == "explained" and w["diagnosis"] == "holes", f"holes: {w['cause']}")


def unwritten(checks, fathom, what):
    said = any(f["id"] == "audit.unwritten" for f in fathom["findings"])
    checks.check(witness(fathom, "process")["diagnosis"] == "unwritten" and said, f"{what}: {fathom['audit']['line']}")


def excuses(checks, where):
    """What excuses some bytes excuses no others: reserved files, many of them, a file with one hole, a buffered job beside a direct one."""
    reserved = os.path.join(where, "reserved")
    reserve(reserved, "16m")
    lie = run(where, "--filename=reserved", *DIRECT)
    unwritten(checks, lie, "reserved")

    # Filenames add up: the file that is written fully is read as well.
    names = [f"many{i}" for i in range(50)]
    for name in names:
        reserve(os.path.join(where, name), "64k")
    lie = run(where, f"--filename={':'.join(names)}", f"--size={(1 + len(names)) << 16}", *DIRECT)
    unwritten(checks, lie, "many reserved files")
    for name in names:
        make_file(os.path.join(where, name), 64 << 10)
    clean = run(where, f"--filename={':'.join(names)}", f"--size={(1 + len(names)) << 16}", *DIRECT)
    checks.check(witness(clean, "process")["verdict"] == "agrees", f"its clean twin: {clean['audit']['line']}")

    # A small hole in what is reserved and was never written.
    subprocess.run(["fallocate", "--punch-hole", "-o", "0", "-l", "1m", reserved], check=True)
    lie = run(where, "--filename=reserved", *DIRECT)
    unwritten(checks, lie, "one hole")
    make_file(reserved)
    subprocess.run(["fallocate", "--punch-hole", "-o", "0", "-l", "4m", reserved], check=True)
    clean = run(where, "--filename=reserved", *DIRECT)
    checks.check(witness(clean, "process")["diagnosis"] == "holes", f"its clean twin: {clean['audit']['line']}")

    os.unlink(reserved)
    reserve(reserved, "16m")
    beside = ["--name=u", f"--filename={os.path.join(where, 'f')}", f"--size={16 << 20}", "--rw=read", "--bs=64k"]
    lie = run(where, "--filename=reserved", *DIRECT, *beside)
    unwritten(checks, lie, "beside a buffered job")
    os.unlink(reserved)


def killed(checks, where):
    """A worker that cannot say what it did is spoken for by its parent."""
    job = subprocess.Popen(words(where, "--time_based", "--runtime=3", *DIRECT), stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    time.sleep(1)
    children = subprocess.run(["pgrep", "-P", str(job.pid)], capture_output=True, text=True).stdout.split()
    for child in children:
        os.kill(int(child), 9)
    out, _ = job.communicate(timeout=30)
    audit = parse(out)["audit"]
    checks.check(bool(children) and audit["verdict"] in ("agrees", "explained"), f"a killed worker: {audit['line']}")


def modes(checks, where):
    checks.check("audit" not in run(where, "--audit=off", *DIRECT), "--audit=off makes none")
    checks.check(run(where, "--audit=auto", *DIRECT)["audit"]["mode"] == "auto", "--audit=auto is what is done without")
    asked = run(where, "--audit=pmu:no_such_pmu", *DIRECT)
    checks.check(asked["audit"]["verdict"] in ("agrees", "explained"), "a PMU that is not there leaves the run and its other witnesses")
    if not any("pcie" in name for name in os.listdir("/sys/bus/event_source/devices")):
        checks.check(any(f["id"] == "audit.no_pmu" for f in asked["findings"]), "and is a finding where it was asked for")
    null = run(where, "--ioengine=null")
    checks.check(null["audit"]["verdict"] == "no witness", f"null: {null['audit']['line']}")
    fio = subprocess.run([FATHOM, *words(where, *DIRECT)[2:-len(DIRECT) - 1], *DIRECT], capture_output=True, text=True, timeout=60)
    before, own = fio.stdout.split("\nfathom ", 1)
    checks.check(fio.returncode == 0 and fio.stderr == "" and "audit" not in before and "  audit: " in own,
                 "in fio mode it stands after all of fio's text, and stderr is empty")


def own_driver(checks):
    done = subprocess.run([FATHOM, "nvme", "perf", "--rw=randrw", "--number_ios=20000", "--iodepth=16", "--clock-check=skip", "--output-format=json"],
                          capture_output=True, text=True, timeout=60)
    fathom = parse(done.stdout)
    sources = {w["source"] for w in fathom["audit"]["witnesses"]}
    checks.check(sources == {"driver", "queues"} and fathom["audit"]["verdict"] == "agrees", f"nvme perf: {fathom['audit']['line']}")


def main():
    checks = Checks()
    keep_in_memory()
    checks.in_attempts(own_driver)
    with folder() as where:
        if not has_disk(where):
            print("skipped: /var/tmp lies on no disk that the block layer counts")
            return 77
        for part in (exact, verified, foreign_reader, page_cache, holes, excuses, killed, modes, traced):
            checks.in_attempts(part, where)
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
