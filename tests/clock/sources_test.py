"""`fathom clock sources` on this machine: every clock is there, the numbers are possible, and the choice follows from what is said of the
CPU clock."""
import json
import os
import platform
import subprocess
import sys
import unittest

sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], "tests", "house"))
from attempts import attempts  # noqa: E402

FATHOM = os.environ["FATHOM"]
TRUSTED = {"x86_64": "tsc", "aarch64": "arch_sys_counter"}[platform.machine()]
CPU_CLOCKS = {"x86_64": ["cpu: rdtsc", "cpu: rdtscp", "cpu: lfence; rdtsc; lfence"], "aarch64": ["cpu: isb; cntvct_el0"]}[platform.machine()]
KERNEL_CLOCKS = ["clock_gettime: CLOCK_MONOTONIC", "clock_gettime: CLOCK_MONOTONIC_RAW", "gettimeofday"]


def sources(*options):
    return subprocess.run([FATHOM, "clock", "sources", *options], capture_output=True, text=True, timeout=60)


def lists_flags():
    with open("/proc/cpuinfo", encoding="ascii", errors="replace") as file:
        flags = next((line.split() for line in file if line.startswith("flags")), None)
    return flags is None or {"constant_tsc", "nonstop_tsc"} <= set(flags)


def found_unstable():
    """By the kernel's log, where it can be read and an operator's word is no finding."""
    log = subprocess.run(["dmesg"], capture_output=True, text=True, errors="replace").stdout
    return any("Marking TSC unstable due to " in line and "due to boot parameter" not in line for line in log.splitlines())


class ClockSourcesCommand(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.report = json.loads(sources("--json").stdout)
        cls.by_name = {s["name"]: s for s in cls.report["sources"]}

    def test_lists_every_clock(self):
        self.assertEqual(list(self.by_name), CPU_CLOCKS + KERNEL_CLOCKS)
        self.assertEqual([s["name"] for s in self.report["sources"] if s["for_runs"]],
                         [CPU_CLOCKS[0], "clock_gettime: CLOCK_MONOTONIC", "gettimeofday"])

    def test_costs_and_resolutions_are_plausible(self):
        for name, s in self.by_name.items():
            for cost in (s.get("cost_ns", s["cost_ticks"]), s["cost_ticks"]):
                self.assertLess(0, cost["min"], name)
                self.assertLessEqual(cost["min"], cost["p50"], name)
                self.assertLessEqual(cost["p50"], cost["p99"], name)
            self.assertGreater(s["reads"], 0, name)
            if name != "gettimeofday":
                self.assertEqual(s["backward_steps"], 0, name)
        self.assertEqual(self.by_name["gettimeofday"]["resolution_ns"], 1000)

    def test_the_choice_follows_from_the_checks(self):
        cpu, choice = self.report["cpu_clock"], self.report["choice"]
        vouched = cpu["kernel_clocksource"] == TRUSTED or cpu["test_outcome"] == "passed"
        fit = (cpu["invariant"] and lists_flags() and vouched and cpu["test_outcome"] != "failed"
               and (cpu["kernel_clocksource"] == TRUSTED or not found_unstable()) and abs(cpu.get("drift_ppm", 0)) <= 100)
        self.assertEqual(choice["fit"], fit and "ticks_per_second" in cpu)
        self.assertEqual(choice["fell_back"], not choice["fit"])
        self.assertEqual(choice["clocksource"], "cpu" if choice["fit"] else "clock_gettime")
        self.assertTrue(choice["reason"])
        chosen = [s for s in self.report["sources"] if s["chosen"]]
        self.assertEqual([s["clocksource"] for s in chosen], [choice["clocksource"]])

    @attempts
    def test_the_rate_agrees_with_another_processes(self):
        cpu = self.report["cpu_clock"]
        if "ticks_per_second" not in cpu:
            self.skipTest("the CPU clock of this machine cannot be calibrated")
        self.assertLessEqual(cpu["error_ppm"], 100)
        again = json.loads(sources("--json").stdout)["cpu_clock"]
        apart_ppm = abs(again["ticks_per_second"] / cpu["ticks_per_second"] - 1) * 1e6
        self.assertLessEqual(apart_ppm, again["error_ppm"] + cpu["error_ppm"])

    def test_text_names_every_clock_and_the_choice(self):
        out = sources()
        self.assertEqual(out.returncode, 0)
        self.assertIn(f"A run uses {self.report['choice']['clocksource']}: ", out.stdout)
        for name in self.by_name:
            self.assertIn(name, out.stdout)

    def test_an_unknown_option_exits_with_2(self):
        out = sources("--jsn")
        self.assertEqual((out.returncode, out.stdout), (2, ""))
        self.assertIn("--jsn", out.stderr)


if __name__ == "__main__":
    unittest.main()
