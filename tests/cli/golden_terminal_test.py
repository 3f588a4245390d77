#!/usr/bin/python3
# timeout: 240
"""Whole reports as a terminal shows them: of 80, 120 and 200 columns, with colour and without, character for character, and no line wider than its terminal. Plain
text stands before all that is drawn, so that who has it read aloud hears it first, and every finding is said once.

The numbers are those of ioengine=sim, whose clock moves by script; what differs from one machine to the next (host, times, process, the rows of a series, which
are made by wall time) is given fixed values in the stored result, so that lines are broken where they would be. FATHOM_REGOLD=1 writes tests/cli/golden_terminal anew;
an escape stands there as \\e."""
import json
import os
import pathlib
import re
import shlex
import subprocess
import tempfile
import unittest

from terminals import ESCAPE, FATHOM, on_terminal, too_wide, width

GOLDEN = pathlib.Path(__file__).with_name("golden_terminal")
COLUMNS = (80, 120, 200)
SIM = ["--ioengine=sim", "--rw=randrw", "--size=16g", "--iodepth=8", "--runtime=10", "--time_based", "--clock-check=skip", "--audit=off"]
HOST = {"hostname": "host", "kernel": "6.1.0", "machine": "x86_64", "cpu_model": "A processor", "distribution": "A distribution 1", "clock_source": "tsc", "governor": "",
        "hypervisor": "", "cpus_online": 2, "cpus_allowed": 2, "memory_bytes": 1 << 34, "page_bytes": 4096, "load_average_1min": 0.25, "devices": []}
FINDINGS = [
    {"id": "memory.max", "severity": "note", "job": "", "evidence": "a limit of memory was in force, and it is said in a sentence that is longer than any line of a narrow terminal",
     "remedy": "run outside of the group", "values": []},
    {"id": "build.unoptimised", "severity": "warning", "job": "sim", "evidence": "the program was built without optimisation: its own cost is in every latency, and "
     "what it says of small ones is not to be relied on, however often it is said", "remedy": "build it with the preset `release`, and measure again", "values": []},
]
REPORTS = {
    "brief": ["report", "--brief", "a.json"],
    "normal": ["report", "a.json"],
    "verbose": ["report", "--verbose", "a.json"],
    "plot": ["report", "--plot", "a.json"],
    "compare": ["compare", "a.json", "b.json"],
}


