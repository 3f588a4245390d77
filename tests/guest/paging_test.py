# label: guests
# timeout: 600
# lock: guest
# cost: 105
"""`fathom paging` where this machine cannot try it: under cgroup v2, with two memory nodes, swapping to an NVMe disk; Debian's kernels in
QEMU. The unit tests of memory and its counters run there too, on a kernel years older than most. A first boot has the full kernel, for
zswap, which the cloud kernel of the second lacks, and a CPU on each node. The host judges what the steps printed."""
import os
import pathlib
import sys
import time

import debian_packages
import machine
from paging import box, emulated, limit, placement, sets, squeeze, foreign

BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD", "build"))
PRELUDE = pathlib.Path(__file__).with_name("paging") / "prelude.sh"
START = """mkdir -p /run /sys/fs/cgroup
mount -t cgroup2 none /sys/fs/cgroup
mount -t tracefs tracefs /sys/kernel/tracing
for i in $(seq 100); do [ -b $NVME ] && break; sleep 0.1; done
say start
grep -q memory /sys/fs/cgroup/cgroup.controllers && [ -b $NVME ] && echo started
"""
UNIT = ("unit", "test_paging --gtest_filter='Region.*:Numa.*:FillPage.*:KernelCounts.*:SeriesSampler.*-Region.a_disk*:Region.Timed_fill_is_fast' 2>&1 | grep -v 'OK \\]\\|RUN'\n")

failures = []


def check(condition, what, shown=""):
    print(("ok   " if condition else "FAIL ") + what + ("" if condition or not shown else f": {shown}"))
    if not condition:
        failures.append(what)


def boot(parts, modules, steps, node_cpus=emulated.ALL_ON_THE_FIRST, again=2):
    """{step: what it printed}. QEMU 7.2 sometimes dies of a fault of its own: then it is started again, and said so."""
    steps = [("start", START), *steps]
    with machine.new_folder() as folder:
        guest = emulated.PagingMachine(folder, 240, modules, node_cpus)
        programs = {"fathom": os.environ["FATHOM"], **machine.libbpf()}
        if (BUILD / "test_paging").exists():
            programs["test_paging"] = BUILD / "test_paging"
        guest.run(parts, programs, [(name, PRELUDE.read_text() + text) for name, text in steps])
        if guest.crashed and again > 0:
            print(f"     QEMU itself died (SIGSEGV) in or after the step {list(guest.steps)[-1:]}; once more")
            return boot(parts, modules, steps[1:], node_cpus, again - 1)
        texts = {name: guest.steps[name].text if name in guest.steps else "" for name, _ in steps}
        if os.environ.get("FATHOM_KEEP"):  # what the guest said, for a look by eye
            for name, text in texts.items():
                pathlib.Path(os.environ["FATHOM_KEEP"], name).write_text(text)
        seconds = {name: round(step.seconds, 1) for name, step in guest.steps.items()}
        print(f"     {parts.release}: {guest.boot_s:.1f} s to /init, {guest.wall_s:.1f} s in all; {seconds}")
        check("started" in texts["start"] and guest.finished, "the guest ran all steps and powered itself off", guest.trouble())
        return texts


def check_unit(text):
    if "not found" in text and not (BUILD / "test_paging").exists():
        print("     test_paging is not built: its tests were not run in the guest")
        return
    check("[  PASSED  ]" in text and "FAILED" not in text, "the unit tests of memory and counters pass in the guest", text[-3000:])


def main():
    if os.environ.get("FATHOM_SANITIZE"):
        print("skipped: a sanitized program wants more memory than the guest has; the release build's test runs there")
        return 77
    try:
        cloud, full = machine.require(), machine.require(debian_packages.FULL_KERNEL)
    except debian_packages.Missing as reason:
        print(f"skipped: {reason}")
        return 77
    begun = time.monotonic()
    texts = boot(full, ("nvme",), [*squeeze.ZSWAP_STEPS, *sets.STEPS], emulated.ONE_EACH)
    squeeze.check_zswap(check, texts)
    sets.check_all(check, texts)
    texts = boot(cloud, ("zram", "lzo_rle"), [UNIT, *limit.STEPS, *box.STEPS, *foreign.STEPS, *placement.STEPS, *squeeze.STEPS])
    check_unit(texts["unit"])
    for one in (limit, box, foreign, placement, squeeze):
        one.check_all(check, texts)
    print(f"     {time.monotonic() - begun:.1f} s; {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
