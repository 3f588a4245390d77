"""User instructions an I/O: the ceilings that may not be passed, each one above what it is. What fathom itself spends is an error in every
number, and instructions, unlike nanoseconds, can be counted to the unit on any machine.

Counted by callgrind inside the worker, as the difference of two jobs that differ only in number_ios, so that start and end cancel out.
The clock is the CPU's own; no instruction sets beyond the baseline are asked for when fathom is built, and libc is kept to the same, so that its
memcpy is one on all machines. What is left of noise: callgrind that begins to collect too early, and turns of a loop that find less than
others because the machine took the CPU away. Both only add, so each of the two jobs counts with the least of its runs, and there are more runs
only where the first is not within one of what is known. A divided I/O is in instructions_divided_test.py: its count depends on the disk.
"""
# label: test
# cost: 28
# timeout: 900
import os
import re
import shutil
import subprocess
import sys
import tempfile

FATHOM = os.environ["FATHOM"]
MOST_RUNS = 6

# title, ceiling, options
NULL = ["--ioengine=null", "--size=1t"]
FILE = ["--size=4m", "--filename=f", "--invalidate=0", "--norandommap", "--rw=randread"]
CASES = [
    ("null, sequential read, iodepth=1", 117, NULL + ["--rw=read"]),
    ("null, randread norandommap, iodepth=128", 206, NULL + ["--rw=randread", "--norandommap", "--iodepth=128"]),
    ("null, randread without repeats on 1 TiB, iodepth=128", 260, NULL + ["--rw=randread", "--iodepth=128"]),
    ("null, sequential write, iodepth=1", 185, NULL + ["--rw=write"]),
    ("null, randwrite norandommap, iodepth=128", 274, NULL + ["--rw=randwrite", "--norandommap", "--iodepth=128"]),
    ("null, randread without repeats, a few small blocks among large ones", 555, ["--ioengine=null", "--size=64g", "--rw=randread", "--bssplit=4k/10:1m/90"]),
    ("null, sequential read, paced, iodepth=1", 431, NULL + ["--rw=read", "--rate_iops=10m"]),  # always late: no turn waits
    ("null, randread norandommap, paced, iodepth=128", 724, NULL + ["--rw=randread", "--norandommap", "--iodepth=128", "--rate_iops=10m"]),
    ("null, sequential read, a line in a log for each I/O", 317, NULL + ["--rw=read", "--write_iops_log=DIRECTORY/p"]),
    ("null, sequential read, an averaged log", 387, NULL + ["--rw=read", "--write_iops_log=DIRECTORY/p", "--log_avg_msec=100"]),
    ("sim, randread norandommap, iodepth=1", 359, ["--ioengine=sim", "--size=1t", "--rw=randread", "--norandommap"]),
    ("sim, randread norandommap, iodepth=32", 513, ["--ioengine=sim", "--size=1t", "--rw=randread", "--norandommap", "--iodepth=32"]),
    ("io_uring, page-cached randread, iodepth=128", 322, FILE + ["--ioengine=io_uring", "--iodepth=128"]),
    ("io_uring_cmd, /dev/null randread norandommap, iodepth=128", 456, ["--ioengine=io_uring_cmd", "--filename=/dev/null", "--rw=randread", "--norandommap", "--iodepth=128"]),
    ("libaio, page-cached randread, iodepth=128", 381, FILE + ["--ioengine=libaio", "--iodepth=128"]),
    ("psync, page-cached randread", 178, FILE + ["--ioengine=psync"]),
    ("mmap, page-cached randread", 1003, FILE + ["--ioengine=mmap"]),
    ("psync, page-cached randwrite, verify=crc32c", 3176, ["--size=4m", "--filename=w", "--rw=randwrite", "--norandommap", "--ioengine=psync", "--verify=crc32c", "--do_verify=0"]),
    ("psync, page-cached read, verify=crc32c", 1586, ["--size=4m", "--filename=v", "--rw=read", "--invalidate=0", "--ioengine=psync", "--verify=crc32c"]),
]
BASELINE = "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-AVX_Fast_Unaligned_Load,-ERMS,-FSRM,-Prefer_No_VZEROUPPER"


