"""Swap that compresses: what zram makes of random and of half compressible pages; and zswap in front of a disk, where the kernel has it."""
from paging.report import Run, check_ran

COMMON = "--set=64M --limit=32M --thp=never --page-cluster=0 --read-ratio=100 --cold --duration=1s"
FILLS = {"random": ("random", 1.0), "half": ("compressible:50", 0.5), "quarter": ("compressible:75", 0.25)}
STEPS = [("zram", "".join(f"paging zram_{name} --swap=zram:128M --fill={fill} {COMMON}\n" for name, (fill, _) in FILLS.items()))]
# What zswap holds counts against the limit too, and its zbud puts two pages into one at best: a set twice the limit would be killed.
ZSWAP = COMMON.replace("--set=64M", "--set=44M")
ZSWAP_STEPS = [("zswap", "".join(f"paging zswap_{on} --swap=dev:$NVME --fill=compressible:75 --zswap={on} {ZSWAP}\n" for on in ("on", "off")))]


def check_all(check, texts):
    for name, (fill, wanted) in FILLS.items():
        run = Run(texts, f"zram_{name}")
        check_ran(check, run, f"zram, {fill}")
        swap = run.swap()
        ratio = swap.get("compressed_bytes", 0) / max(1, swap.get("stored_bytes", 0))
        check(abs(ratio - wanted) < 0.08, f"zram: {fill} is stored as {wanted:.2f} of its size", f"{ratio:.3f}: {swap}")
        check(run.accesses("major") > 100, f"zram, {fill}: major faults", run.shown())


def check_zswap(check, texts):
    on, off = Run(texts, "zswap_on"), Run(texts, "zswap_off")
    check_ran(check, on, "zswap on")
    check_ran(check, off, "zswap off")
    came, went = on.paging.get("vmstat", {}).get("zswpin", 0), on.paging.get("vmstat", {}).get("zswpout", 0)
    check(came > 100 and went > 100, "zswap on: pages go to it and come from it", f"in {came}, out {went}")
    vmstat = off.paging.get("vmstat", {})
    check(vmstat.get("zswpout", 1) == 0 and vmstat.get("pswpin", 0) > 100, "zswap off: none", str({k: v for k, v in vmstat.items() if "sw" in k}))
    print(f"     zswap: p50 of a major {on.p50_us('major'):.0f} us with it, {off.p50_us('major'):.0f} us without")