def settled(document):
    """A stored result, without what differs from one run of it to the next."""
    run = document["fathom"]
    run["program"].update(version="0.1.0", commit="0123456789ab", compiler="GNU 12.2.0", argv=["--name=sim", *SIM])
    run.update(run_id="01234567-89ab-cdef-0123-456789abcdef", time_epoch_ms=1_721_999_912_000, end_epoch_ms=1_721_999_922_000, utc_offset_s=0, host=HOST, findings=FINDINGS)
    for job in run["jobs"]:
        job.update(pid=4242, start_epoch_ms=run["time_epoch_ms"] + 5, usr_cpu_percent=50, sys_cpu_percent=5, context_switches=3, major_faults=0, minor_faults=4)
        job.pop("cpu_wait_percent", None)
        job["process_io"] = {name: 0 for name in job["process_io"]}
        job["delivery"].update(depth_samples=0, full_depth_samples=0)
        for name in ("read", "write"):
            rates = [20_000 - 1500 * (i % 5) for i in range(20)]
            job[name]["series"] = [{"time_ms": 500 * (i + 1), "interval_ms": 500, "bytes": 4096 * ios // 2, "ios": ios // 2} for i, ios in enumerate(rates)]
            job[name]["bandwidth_samples_kib_s"] = job[name]["iops_samples"] = {"min": None, "max": None, "mean": None, "stddev": None, "n": 0}
    return document


def masked(text):
    """The schema's number, which rises with other work; fio's head of a report, which a newer fio may call otherwise, is as it was."""
    return re.sub(r"schema \d+", "schema N", text).replace("\x1b", "\\e")


class GoldenTerminal(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.holder = tempfile.TemporaryDirectory()
        cls.folder = cls.holder.name
        for name, latency in (("a", "exp:100us"), ("b", "exp:120us")):
            cls.run_program("run", "--name=sim", f"--sim_latency={latency}", *SIM, "--output-format=json+", f"--output={name}.json")
            path = pathlib.Path(cls.folder, f"{name}.json")
            path.write_text(json.dumps(settled(json.loads(path.read_text()))))

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    @classmethod
    def run_program(cls, *words):
        return subprocess.run([FATHOM, *words], capture_output=True, text=True, check=True, timeout=60, cwd=cls.folder).stdout

    def shown(self, report, columns, **environment):
        return on_terminal(columns, REPORTS[report], self.folder, **environment)

    def test_terminals_show_what_they_did(self):
        for report in REPORTS:
            for columns in COLUMNS:
                with self.subTest(report=report, columns=columns):
                    vivid = self.shown(report, columns, TERM="xterm")
                    golden = GOLDEN / f"{report}.{columns}.txt"
                    if os.environ.get("FATHOM_REGOLD"):
                        GOLDEN.mkdir(exist_ok=True)
                        golden.write_text(masked(vivid))
                    self.assertEqual(masked(vivid), golden.read_text(), "FATHOM_REGOLD=1 writes it anew")
                    self.assertEqual("\x1b[" in vivid, report != "compare", "colour where a report has some")
                    self.assertEqual(self.shown(report, columns, TERM="xterm", NO_COLOR="1"), ESCAPE.sub("", vivid))

    def test_no_line_is_wider_than_its_terminal(self):
        for report in REPORTS:
            for columns in (60, *COLUMNS, 97):
                with self.subTest(report=report, columns=columns):
                    text = self.shown(report, columns, TERM="xterm")
                    self.assertEqual(too_wide(text, columns), [])
                    self.assertGreater(len(text), 100)
        self.assertEqual(self.shown("plot", 200), self.shown("plot", 120), "120 at most")

    def test_a_line_that_is_too_wide_is_found(self):
        self.assertEqual(too_wide("a" * 80 + "\n" + "b" * 81, 80), ["b" * 81])
        self.assertEqual(too_wide("█" * 120 + "\n" + "█" * 121, 200), ["█" * 121])
        self.assertEqual(width("\x1b[1;31mno\x1b[0m"), 2)

    def test_the_terminal_is_used(self):
        for columns in COLUMNS:
            drawn = self.report("plot", columns)[len(self.report("normal", columns)):]
            self.assertGreaterEqual(max(map(width, drawn.splitlines())), min(columns, 120) - 4)

    # effect: plot
    def test_plain_text_stands_before_all_that_is_drawn(self):
        for columns in COLUMNS:
            normal, plot = self.report("normal", columns), self.report("plot", columns)
            self.assertTrue(plot.startswith(normal), "--plot changes nothing of the text")
            self.assertNotRegex(normal, "[─-▟]")
            drawn = plot[len(normal):]
            self.assertRegex(drawn, r"\nsim read: lat of \d+ I/Os, logarithmic counts\n(?s:.*)\nsim read: lat by percentile\n(?s:.*)\nsim read: in time\n(?s:.*)\nsim write: ")
        self.assertEqual(self.run_program("report", "--output-format=verbose,plot", "a.json"), self.run_program("report", "--verbose", "--plot", "a.json"))

    # effect: verbose
    def test_verbose_is_the_whole_report_and_more(self):
        normal, verbose = self.run_program("report", "a.json"), self.run_program("report", "--verbose", "a.json")
        self.assertTrue(verbose.startswith(normal))
        more = verbose[len(normal):]
        for part in ("details of the run:", "command line       --name=sim", "kernel             6.1.0", "latencies of sim, read:", "p99.99"):
            self.assertIn(part, more)

    def report(self, name, columns):
        """Without the first lines, which stand once more where the report is longer than the terminal."""
        text, first = self.shown(name, columns), self.shown("brief", columns)
        self.assertTrue(text.startswith(first))
        self.assertTrue(text.endswith("\n\n" + first), "the last that is seen is the verdict")
        return text.removesuffix("\n" + first)

    def test_every_finding_is_said_once_below_the_first_lines(self):
        first = self.shown("brief", 80)
        for report in ("normal", "verbose", "plot"):
            text = " ".join(self.report(report, 80).removeprefix(first).split())
            for finding in FINDINGS:
                with self.subTest(report=report, finding=finding["id"]):
                    self.assertEqual(text.count(finding["evidence"][:60]), 1)
        for finding in FINDINGS:
            self.assertEqual(" ".join(first.split()).count(finding["evidence"][:60]), finding["severity"] == "warning")

    # effect: plot verbose brief
    def test_a_run_says_it_as_its_stored_result_does(self):
        for switch in ("--brief", "--verbose", "--plot"):
            for columns in COLUMNS:
                with self.subTest(switch=switch, columns=columns):
                    text = on_terminal(columns, ["run", "--name=t", "--sim_latency=exp:100us", *SIM, switch], self.folder)
                    self.assertEqual(too_wide(text, columns), [])
                    self.assertTrue(text.startswith("  measured randrw, 4 KiB, sim"), text[:200])
                    self.assertEqual("t read: lat by percentile" in text, switch == "--plot")
                    self.assertEqual("latencies of t, read:" in text, switch == "--verbose")
                    self.assertEqual("IO depths" in text, switch != "--brief")
        both = self.run_program("run", "--name=t", "--sim_latency=exp:100us", *SIM, "--plot", "--brief")
        self.assertLess(both.index("  next "), both.index("t read: lat by percentile"))
        self.assertNotIn("IO depths", both)

    def test_fio_mode_is_fios_unless_it_is_asked_for(self):
        words = ["--name=t", "--sim_latency=exp:100us", *SIM]
        fios = lambda text: re.sub(r"pid=.*|cpu  .*", "", text[:text.index("\nfathom 0.")])  # noqa: E731
        plain, drawn = self.run_program(*words), self.run_program(*words, "--plot")
        self.assertEqual(fios(plain), fios(drawn))
        self.assertNotIn("by percentile", plain)
        self.assertIn("\nt read: lat by percentile\n", drawn[drawn.index("\nfathom 0."):])

    def test_other_results_have_no_such_switch(self):
        stored = self.run_program("compare", "a.json", "b.json", "--output-format=json")
        pathlib.Path(self.folder, "c.json").write_text(stored)
        for switch in ("--plot", "--verbose", "--brief"):
            done = subprocess.run([FATHOM, "report", switch, "c.json"], capture_output=True, text=True, cwd=self.folder, timeout=60)
            self.assertIn(f"{switch} works only on runs", done.stderr)
            self.assertEqual((done.returncode, done.stdout), (2, ""))

    def test_a_sweep_keeps_within_its_terminal(self):
        pathlib.Path(self.folder, "job.fio").write_text("[q]\nioengine=sim\nsim_latency=exp:100us\nsim_servers=1\nrw=randread\nsize=1g\niodepth=64\nruntime=5\ntime_based=1\n")
        quiet = ["--repeat=1", "--run-option=--audit=off", "--run-option=--clock-check=skip"]
        for columns in (60, *COLUMNS):
            text = on_terminal(columns, ["sweep", "job.fio", "--over=rate_iops=10%..90%+20%", f"--results=sweep-{columns}", *quiet], self.folder)
            self.assertEqual(too_wide(text, columns), [])
            self.assertIn("┤", text)
            self.assertTrue(text.endswith("\n\n" + text[:text.index("\n\n") + 1]), "the last that is seen is the answer")

    def test_a_sweeps_next_command_fits_and_is_one_command(self):
        pathlib.Path(self.folder, "job.fio").write_text("[q]\nioengine=sim\nsim_latency=exp:100us\nsim_servers=1\nrw=randread\nsize=1g\niodepth=1024\nruntime=2\ntime_based=1\n")
        words = ["--over=rate_iops=1000..2000+1000", "--over=bs=4k,8k", "--slo=lat_p99<1s", "--repeat=1", "--refine=0", "--run-option=--audit=off", "--run-option=--clock-check=skip"]
        text = on_terminal(60, ["sweep", "job.fio", *words, "--results=next"], self.folder)
        self.assertEqual(too_wide(text, 60), [])
        command = re.search(r"(?m)^next: ((?:.*\\\n)*.*)$", text)[1]
        self.assertIn("\\\n", command)
        given = shlex.split(command.replace("\\\n", " "))
        self.assertEqual(given[:3], ["fathom", "sweep", "job.fio"])
        self.assertTrue({"--over=bs=4k,8k", "--slo=lat_p99<1s", "--results=next-2"} <= set(given), given)


if __name__ == "__main__":
    unittest.main()
