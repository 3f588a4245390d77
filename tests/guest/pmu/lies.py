"""Planted lies and their clean twins: each lie is caught and named, and where there is none nothing is said."""
from pieces import pieces
from pmu.report import Run

READ = "--direct=1 --filename=$NVME --rw=read --size=64m"

CLEAN = f"""pmu
job clean {READ} --audit=pmu
job clean_write --audit=pmu --direct=1 --filename=$NVME --rw=write --size=64m
job clean_rand --audit=pmu --direct=1 --filename=$NVME --rw=randread --bs=4k --size=16m
"""
FOREIGN = f"""pmu
(while true; do dd if=$NVME of=/dev/null bs=64k iflag=direct count=64 skip=2048 2>/dev/null; done) & other=$!
job foreign {READ} --audit=pmu --runtime=2 --time_based --rate=40m
kill $other
wait
"""
UNIT = f"""pmu units_per_sector=512
job unit_16 {READ} --audit=pmu
pmu units_per_sector=2
job unit_1_16 {READ} --audit=pmu
"""
PORT = f"""pmu
job wrong_port {READ} --audit=pmu:pcie_bdf_300
"""
LINK = f"""pmu
job link_clean {READ} --audit=pmu --audit=link --runtime=5 --time_based
(n=0; while true; do n=$((n + 1)); echo $n >$P/link_errors; sleep 0.02; done) & other=$!
job link_pmu {READ} --audit=pmu --audit=link --runtime=5 --time_based
kill $other
wait
(sleep 0.8; inject 2) &
job link_aer {READ} --audit=pmu --runtime=2 --time_based
wait
echo 4 >/tmp/four
widths="/sys/bus/pci/devices/0000:00:04.0/max_link_width /sys/bus/pci/devices/0000:03:00.0/max_link_width"
for width in $widths; do mount --bind /tmp/four $width; done
job link_slow --audit=auto --direct=1 --filename=$SLOW --rw=read --size=64m
umount $widths
"""
GONE = f"""pmu
(sleep 1.2; echo 1 >$P/gone) &
job gone {READ} --audit=pmu --runtime=2 --time_based
wait
echo 0 >$P/gone
"""
CACHE = """mkfs.ext4 -q -F -E lazy_itable_init=0,lazy_journal_init=0 $SATA
mkdir -p /disk
mount -t ext4 $SATA /disk
dd if=/dev/zero of=/disk/file bs=1M count=32 2>/dev/null
sync
pmu
job cache_direct --audit=pmu --direct=1 --filename=/disk/file --rw=read --size=32m
echo 3 >/proc/sys/vm/drop_caches
dd if=/disk/file of=/dev/null bs=1M 2>/dev/null
job cache_hits --audit=pmu --invalidate=0 --direct=0 --ioengine=psync --iodepth=1 --filename=/disk/file --rw=read --size=32m
umount /disk
"""
STEPS = [("clean", CLEAN), ("foreign", FOREIGN), ("unit", UNIT), ("port", PORT), ("link", LINK), ("gone", GONE), ("cache", CACHE)]

# piece: (verdict of the whole, diagnosis that must be among those named, word of the report)
CAUGHT = {
    "foreign": ("explained", "foreign_io", "dd"),
    "unit_16": ("disagrees", "unit_error_16", ""),
    "unit_1_16": ("disagrees", "unit_error_1_16", ""),
    "wrong_port": ("disagrees", "wrong_port", "pcie_bdf_300"),
    "cache_hits": ("explained", "page_cache", ""),
}
SILENT = ["clean", "clean_write", "clean_rand", "link_clean", "cache_direct"]
LINKS = {"link_pmu": "LCRC_Error", "link_aer": "aer_dev_correctable/BadTLP", "link_slow": "current_link"}


def check_all(check, steps):
    found = pieces(*steps.values())
    runs = {name: Run(found.get(name, "")) for name in [*CAUGHT, *SILENT, *LINKS, "gone"]}
    for name, run in runs.items():
        check(run.errors() == [0], f"{name}: the job ran", run.text[-1500:])
    for name, (verdict, diagnosis, word) in CAUGHT.items():
        run = runs[name]
        check(run.verdict == verdict, f"{name}: verdict {verdict}", run.shown())
        check(diagnosis in run.diagnoses(), f"{name}: named as {diagnosis}", run.shown())
        check(word in run.text, f"{name}: the report says {word}", run.shown())
    for name in SILENT:
        run = runs[name]
        quiet = run.verdict == "agrees" and not run.diagnoses() and not run.audit.get("link")
        quiet = quiet and not any(one.startswith(("audit.", "pcie_pmu.", "link.")) for one in run.findings())
        check(quiet, f"{name}: nothing is said where nothing is wrong", run.shown() + str(run.findings()))
    for name, word in LINKS.items():
        said = str(runs[name].audit.get("link", []))
        check(word in said, f"{name}: the link's trouble is named", runs[name].shown())
    check("lost" in str(runs["gone"].audit), "gone: a counter that vanishes in mid-run is said to be lost", runs["gone"].shown())
