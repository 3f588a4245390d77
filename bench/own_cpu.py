"""Gives a measured program its CPUs before everything else that runs on them: a session of its own, first in the kernel's grouping by session
(autogroup). Where that is not allowed or does not exist the program runs as any other, and its share of the CPU tells."""
import contextlib
import os


def first_on(cpus):
    """For subprocess's preexec_fn."""
    def prepare():
        os.setsid()
        os.sched_setaffinity(0, cpus)
        with contextlib.suppress(OSError), open("/proc/self/autogroup", "w") as f:
            f.write("-20")
    return prepare
