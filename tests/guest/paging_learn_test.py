# label: guests
# timeout: 300
# lock: guest
# cost: 85
"""`fathom paging learn` on kernels that have more to see than most hosts: Debian's cloud kernel 6.1 (soft-dirty bits) and the 6.12 that
Debian offers beside it (DAMON, virtual and physical), emulated. A process whose use of memory is known (tests/paging_learn/load.cc) is
observed, and the profile must come near it; DAMON must be off afterwards, also after a SIGKILL and the next start."""
import os
import pathlib
import re
import subprocess
import sys
import time

sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], "tests", "house"))
import debian_packages
import machine
from attempts import until_clean

SOURCE = pathlib.Path(os.environ["FATHOM_SOURCE"])
NEWER = "linux-image-6.12-cloud-amd64", r"linux-image-6\.12[0-9.]*\+deb12-cloud-amd64"
PAGES = 1024
DAMON = "/sys/kernel/mm/damon/admin/kdamonds"
DAMON_IS_OFF = f"[ \"$(cat {DAMON}/nr_kdamonds)\" = 0 ] && [ ! -e /run/fathom-damon ] && echo damon is off"


def observe(theta, reads, move_s, seconds, rate, *options):
    load = f"load {PAGES} {theta} {reads} {move_s} {seconds + 10} {rate}"
    return (f"mkdir -p /run; {load} >/dev/null & sleep 2; fathom paging learn --eta=never --duration={seconds}s {' '.join(options)} --pid=$!; "
            "echo status $?; kill $! 2>/dev/null; wait")


OLD = [
    ("zipf", observe(0.99, 70, 0, 8, 20000)),
    ("even", observe(0, 0, 0, 5, 20000)),
    ("moving", observe(1.2, 50, 3, 14, 20000, "--interval=40ms")),
    ("command", "fathom paging learn --eta=never --duration=3s --output=/tmp/profile -- load 512 0.99 50 0 4 10000; echo status $?; cat /tmp/profile"),
    ("kernel_thread", "fathom paging learn --pid=2; echo status $?"),
    ("no_damon", "sleep 100 & fathom paging learn '--method=DAMON vaddr' --pid=$!; echo status $?; kill $!"),
]
NEW = [
    ("vaddr", observe(0.99, 70, 0, 8, 20000, "--interval=60ms") + f"; {DAMON_IS_OFF}"),
    ("paddr", observe(0.99, 30, 0, 8, 20000, "--interval=60ms", "'--method=DAMON paddr'") + f"; {DAMON_IS_OFF}"),
    ("killed", f"load {PAGES} 0.99 50 0 40 20000 >/dev/null & P=$!; sleep 2; fathom paging learn --eta=never --duration=20s --interval=20ms --pid=$P & "
               f"for i in $(seq 75); do [ \"$(cat {DAMON}/0/state 2>/dev/null)\" = on ] && break; sleep 0.2; done; "
               f"kill -9 $!; wait $!; cat {DAMON}/0/state; fathom paging learn --eta=never --duration=6s --interval=20ms --pid=$P; {DAMON_IS_OFF}; kill $P"),
    ("taken", f"echo 1 > {DAMON}/nr_kdamonds; echo 1 > {DAMON}/0/contexts/nr_contexts; sleep 100 & "
              f"fathom paging learn --eta=never '--method=DAMON vaddr' --pid=$!; echo status $?; cat {DAMON}/nr_kdamonds; echo 0 > {DAMON}/nr_kdamonds; kill $!"),
]

failures = []


def check(condition, what, shown=""):
    print(("ok   " if condition else "FAIL ") + what + ("" if condition or not shown else f": {shown}"), flush=True)
    if not condition:
        failures.append(what)


class Guest(machine.Machine):
    modules = []

    def command(self, guest, archive):
        return ["qemu-system-x86_64", "-machine", "q35", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "512",
                "-nodefaults", "-no-user-config", "-display", "none", "-no-reboot",
                "-serial", f"file:{self.console}", "-serial", "stdio", "-kernel", str(guest.image), "-initrd", str(archive),
                "-append", "console=ttyS0 quiet panic=-1 no_timer_check"]