def instructions(directory, ios, words):
    argv = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=fathom::run::loop::run_worker*",
            "--toggle-collect=fathom::split::MonotonicLine::hold_now*", FATHOM, "run", "--name=t", "--thread", "--bs=4k", "--clocksource=cpu",
            "--clock-check=skip", f"--directory={directory}" if "--filename=/dev/null" not in words else "--audit=off",
            f"--number_ios={ios}", "--io_size=1t", "--output=/dev/null"] + [word.replace("DIRECTORY", directory) for word in words]
    environment = {**os.environ, "GLIBC_TUNABLES": BASELINE}
    if "--ioengine=io_uring_cmd" in words:
        environment["LD_PRELOAD"] = os.path.join(directory, "nvme_identity.so")
    run = subprocess.run(argv, capture_output=True, text=True, env=environment)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not found:
        sys.exit(f"{' '.join(argv)}: exit status {run.returncode}\n{run.stderr[-2000:]}")
    return int(found.group(1))


def an_io(directory, ceiling, words):
    """Instructions an I/O. A first result more than a few below the ceiling is no good one either: then the shorter job was disturbed."""
    few, many = (4000, 24000) if ceiling < 1000 else (1000, 5000)
    least = {few: None, many: None}
    for _ in range(MOST_RUNS):
        for ios in least:
            found = instructions(directory, ios, words)
            least[ios] = min(found, least[ios] or found)
        each = (least[many] - least[few]) / (many - few)
        if ceiling - 2 <= each <= ceiling:
            break
    return each


def takes_commands(directory):
    """Whether this kernel's /dev/null takes io_uring commands, as an NVMe namespace does."""
    library = os.path.join(directory, "nvme_identity.so")
    source = os.path.join(os.environ["FATHOM_SOURCE"], "tests", "loops", "nvme_identity.c")
    subprocess.run(["gcc", "-shared", "-fPIC", "-O1", "-o", library, source], check=True)
    job = [FATHOM, "run", "--name=t", "--ioengine=io_uring_cmd", "--filename=/dev/null", "--bs=4k", "--number_ios=1", "--audit=off", "--clock-check=skip"]
    done = subprocess.run(job, capture_output=True, text=True, env={**os.environ, "LD_PRELOAD": library})
    if done.returncode != 0 and "not supported" not in (done.stdout + done.stderr).lower():
        sys.exit(f"{' '.join(job)}: exit status {done.returncode}\n{done.stdout[-1000:]}{done.stderr[-1000:]}")
    return done.returncode == 0


def main(cases=CASES):  # of the same shape
    if os.environ.get("FATHOM_SANITIZE"):
        print("skipped: a sanitizer's instructions are not fathom's")
        return 77
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        with open(os.path.join(directory, "f"), "wb") as f:
            f.write(os.urandom(4 << 20))
            f.flush()
            os.fsync(f.fileno())  # its blocks have places
        subprocess.run([FATHOM, "run", "--name=t", f"--directory={directory}", "--filename=v", "--size=4m", "--bs=4k", "--rw=write", "--verify=crc32c", "--do_verify=0",
                        "--output=/dev/null"], check=True)
        commands = takes_commands(directory)
        divides = os.geteuid() == 0 and os.path.exists("/sys/kernel/btf/vmlinux")
        for title, ceiling, words in cases:
            if "--ioengine=io_uring_cmd" in words and not commands:
                print(f"     skipped: {title}: this kernel's /dev/null takes no commands (it does from Linux 6.4 on)")
                continue
            if "--breakdown=all" in words and not divides:
                print(f"     skipped: {title}: it takes root and a kernel with BTF")
                continue
            each = an_io(directory, ceiling, words)
            failed += each > ceiling
            print(f"{'FAIL' if each > ceiling else 'ok  '} {title}: {each:.1f}, ceiling {ceiling}{'' if each > ceiling - 3 else ': it may come down'}", flush=True)
            if each < 20:
                sys.exit("so few instructions cannot be an I/O: the runs were not what they should be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
