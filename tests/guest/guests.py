"""Boots a kernel once for all of its tests. A test is a module in a folder here, and a row of the *_test.py of its kernel. It has
  STEPS                     [(name, shell text)]: what the guest runs
  check_all(check, texts)   the judgment; texts: {step: what it printed}
and, in the module or for its whole folder in __init__.py, what OPTIONAL lists below. A boot runs the steps of its tests one after the other, so each test
takes back what it has changed: mounts, modules, groups, devices. `python3 X_test.py NAME...` runs only some: stack, paging.limit, paging.
FATHOM_KEEP=FOLDER keeps what every step printed."""
import functools
import os
import pathlib
import shutil
import sys
import tempfile
import time
import traceback

sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], "tests", "house"))
import machine
from attempts import note
from debian_packages import Missing

SBIN = "/usr/sbin:/sbin:/usr/bin"
OPTIONAL = {
    "PRELUDE": "",      # shell text before each step
    "MODULES": [],      # of the kernel, inserted before the first step, with what they depend on
    "LATER": [],        # modules that a step inserts: /lib/NAME.ko
    "TOOLS": [],        # programs of this machine: without one the test is skipped
    "PROGRAMS": {},     # {name: path, or a function of (parts, folder) that returns it}
    "FILES": {},        # {path in the guest: function of (parts, folder) that returns its bytes}
    "ATTEMPTS": 1,      # an emulated clock depends on the host's other work: how many boots may measure it
    "check_images": lambda check, images: None,  # judges the disks after the guest's end; {drive: path}
}
CRASHES = 5  # boots more: QEMU 7.2 sometimes dies of a segmentation fault of its own, most often when a controller is reset with requests in flight

failures = []


@functools.cache
def outcome(made, parts, folder):
    """(what a function of PROGRAMS or FILES returns, why it could not); asked once for all tests that share it."""
    try:
        return made(parts, folder), None
    except Missing as reason:
        return None, reason


class Test:
    def __init__(self, module):
        self.module, self.name, self.attempt, self.failed = module, module.__name__, 0, []
        self.steps = [(f"{self.name}.{step}", text) for step, text in module.STEPS]

    def __getattr__(self, name):
        folder = sys.modules[self.module.__package__]
        return getattr(self.module, name, getattr(folder, name, OPTIONAL[name]))

    def check(self, condition, what, shown=""):
        print(("ok   " if condition else "FAIL ") + what + ("" if condition or not shown else f": {shown}"), flush=True)
        if not condition:
            self.failed.append(f"{self.name}: {what}")

    def prepare(self, parts, folder):
        """Sets the programs and files that its steps use, or raises Missing."""
        self.files, self.programs = {}, {tool: shutil.which(tool, path=SBIN) for tool in self.TOOLS}
        for tool, path in self.programs.items():
            if not path:
                raise Missing(f"{tool} is not installed")
        for target, wanted in ((self.programs, self.PROGRAMS), (self.files, self.FILES)):
            for name, made in wanted.items():
                target[name], reason = outcome(made, parts, folder) if callable(made) else (made, None)
                if reason:
                    raise reason
        self.files |= {f"lib/{name}.ko": parts.module(name) for name in self.LATER}
        self.modules = self.MODULES + [name for name, _ in parts.load_order(self.LATER) if name not in self.LATER]

    def ended(self, guest):
        return all(name in guest.steps and guest.steps[name].status is not None for name, _ in self.steps)

    def judge(self, guest):
        seconds = sum(guest.steps[name].seconds for name, _ in self.steps if name in guest.steps)
        print(f"  -- {self.name}: {seconds:.1f} s")
        self.attempt, self.failed = self.attempt + 1, []
        try:
            if self.ended(guest):
                self.module.check_all(self.check, {name.removeprefix(self.name + "."): guest.steps[name].text for name, _ in self.steps})
                self.check_images(self.check, guest.images)
            else:
                self.check(False, "every step ended", "\n".join(line for step in list(guest.steps.values())[-1:] for line in step.lines[-40:]))
        except Exception:  # a report that lacks a part
            self.check(False, "it can be judged", traceback.format_exc())
        if self.failed and self.attempt < self.ATTEMPTS:
            print(f"     attempt {self.attempt} of {self.ATTEMPTS}: once more, the cause may be other work of the host", flush=True)
            return True
        if self.failed:
            print(guest.trouble())
            failures.extend(self.failed)
        elif self.attempt > 1:
            note(self.name, self.attempt)
        return False


