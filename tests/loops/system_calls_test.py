"""System calls an I/O: what the loop makes per I/O beyond the engine's own calls is nothing. No lock, no print, no clock by system call.

The difference between a job of few I/Os and one of many is counted by strace, so that start and end cancel out.
"""
# label: test
# timeout: 400
import collections
import ctypes
import mmap
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

FATHOM = os.environ["FATHOM"]
FEW, MANY = 256, 2304
IOS = MANY - FEW


def calls(directory, ios, words):
    """How often each system call was made by the worker, which is the process that the program forked."""
    with tempfile.TemporaryDirectory() as traces:
        argv = ["strace", "-ff", "-o", os.path.join(traces, "t"), FATHOM, "run", "--name=t", "--size=16m", f"--directory={directory}",
                "--filename=f", f"--number_ios={ios}", "--rw=randread", "--audit=off", "--output=/dev/null"] + words
        subprocess.run(argv, check=True, capture_output=True)
        processes = []
        for name in os.listdir(traces):
            with open(os.path.join(traces, name), encoding="utf-8", errors="replace") as f:
                found = (re.match(r"(\w+)\(", line) for line in f)
                processes.append(collections.Counter(m.group(1) for m in found if m))
    workers = [counts for counts in processes if "execve" not in counts]
    if len(workers) != 1:
        sys.exit(f"{len(workers)} workers where one was expected")
    return workers[0]


def per_run_difference(directory, words):
    difference = calls(directory, MANY, words)
    difference.subtract(calls(directory, FEW, words))
    return {name: n for name, n in difference.items() if n != 0}


# words, expected difference
CASES = [
    (["--ioengine=null"], {}),
    (["--ioengine=null", "--iodepth=32"], {}),
    (["--ioengine=psync"], {"pread64": IOS}),
    (["--ioengine=sync"], {"lseek": IOS, "read": IOS}),
    (["--ioengine=pvsync2"], {"preadv2": IOS}),
    (["--ioengine=mmap"], {}),
    (["--ioengine=libaio", "--iodepth=32", "--iodepth_batch=32", "--iodepth_batch_complete_min=32"],
     {"io_submit": IOS // 32, "io_getevents": IOS // 32}),
    # One I/O a submission and a wait for one, as the user wrote it (or did not): two calls where the kernel has two, and one where it can
    # do both in one. Never a larger batch.
    (["--ioengine=libaio", "--iodepth=8", "--direct=1"], {"io_submit": IOS, "io_getevents": IOS}),
    (["--ioengine=io_uring", "--iodepth=32", "--invalidate=0"], {"io_uring_enter": IOS}),
    (["--ioengine=io_uring", "--iodepth=8", "--direct=1"], {"io_uring_enter": IOS}),
    (["--ioengine=io_uring", "--iodepth=32", "--fixedbufs", "--registerfiles", "--iodepth_batch=32", "--iodepth_batch_complete_min=32"],
     {"io_uring_enter": IOS // 32}),
]


# The driver of a device polls queues in memory: no system call an I/O, whatever the transport. All threads of the process are counted.
NVME = [[], ["--iodepth=32"], ["--iodepth=128", "--iodepth_batch=128", "--iodepth_batch_complete_max=128"], ["--iodepth=8", "--bs=256k"],
        ["--iodepth=16", "--iodepth_batch_complete_min=0"]]
# What the driver does by the clock and not by the I/O: while nothing comes it looks every 50 ms whether the device is still there, with some
# calls if the device is another process.
NVME_CALLS_A_SECOND = 5 * 20


def nvme_calls(device, ios, words):
    argv = ["strace", "-f", "-c", "-o", "/dev/stdout", FATHOM, "run", "--name=t", "--ioengine=nvme", f"--filename={device}", "--size=1g", f"--number_ios={ios}", "--rw=randread",
            "--clock-check=skip", "--output=/dev/null"] + words
    began = time.monotonic()
    shown = subprocess.run(argv, check=True, capture_output=True, text=True).stdout
    seconds = time.monotonic() - began
    rows = re.findall(r"^ *[\d.]+ +[\d.]+ +\d+ +(\d+) +(?:\d+ +)?(\w+)$", shown, re.M)
    return collections.Counter({name: int(n) for n, name in rows if name != "total"}), seconds


def nvme_case(failures, device, words):
    (many, seconds), (few, _) = (nvme_calls(device, ios, words) for ios in (MANY, FEW))
    most = min(60 + seconds * NVME_CALLS_A_SECOND, IOS // 2)
    seen = {name: many[name] - few[name] for name in many if many[name] - few[name] > most}
    good = not seen and sum(few.values()) > 50
    title = f"nvme on {device.split(':')[0]} " + " ".join(words)
    if not good:
        failures.append(title)
    print(("ok   " if good else "FAIL ") + title, "" if good else f"grew with the number of I/Os: {seen}")


def all_nvme_cases(failures):
    with tempfile.TemporaryDirectory() as directory:
        socket = os.path.join(directory, "s")
        server = subprocess.Popen([FATHOM, "nvme", "serve", "--socket", socket, "--soft=ideal"], stdout=subprocess.PIPE, text=True)
        server.stdout.readline()
        try:
            for device in ("soft:ideal,step", f"vfio-user:{socket}"):
                for words in NVME:
                    nvme_case(failures, device, words)
        finally:
            server.terminate()
            server.communicate()


GATES = 3  # of a start: all are there, laid out, go


def case(failures, directory, words, expected):
    seen = per_run_difference(directory, words)
    # The gate of a start is a futex: who comes last finds it open or waits for it, once a run.
    if abs(seen.get("futex", 0)) <= GATES and "futex" not in expected:
        seen.pop("futex", None)
    # The last I/Os in flight come back as they like: so many calls more or fewer, once a run. Of the page cache all are there,
    # but for one that the kernel may have taken aside.
    slack = 8 if "--direct=1" in words else 2 if "io_uring_enter" in expected else 0
    good = set(seen) == set(expected) and all(abs(seen[name] - n) <= slack for name, n in expected.items())
    if not good:
        failures.append(words)
    print(("ok   " if good else "FAIL ") + " ".join(words), "" if good else f"expected {expected}, saw {seen}")


def main():
    if shutil.which("strace") is None:
        print("skipped: strace is not installed")
        return 77
    failures = []
    all_nvme_cases(failures)
    with tempfile.TemporaryDirectory(dir="/var/tmp") as directory:
        subprocess.run([FATHOM, "run", "--name=t", "--size=16m", f"--directory={directory}", "--filename=f", "--rw=read",
                        "--output=/dev/null"], check=True)
        with open(os.path.join(directory, "f"), "r+b") as f, mmap.mmap(f.fileno(), 0, access=mmap.ACCESS_WRITE) as held:
            # Another test may drop the page cache: a read that misses it is finished by one more call. Locked pages stay.
            ctypes.CDLL(None).mlock(ctypes.c_void_p(ctypes.addressof(view := ctypes.c_char.from_buffer(held))), ctypes.c_size_t(len(held)))
            for words, expected in CASES:
                case(failures, directory, words, expected)
            del view
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
