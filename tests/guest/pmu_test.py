# label: guests
# timeout: 1300
# alone: an emulated machine's clock shares out a counter
"""A real perf core sharing out a real counter: Debian's kernel in a guest, with a module of ours (pmu/fathom_test_pmu.c) that registers the
PMUs of two root ports and feeds them from the bytes of the emulated disks behind. One boot runs all experiments; the host judges. The clock
of an emulated machine is at the mercy of the host's other work: what failed is measured again in a boot of its own, twice at most."""
import os
import pathlib
import shutil
import sys
import time

sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], "tests", "house"))
import debian_packages
import machine
from attempts import until_clean
from pmu import classic, counting, delayed, emulated, joined, journal, kernel_module, lies, mix, phase, split

BUILD = pathlib.Path(os.environ.get("FATHOM_BUILD", "build"))
PRELUDE = pathlib.Path(__file__).with_name("pmu") / "prelude.sh"
EXPERIMENTS = [counting, phase, lies, split, joined, journal, delayed, classic, mix]
START = """mount -t tracefs tracefs /sys/kernel/tracing
for i in $(seq 100); do [ -b $NVME ] && [ -b $SLOW ] && [ -b $SATA ] && break; sleep 0.1; done
pmu && echo started
"""

SBIN = "/usr/sbin:/sbin:/usr/bin"

failures = []


def check(condition, what, shown=""):
    print(("ok   " if condition else "FAIL ") + what + ("" if condition or not shown else f": {shown}"))
    if not condition:
        failures.append(what)


def boot(parts, experiments, again=2):
    """QEMU 7.2 sometimes dies of a fault of its own: then it is started again, and said so."""
    steps = [("start", START), *(step for one in experiments for step in one.STEPS)]
    with machine.new_folder() as folder:
        later = {"fathom_test_pmu": kernel_module.built(parts, folder), "null_blk": parts.module("null_blk")}
        guest = emulated.PmuMachine(folder, later, timeout_s=400)
        programs = {"fathom": os.environ["FATHOM"], "guest_pmu": BUILD / "guest_pmu"}
        programs.update({name: shutil.which(name, path=SBIN) for name in ("mkfs.ext4", "dmsetup")})
        programs.update(machine.libbpf())
        guest.run(parts, programs, [(name, PRELUDE.read_text() + text) for name, text in steps])
        if guest.crashed and again > 0:
            print(f"     QEMU itself died (SIGSEGV) in or after the step {list(guest.steps)[-1:]}; once more")
            return boot(parts, experiments, again - 1)
        texts = {name: guest.steps[name].text if name in guest.steps else "" for name, _ in steps}
        if os.environ.get("FATHOM_KEEP"):  # what the guest said, for a look by eye
            for name, text in texts.items():
                pathlib.Path(os.environ["FATHOM_KEEP"], name).write_text(text)
        seconds = {name: round(step.seconds, 1) for name, step in guest.steps.items()}
        print(f"     {guest.boot_s:.1f} s to /init, {guest.wall_s:.1f} s in all; {seconds}")
        check("started" in texts["start"] and guest.finished, "the guest ran all steps and powered itself off", guest.trouble())
        return texts


def measure(parts, left):
    """Boots with the experiments that are left, and takes out of them those whose results are as they should be."""
    before = len(failures)
    texts = boot(parts, left)
    whole = len(failures) == before
    for one in list(left):
        before = len(failures)
        one.check_all(check, texts)
        if whole and len(failures) == before:
            left.remove(one)


def main():
    if os.environ.get("FATHOM_SANITIZE"):
        print("skipped: a sanitized program wants more memory than the guest has; the release build's test runs there")
        return 77
    wanted = [one for one in EXPERIMENTS if len(sys.argv) < 2 or one.__name__.rpartition(".")[2] in sys.argv[1:]]
    try:
        parts = machine.require(debian_packages.FULL_KERNEL)
        begun = time.monotonic()
        until_clean(failures, measure, parts, wanted, most=3)
    except debian_packages.Missing as reason:
        print(f"skipped: {reason}")
        return 77
    print(f"     {time.monotonic() - begun:.1f} s; {len(failures)} failed")
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
