"""What plants a delay beside a job: a neighbour who wants its CPU, and whatever can be switched on and off, with a period. Whoever is switched off for good
is switched off when the block is left, however it is left."""
import contextlib
import os
import signal
import subprocess
import sys
import threading

import split

WORKERS = "/sys/devices/virtual/workqueue/cpumask"
NEVER_SLEEPS = "print(flush=True)\nwhile True: pass"
SPINS = """import time
print(flush=True)
while True:
    end = time.monotonic() + {spin_s}
    while time.monotonic() < end: pass
    time.sleep({sleep_s})"""


def neighbour(cpu):
    """A block of his process, bound to that CPU."""
    return beside(cpu, [], NEVER_SLEEPS)


def spinner(cpu, spin_s, sleep_s):
    """One whom nobody of usual priority takes the CPU from, again and again for so long."""
    return beside(cpu, ["chrt", "--fifo", "1"], SPINS.format(spin_s=spin_s, sleep_s=sleep_s))


@contextlib.contextmanager
def beside(cpu, how, program):
    with subprocess.Popen(["taskset", "--cpu-list", str(cpu), *how, sys.executable, "-c", program], stdout=subprocess.PIPE) as hog:
        try:
            hog.stdout.readline()  # he is there
            yield hog
        finally:
            hog.kill()


@contextlib.contextmanager
def toggled(switch, period_s):
    """switch(True) for half of each period, switch(False) for the other, from now on and beginning with the latter."""
    stop = threading.Event()

    def turns():
        on = False
        while not stop.wait(period_s / 2):
            on = not on
            switch(on)

    switch(False)
    thread = threading.Thread(target=turns)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()
        switch(False)


def stopping(process):
    """A switch: on lets the process run."""
    return lambda on: process.send_signal(signal.SIGCONT if on else signal.SIGSTOP)


@contextlib.contextmanager
def elsewhere(cpu):
    """The disk's server keeps off that CPU, and so do the kernel's threads that work for it."""
    here = os.sched_getaffinity(0)
    mask = f"{sum(1 << one for one in here - {cpu} or here):x}"
    tasks = [int(task) for task in os.listdir("/proc/self/task")]
    for task in tasks:
        os.sched_setaffinity(task, here - {cpu} or here)
    try:
        with split.setting(WORKERS, mask) if os.path.exists(WORKERS) else contextlib.nullcontext():
            yield
    finally:
        for task in tasks:
            with contextlib.suppress(ProcessLookupError):
                os.sched_setaffinity(task, here)
