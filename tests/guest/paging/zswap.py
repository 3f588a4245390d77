"""zswap in front of a disk, which the cloud kernels lack."""
from paging.report import Run, check_ran
from paging.squeeze import COMMON

# What zswap holds counts against the limit too, and its zbud puts two pages into one at best: a set twice the limit would be killed.
ZSWAP = COMMON.replace("--set=64M", "--set=44M")
STEPS = [("zswap", "".join(f"paging zswap_{on} --swap=dev:$NVME --fill=compressible:75 --zswap={on} {ZSWAP}\n" for on in ("on", "off")))]


def check_all(check, texts):
    on, off = Run(texts, "zswap_on"), Run(texts, "zswap_off")
    check_ran(check, on, "zswap on")
    check_ran(check, off, "zswap off")
    came, went = on.paging.get("vmstat", {}).get("zswpin", 0), on.paging.get("vmstat", {}).get("zswpout", 0)
    check(came > 100 and went > 100, "zswap on: pages go to it and come from it", f"in {came}, out {went}")
    vmstat = off.paging.get("vmstat", {})
    check(vmstat.get("zswpout", 1) == 0 and vmstat.get("pswpin", 0) > 100, "zswap off: none", str({k: v for k, v in vmstat.items() if "sw" in k}))
    print(f"     zswap: p50 of a major {on.p50_us('major'):.0f} us with it, {off.p50_us('major'):.0f} us without")
