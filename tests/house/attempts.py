"""What measures by the clock wants some milliseconds in which nobody takes the CPU away, and no test can have them at will: it is tried
again where it failed, a few times at most, and each failure is said. What is wrong in the program fails in every attempt. A pass that was
not the first goes to the file FATHOM_LATER_ATTEMPTS as well, which scripts/check shows."""
import functools
import os
import sys
import time
import unittest

MOST = 4


def note(what, attempt):
    path = os.environ.get("FATHOM_LATER_ATTEMPTS")
    if path:
        with open(path, "a") as kept:
            kept.write(f"{os.path.basename(sys.argv[0])} {what}: at attempt {attempt}\n")


def attempts(method):
    """Of a method of unittest.TestCase, which makes all that it uses anew: setUp() is not called again. It runs only with FATHOM_TIMED in
    the environment, which scripts/check sets."""
    @functools.wraps(method)
    def tried(self):
        if "FATHOM_TIMED" not in os.environ:
            self.skipTest("its verdict depends on time: scripts/check timing runs it")
        for attempt in range(1, MOST):
            try:
                method(self)
                break
            except AssertionError as error:
                print(f"attempt {attempt} of {MOST} of {method.__name__}: {str(error)[-1500:]}", flush=True)
                self.doCleanups()
        else:
            attempt = MOST
            method(self)
        if attempt > 1:
            note(method.__name__, attempt)
    return tried


def until_clean(failures, part, *arguments, most=MOST):
    """Calls a part that adds to a list what failed, until an attempt adds nothing; what failed in the last one stays."""
    kept = len(failures)
    for attempt in range(1, most + 1):
        del failures[kept:]
        try:
            part(*arguments)
        except unittest.SkipTest:
            raise
        except Exception as error:  # a class or a part that is missing in what was measured
            if attempt == most:
                raise
            failures.append(repr(error))
            print(f"     {error!r}")
        if len(failures) == kept:
            if attempt > 1:
                note(getattr(part, "__name__", "a part"), attempt)
            return
        if attempt < most:
            print(f"     attempt {attempt} of {most}: once more, what failed above may be the machine's other work", flush=True)


def wait_until(condition, seconds=30):
    """Whether it came true in time."""
    end = time.monotonic() + seconds
    while not condition() and time.monotonic() < end:
        time.sleep(0.01)
    return bool(condition())
