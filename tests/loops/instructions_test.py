"""User instructions an I/O: the ceilings that may not be passed, each one above what it is. What fathom itself spends is an error in every
number, and instructions, unlike nanoseconds, can be counted to the unit on any machine.

Counted by callgrind inside the worker, as the difference of two jobs that differ only in number_ios, so that start and end cancel out. One process
runs the jobs of all cases one after another: beside busy processes a start of valgrind takes longer than all jobs.
The clock is the CPU's own; no instruction sets beyond the baseline are asked for when fathom is built, and libc is kept to the same, so that its
memcpy is one on all machines. What is left of noise: callgrind that begins to collect too early, and turns of a loop that find less than
others because the machine took the CPU away. Both only add, so each of the two jobs counts with the least of its runs, and there are more runs
only of cases whose first is not within four of what is known. A divided I/O is in instructions_divided_test.py: its count depends on the disk.
"""
# label: test
# cost: 8
# timeout: 300
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
    ("null, randread norandommap, iodepth=128", 204, NULL + ["--rw=randread", "--norandommap", "--iodepth=128"]),
    ("null, randread without repeats on 1 TiB, iodepth=128", 258, NULL + ["--rw=randread", "--iodepth=128"]),
    ("null, sequential write, iodepth=1", 185, NULL + ["--rw=write"]),
    ("null, randwrite norandommap, iodepth=128", 272, NULL + ["--rw=randwrite", "--norandommap", "--iodepth=128"]),
    ("null, randread without repeats, a few small blocks among large ones", 555, ["--ioengine=null", "--size=64g", "--rw=randread", "--bssplit=4k/10:1m/90"]),
    ("null, sequential read, paced, iodepth=1", 431, NULL + ["--rw=read", "--rate_iops=10m"]),  # always late: no turn waits
    ("null, randread norandommap, paced, iodepth=128", 719, NULL + ["--rw=randread", "--norandommap", "--iodepth=128", "--rate_iops=10m"]),
    ("null, sequential read, a line in a log for each I/O", 323, NULL + ["--rw=read", "--write_iops_log=DIRECTORY/p"]),
    ("null, sequential read, an averaged log", 395, NULL + ["--rw=read", "--write_iops_log=DIRECTORY/p", "--log_avg_msec=100"]),
    ("sim, randread norandommap, iodepth=1", 359, ["--ioengine=sim", "--size=1t", "--rw=randread", "--norandommap"]),
    ("sim, randread norandommap, iodepth=32", 513, ["--ioengine=sim", "--size=1t", "--rw=randread", "--norandommap", "--iodepth=32"]),
    ("io_uring, page-cached randread, iodepth=128", 322, FILE + ["--ioengine=io_uring", "--iodepth=128"]),
    ("io_uring_cmd, /dev/null randread norandommap, iodepth=128", 456, ["--ioengine=io_uring_cmd", "--filename=/dev/null", "--rw=randread", "--norandommap", "--iodepth=128"]),
    ("libaio, page-cached randread, iodepth=128", 381, FILE + ["--ioengine=libaio", "--iodepth=128"]),
    ("psync, page-cached randread", 178, FILE + ["--ioengine=psync"]),
    ("mmap, page-cached randread", 1003, FILE + ["--ioengine=mmap"]),
    ("psync, page-cached randwrite, verify=crc32c", 3180, ["--size=4m", "--filename=w", "--rw=randwrite", "--norandommap", "--ioengine=psync", "--verify=crc32c", "--do_verify=0"]),
    ("psync, page-cached read, verify=crc32c", 1589, ["--size=4m", "--filename=v", "--rw=read", "--invalidate=0", "--ioengine=psync", "--verify=crc32c"]),
]
BASELINE = "glibc.cpu.hwcaps=-AVX512F,-AVX512VL,-AVX512BW,-AVX2,-AVX,-AVX_Fast_Unaligned_Load,-ERMS,-FSRM,-Prefer_No_VZEROUPPER"


def of_a_job(words):
    """The options that stand in a job; the other one belongs to the command."""
    return [word[2:] for word in words if word != "--breakdown=all"]


