"""Swap that compresses: what zram makes of random and of half compressible pages."""
from paging.report import Run, check_ran

COMMON = "--set=64M --limit=32M --thp=never --page-cluster=0 --read-ratio=100 --cold --duration=1s"
FILLS = {"random": ("random", 1.0), "half": ("compressible:50", 0.5), "quarter": ("compressible:75", 0.25)}
STEPS = [("zram", "".join(f"paging zram_{name} --swap=zram:128M --fill={fill} {COMMON}\n" for name, (fill, _) in FILLS.items()))]


def check_all(check, texts):
    for name, (fill, wanted) in FILLS.items():
        run = Run(texts, f"zram_{name}")
        check_ran(check, run, f"zram, {fill}")
        swap = run.swap()
        ratio = swap.get("compressed_bytes", 0) / max(1, swap.get("stored_bytes", 0))
        check(abs(ratio - wanted) < 0.08, f"zram: {fill} is stored as {wanted:.2f} of its size", f"{ratio:.3f}: {swap}")
        check(run.accesses("major") > 100, f"zram, {fill}: major faults", run.shown())
