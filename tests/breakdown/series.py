"""What the series of the split share (scripts/check): the machine that a result was made on, where it is kept, and an end that leaves nothing behind."""
import json
import os
import signal
import sys

import split

for folder in ("bench", "tests/reference"):
    sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], folder))
import facts  # noqa: E402


def machine():
    """As it is before the series."""
    return {"machine": facts.machine(), "programs": facts.programs(split.FATHOM)}


def keep(before, told):
    if out := os.environ.get("FATHOM_SOAK_OUT"):
        with open(out, "w", encoding="ascii") as f:
            json.dump({**before, "load_after": os.getloadavg()[0], **told}, f, indent=1)
            f.write("\n")


def leave_nothing_behind():
    """Whoever ends this process has it leave its blocks first, with their devices and groups: a series takes long, and is ended by hand. SIGINT is ignored in what a shell
    starts in the background."""
    for signum in signal.SIGTERM, signal.SIGINT, signal.SIGHUP:
        signal.signal(signum, lambda *_: sys.exit("ended by a signal"))