def job_file(directory, cases):
    """One job after another, a short and a long one of each case; the first warms up: the linker binds what it calls."""
    lines = ["[global]", "thread", "stonewall", "bs=4k", "clocksource=cpu", "io_size=1t"]
    for number, (ceiling, words) in enumerate([cases[0], *cases]):
        for ios in ios_of(ceiling):
            own = [word.replace("DIRECTORY", directory) for word in of_a_job(words)]
            lines += [f"[{number}-{ios}]", *own, f"number_ios={ios}"] + ([f"directory={directory}"] if "filename=/dev/null" not in own else [])
    path = os.path.join(directory, "jobs.fio")
    with open(path, "w") as f:
        f.write("\n".join(lines) + "\n")
    return path


def ios_of(ceiling):
    return (4000, 24000) if ceiling < 1000 else (1000, 5000)


def instructions(directory, cases):
    """An I/O's instructions in each case, all counted by one process of callgrind, which writes a file at the end of each worker."""
    commands, divided = (any(word in words for _, words in cases) for word in ("--ioengine=io_uring_cmd", "--breakdown=all"))
    with tempfile.TemporaryDirectory(dir=directory) as counts:
        argv = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={counts}/c", "--toggle-collect=fathom::run::loop::run_worker*",
                "--toggle-collect=fathom::split::MonotonicLine::hold_now*", "--dump-after=*run_worker(*", FATHOM, "run", "--clock-check=skip",
                *(["--audit=off"] if commands else []), *(["--breakdown=all"] if divided else []), "--output=/dev/null", job_file(directory, cases)]
        environment = {**os.environ, "GLIBC_TUNABLES": BASELINE}
        if commands:
            environment["LD_PRELOAD"] = os.path.join(directory, "nvme_identity.so")
        run = subprocess.run(argv, capture_output=True, text=True, env=environment)
        found = []
        for number in range(1, len(os.listdir(counts))):
            with open(os.path.join(counts, f"c.{number}")) as f:
                found.append(int(re.search(r"^summary: (\d+)", f.read(), re.M)[1]))
    if run.returncode != 0 or len(found) != 2 * (len(cases) + 1):
        sys.exit(f"{' '.join(argv)}: exit status {run.returncode}, {len(found)} workers of {2 * (len(cases) + 1)}\n{run.stderr[-2000:]}")
    return list(zip(found[2::2], found[3::2]))


def least_of(directory, cases):
    """Instructions an I/O of each case. A first result more than a few below the ceiling is no good one either: then the shorter job was disturbed."""
    least, each, again = [(None, None)] * len(cases), [None] * len(cases), list(range(len(cases)))
    for _ in range(MOST_RUNS):
        for number, pair in zip(again, instructions(directory, [cases[number] for number in again])):
            ceiling = cases[number][0]
            least[number] = tuple(min(new, known or new) for new, known in zip(pair, least[number]))
            few, many = ios_of(ceiling)
            each[number] = (least[number][1] - least[number][0]) / (many - few)
        again = [number for number in again if not cases[number][0] - 4 <= each[number] <= cases[number][0]]
        if not again:
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
        groups = {}
        for title, ceiling, words in cases:
            if "--ioengine=io_uring_cmd" in words and not commands:
                print(f"     skipped: {title}: this kernel's /dev/null takes no commands (it does from Linux 6.4 on)")
            elif "--breakdown=all" in words and not divides:
                print(f"     skipped: {title}: it takes root and a kernel with BTF")
            else:
                groups.setdefault("--ioengine=io_uring_cmd" in words, []).append((title, ceiling, words))
        for group in groups.values():
            for (title, ceiling, _), each in zip(group, least_of(directory, [case[1:] for case in group])):
                failed += each > ceiling
                print(f"{'FAIL' if each > ceiling else 'ok  '} {title}: {each:.1f}, ceiling {ceiling}{'' if each > ceiling - 3 else ': it may come down'}", flush=True)
                if each < 20:
                    sys.exit("so few instructions cannot be an I/O: the runs were not what they should be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