def compiled_load(folder):
    load = pathlib.Path(folder) / "load"
    sources = [SOURCE / "tests/paging_learn/load.cc", SOURCE / "src/pattern/draws/zipf.cc", SOURCE / "src/pattern/permutation.cc"]
    subprocess.run([os.environ.get("CXX") or "g++", "-std=c++20", "-O2", "-static", f"-I{SOURCE / 'src'}", *map(str, sources), "-o", str(load)], check=True)
    return load


def number(text, name):
    found = re.search(rf"^{name} (-?[\d.e+]+)", text, re.M)
    return float(found.group(1)) if found else float("nan")


def near(step, name, value, tolerance, text):
    found = number(text, name)
    check(abs(found - value) <= tolerance, f"{step}: {name} {found:g}, was {value:g} ± {tolerance:g}", text)


def require(kernel):
    """The newer kernel lies in a folder of its own: among the others it would be taken for the newest of them."""
    parts = machine.require()
    return parts if kernel == debian_packages.KERNEL else debian_packages.Guest(debian_packages.cache_folder() / "newer", kernel)


def run(kernel, steps):
    parts = require(kernel)
    with machine.new_folder() as folder:
        guest = Guest(folder, 39, timeout_s=140)
        guest.run(parts, {"fathom": os.environ["FATHOM"], "load": compiled_load(folder)}, steps)
        check(guest.finished, f"{parts.release}: the guest powered itself off", guest.trouble())
        print(f"     {parts.release}: {guest.boot_s:.1f} s to /init, {guest.wall_s:.1f} s in all")
        for name, step in guest.steps.items():
            print(f"     -- {name}: {step.seconds:.1f} s\n" + "\n".join("       " + line for line in step.lines))
        return {name: step.text for name, step in guest.steps.items()}


def check_old(text):
    check("method soft-dirty" in text["zipf"], "6.1: soft-dirty bits are what there is", text["zipf"])
    near("zipf", "zipf_theta", 0.99, 0.2, text["zipf"])
    near("zipf", "read_percent", 70, 12, text["zipf"])
    even = number(text["even"], "zipf_theta")  # -1: no exponent is written, and the profile plays its pages equally often
    check(abs(even) <= 0.25 or (even == -1 and "learn.not_zipf" in text["even"]), f"even: zipf_theta {even:g}, was 0 ± 0.25, or none", text["even"])
    near("even", "read_percent", 0, 12, text["even"])
    near("moving", "hot_move_s", 3, 1, text["moving"])
    check(number(text["zipf"], "hot_move_s") == 0, "zipf: the hot set stays", text["zipf"])
    check("status 3" in text["command"] and "zipf_theta" in text["command"], "command: observed, written, and its own exit status handed on", text["command"])
    check("kernel thread" in text["kernel_thread"] and "status 0" not in text["kernel_thread"], "a kernel thread is refused", text["kernel_thread"])
    check("kdamond" in text["no_damon"] or "DAMON_SYSFS" in text["no_damon"], "a kernel without DAMON: said so", text["no_damon"])


def check_new(text):
    for step, reads in (("vaddr", 70), ("paddr", 30)):
        check(f"method DAMON {step}" in text[step], f"6.12: DAMON {step}", text[step])
        near(step, "zipf_theta", 0.99, 0.2, text[step])
        near(step, "read_percent", reads, 15, text[step])
        check("damon is off" in text[step], f"{step}: DAMON is off again", text[step])
    check("\non" in "\n" + text["killed"] and "learn.damon_left" in text["killed"] and "damon is off" in text["killed"],
          "killed: what SIGKILL left is restored by the next start", text["killed"])
    check("somebody else" in text["taken"] and "\n1" in text["taken"], "taken: DAMON of others is left alone", text["taken"])


def main():
    if os.environ.get("FATHOM_SANITIZE"):
        print("skipped: a sanitized program wants more memory than the guest has; the release build's test runs there")
        return 77
    begun, ran = time.monotonic(), 0
    for kernel, steps, judge in ((debian_packages.KERNEL, OLD, check_old), (NEWER, NEW, check_new)):
        try:
            require(kernel)
            until_clean(failures, lambda: judge(run(kernel, steps)), most=2)  # how fast the emulated load is, the host's other work decides
            ran += 1
        except debian_packages.Missing as reason:
            print(f"skipped: {reason}")
    print(f"     {time.monotonic() - begun:.1f} s; {len(failures)} failed")
    return 77 if ran == 0 else 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