def boot(parts, hardware, tests, folder):
    guest = machine.Machine(folder, **hardware)
    merged = {kind: {key: value for test in tests for key, value in getattr(test, kind).items()} for kind in ("programs", "files")}
    modules = list(dict.fromkeys(name for test in tests for name in test.modules))
    guest.run(parts, modules, **merged, steps=[(name, test.PRELUDE + text) for test in tests for name, text in test.steps])
    print(f"     {parts.release}: {guest.boot_s:.1f} s to /init, {guest.wall_s:.1f} s in all", flush=True)
    if os.environ.get("FATHOM_KEEP"):
        for name, step in guest.steps.items():
            pathlib.Path(os.environ["FATHOM_KEEP"], name).write_text(step.text)
    return guest


def measure(parts, hardware, tests):
    """Boots until every test is judged. What failed is measured again in a boot of its own, as is what a boot did not reach."""
    crashes = 0
    while tests:
        with machine.new_folder() as folder:
            guest = boot(parts, hardware, tests, folder)
            missed = [test for test in tests if not test.ended(guest)]
            again = [test for test in tests if test not in missed and test.judge(guest)]
            start = guest.steps.get("start", machine.Step())
            if guest.crashed:
                crashes += 1
                print(f"     QEMU itself died (SIGSEGV) in or after the step {list(guest.steps)[-1:]}: {len(missed)} tests are left", flush=True)
            if missed and (not guest.crashed or crashes > CRASHES):
                guilty = missed[:1] if start.status is not None else list(missed)  # of a guest that did not start, all
                missed = missed[len(guilty):]
                again += [test for test in guilty if test.judge(guest)]
            elif "started" not in start.text or not (guest.finished or guest.crashed):
                failures.append("the guest")
                print(f"FAIL the guest has its disks, and powered itself off: {start.text}\n{guest.trouble()}")
        tests = again + missed


def main(kernel, *boots):
    """boots: (what machine.Machine is given, [module])."""
    if os.environ.get("FATHOM_SANITIZE"):
        print("skipped: a sanitized program wants more memory than the guest has; the release build's test runs there")
        return 77
    begun, ran, wanted = time.monotonic(), 0, set(sys.argv[1:])
    rows = [(hardware, [Test(module) for module in modules]) for hardware, modules in boots]
    known = {name for _, tests in rows for test in tests for name in (test.name, *test.name.split("."))}
    if wanted - known:
        print(f"no such test: {', '.join(wanted - known)} ({', '.join(test.name for _, tests in rows for test in tests)})")
        return 2
    with tempfile.TemporaryDirectory(prefix="fathom-guest-") as folder:
        try:
            parts = machine.require(kernel)
        except Missing as reason:
            print(f"skipped: {reason}")
            return 77
        for hardware, tests in rows:
            ready = []
            for test in tests:
                if wanted and not wanted & {test.name, *test.name.split(".")}:
                    continue
                try:
                    test.prepare(parts, folder)
                    ready.append(test)
                except Missing as reason:
                    print(f"skipped: {test.name}: {reason}")
            measure(parts, hardware, ready)
            ran += len(ready)
    print("\n".join([f"     {time.monotonic() - begun:.1f} s; {ran} tests; {len(failures)} checks failed", *failures]))
    return 1 if failures else 0 if ran else 77
