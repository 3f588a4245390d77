"""`fathom clock test` and `--cpuclock-test` as a user sees them: text, JSON, exit status, mistakes, a clock made wrong, Valgrind, and the
shape of fio's lines beside Debian's fio. What the CPUs are busy with decides how small an offset shows, so a pass is asked for what it
claims and not for a number."""
# label: quick
# timeout: 600
import html
import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reference"))
import recorded  # noqa: E402

FATHOM = os.environ["FATHOM"]
CPUS = sorted(os.sched_getaffinity(0))
FOLDER = tempfile.TemporaryDirectory(prefix="fathom-clock-")
ENVIRONMENT = {**os.environ, "XDG_RUNTIME_DIR": FOLDER.name}
ATTEMPTS = 40


def clock(*arguments, prefix=()):
    return subprocess.run([*prefix, FATHOM, "clock", *arguments], capture_output=True, text=True, timeout=150, env=ENVIRONMENT)


def tested(*arguments):
    """(exit status, report) of the first attempt in which the CPUs could be compared."""
    for _ in range(ATTEMPTS):
        done = clock("test", "--json", *arguments)
        report = json.loads(done.stdout)
        if report["verdict"] != "not tested":
            break
    return done.returncode, report


def line_shapes(text):
    """The `cs:` lines and those below a mismatch byte for byte, but numbers as N and a CPU's column as its width; repeated ones once."""
    rows = [row for row in text.split("\n") if row.startswith("cs:") or row.startswith("\t CPU")]
    rows = [re.sub(r"\d+(?!>)", "N", re.sub(r"(?<=cpu|CPU)( *\d+)(?=:)", lambda m: f"<{len(m[1])}>", row)) for row in rows]
    return list(dict.fromkeys(rows))


class ClockTest(unittest.TestCase):
    def test_the_page_has_what_is_printed(self):
        page = pathlib.Path(FOLDER.name, "clock.html")
        done = clock("test", "--entries=1000", f"--report={page}")
        text = page.read_text()
        for line in done.stdout.splitlines():
            self.assertIn(html.escape(line, quote=False).strip(), html.escape(html.unescape(text), quote=False))
        self.assertIn('"format":"fathom clock test"', re.sub(r"\s*([:,])\s*", r"\1", text))
        nowhere = clock("test", "--entries=1000", "--report=/nowhere/clock.html")
        self.assertEqual((nowhere.returncode, nowhere.stdout), (4, ""))
        self.assertIn("/nowhere/clock.html", nowhere.stderr)

    def test_every_allowed_cpu_passes_here(self):
        status, report = tested()
        if report["verdict"] == "not tested":
            self.skipTest(f"in {ATTEMPTS} attempts: {report['words']}")
        self.assertEqual((status, report["verdict"]), (0, "passed"), report["words"])
        self.assertEqual(report["cpus"], CPUS)
        self.assertEqual(report["format_version"], 1)
        result = report["results"][0]
        self.assertEqual(result["mismatches"], 0)
        self.assertEqual(result["entries"], 100000 * len(CPUS))
        self.assertEqual(len(result["pairs"]), len(CPUS) * (len(CPUS) - 1) // 2)
        for pair in result["pairs"]:
            if pair["steadiness"] == "unknown":
                continue
            gaps = [pair[d]["smallest_gap_ticks"] for d in ("a_to_b", "b_to_a")]
            self.assertEqual(pair["detectable_ticks"], max(gaps) + 1, "never claimed smaller than the gap")
            self.assertAlmostEqual(pair["offset_ns"], (pair["a_to_b"]["smallest_gap_ns"] - pair["b_to_a"]["smallest_gap_ns"]) / 2, delta=0.01)
            self.assertAlmostEqual(pair["offset_bound_ns"], (pair["a_to_b"]["smallest_gap_ns"] + pair["b_to_a"]["smallest_gap_ns"]) / 2, delta=0.01)
        self.assertTrue(os.path.isfile(report["stored"]) or report["not_stored"])

    def test_text_states_verdict_bound_and_limits(self):
        done = clock("test", "--entries=1000")
        self.assertRegex(done.stdout, r"^cross-core clock test: (PASSED|NOT TESTED)\n")
        if done.returncode == 0 and len(CPUS) > 1:
            for words in ("time never ran backwards", "smallest gap (ns)", "detectable", "This proves", "It cannot show", " ms\n"):
                self.assertIn(words, done.stdout)
        self.assertIn("verdict not stored: the test was shorter than the default", done.stdout)

    def test_barrier_all_reports_every_barrier(self):
        done = clock("test", "--barrier=all", "--entries=5000")
        self.assertIn("The verdict is that of ", done.stdout)
        names = [row["barrier"] for row in tested("--barrier=all", "--entries=1000")[1]["results"]]
        for name in names:
            self.assertRegex(done.stdout, rf"(?m)^  {name} +\S.* (PASSED|FAILED|NOT TESTED) ")
        self.assertIn("builtin", names)
        if not os.environ.get("FATHOM_SANITIZE"):
            self.assertNotRegex(done.stdout, r"(?m)^  builtin +unknown")

    def test_one_cpu_cannot_be_compared(self):
        status, report = tested(f"--cpus={CPUS[0]}", "--entries=1000")
        self.assertEqual(status, 0)
        self.assertEqual(report["results"][0]["detectable_ticks"], 0)
        self.assertIn("with one CPU no comparison is possible", report["words"])

    @unittest.skipIf(len(CPUS) < 2, "one CPU")
    def test_injected_offsets_are_seen_or_below_what_it_claims(self):
        seen = 0
        for offset in (200, -200, 1000, -1000):
            for _ in range(ATTEMPTS):
                status, report = tested(f"--cpus={CPUS[0]},{CPUS[-1]}", f"--inject={CPUS[-1]}:{offset:+}ns", "--entries=20000")
                result = report["results"][0]
                self.assertEqual(report["stored"], "", "a wrong clock's verdict is not kept")
                if report["verdict"] == "failed":
                    pair = result["pairs"][0]
                    wrong, sound = ("b_to_a", "a_to_b") if offset > 0 else ("a_to_b", "b_to_a")
                    self.assertEqual(status, 1)
                    self.assertEqual(pair[wrong]["mismatches"], result["mismatches"])
                    self.assertEqual(pair[sound]["mismatches"], 0)
                    if "offset_ns" not in pair:
                        continue  # beside other work the CPUs met too rarely for a size
                    self.assertGreater(pair["offset_ns"] * offset, 0)
                    self.assertLessEqual(abs(pair["offset_ns"] - offset), pair["offset_bound_ns"] + 0.5)
                    self.assertEqual(report["injected"][0]["outcome"], "seen")
                    self.assertEqual(result["at_fault"], [], "of two, neither")
                    self.assertIn("the faulty one cannot be identified", report["words"])
                    seen += 1
                    break
                if report["verdict"] == "passed":
                    self.assertGreater(result["detectable_ns"], abs(offset))
        if seen < 4:
            self.skipTest(f"{seen} of 4 offsets seen: these CPUs were too busy for the others")

    @unittest.skipIf(len(CPUS) < 2, "one CPU")
    def test_an_offset_of_20_ns_is_within_the_bound(self):
        status, report = tested(f"--cpus={CPUS[0]},{CPUS[-1]}", f"--inject={CPUS[-1]}:20", "--entries=20000")
        if report["verdict"] == "not tested":
            self.skipTest("the CPUs never ran at the same time")
        pair = report["results"][0]["pairs"][0]
        self.assertEqual(pair["steadiness"], "steady")
        self.assertLessEqual(abs(pair["offset_ns"] - 20), pair["offset_bound_ns"] + 0.5, "what was injected, and no other size of it")
        # CPUs that pass the sequence on in less than 20 ns may see it.
        self.assertEqual((status, report["injected"][0]["outcome"]), (0, "within the bound") if report["verdict"] == "passed" else (1, "seen"))
        if status == 0:
            self.assertGreater(pair["detectable_ns"], 20)

    @unittest.skipIf(len(CPUS) < 2, "one CPU")
    def test_the_line_of_an_injection_agrees_with_the_verdict(self):
        last = CPUS[-1]
        words = {"PASSED": r"within the bound: this test detects offsets of \d+ ns or more", "FAILED": "seen", "NOT TESTED": "not tested, .*"}
        for arguments in ([f"--inject={last}:20", "--entries=20000"], [f"--inject={last}:1us", "--entries=20000"], [f"--inject={last}:1us", "--entries=10"]):
            done = clock("test", f"--cpus={CPUS[0]},{last}", *arguments)
            verdict = re.match(r"cross-core clock test: ([A-Z ]+)\n", done.stdout)[1]
            self.assertRegex(done.stdout, rf"(?m)^  injected: CPU {last} \+\d+ ns: {words[verdict]}$")
        self.assertRegex(clock("test", f"--cpus={last}", f"--inject={last}:1us").stdout, r"(?m)^  injected: .*: not detectable: no other CPU")
        builtin = clock("test", f"--cpus={CPUS[0]},{last}", "--barrier=builtin", f"--inject={last}:5ns").stdout
        self.assertNotRegex(builtin, r"(?m)^  injected: .*: seen$")
        twice = clock("test", f"--inject={last}:1us", f"--inject={last}:2us")
        self.assertEqual((twice.returncode, twice.stdout), (2, ""))
        self.assertIn(f"second injection for CPU {last}", twice.stderr)

    def test_mistakes_are_refused_with_help(self):
        for arguments, words in ((["--cpus=60000"], "it may not be used|may not be used"), (["--cpus=60000"], ",".join(map(str, CPUS))),
                                 (["--entries=0"], "help: "), (["--barrier=x"], "mfence|dsb"), (["--nonsense"], "--help")):
            done = clock("test", *arguments)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, words)
            self.assertEqual(done.stdout, "")
        self.assertEqual(clock().returncode, 2)
        self.assertEqual(clock("tset").returncode, 2)
        self.assertEqual(clock("--help").returncode, 0)
        self.assertIn("to see the test fail", clock("test", "--help").stdout)

    def test_only_cpus_of_the_affinity_mask_are_tested(self):
        done = clock("test", "--json", "--entries=1000", prefix=["taskset", "-c", str(CPUS[-1])])
        self.assertEqual(json.loads(done.stdout)["cpus"], [CPUS[-1]])

    @unittest.skipUnless(shutil.which("valgrind"), "no valgrind")
    @unittest.skipIf(os.environ.get("FATHOM_SANITIZE"), "valgrind and a sanitizer do not go together")
    def test_ends_under_valgrind(self):
        done = clock("test", "--entries=1000", prefix=["valgrind", "-q"])
        self.assertRegex(done.stdout, r"^cross-core clock test: (PASSED|NOT TESTED)\n")
        self.assertEqual(done.stderr, "")


class FioCpuclockTest(unittest.TestCase):
    SHAPES = ["cs: reliable_tsc: (yes|no)", "cs: Testing N CPUs", "cs: cpu<[3-9]>: N clocks seen, first N", r"cs: CPU clock mismatch \(diff=N\):",
              "\t CPU<[3-9]>: TSC=N, SEQ=N", "cs: Pass!", "cs: Failed: N", "cs: (the )?CPUs? .*hardly ran at the same time.*"]

    def run_it(self, program):
        done = subprocess.run([program, "--cpuclock-test"], capture_output=True, text=True, timeout=60)
        self.assertTrue(done.returncode == 0 if "cs: Pass!" in done.stdout else done.returncode == 1, done.stdout[-300:])
        return done.stdout

    def test_lines_have_the_form_of_fio(self):
        text = self.run_it(os.path.join(os.path.dirname(FATHOM), "fio"))
        for shape in line_shapes(text):
            self.assertTrue(any(re.fullmatch(known, shape) for known in self.SHAPES), shape)
        lines = [line for line in text.split("\n") if line.startswith("time ")]
        self.assertRegex("\n".join(lines), r"^(time     \d+ +cycles\[\d+\]=\d+\n){50}time     \d+ +min=\d+, max=\d+, mean=[\d.]+, S=[\d.]+, N=50\n"
                                           r"time     \d+ +trimmed mean=\d+, N=\d+\n")
        for cpu in CPUS:
            self.assertRegex(text, rf"(?m)^cs: cpu{cpu:3}: \d+ clocks seen, first \d+$")

    def test_fio_prints_the_same_forms_of_lines(self):
        def forms(program):
            """The first three, and whether the others are known: which of them there are is the machine's."""
            shapes = line_shapes(self.run_it(program))
            unknown = [shape for shape in shapes if not any(re.fullmatch(known, shape) for known in self.SHAPES)]
            return {"first": [re.sub("yes|no", "(yes|no)", shape) for shape in shapes[:3]], "unknown": unknown}

        theirs = recorded.answer("forms of lines", lambda: forms(recorded.FIO))
        self.assertEqual(theirs["unknown"], [])
        self.assertEqual(forms(os.path.join(os.path.dirname(FATHOM), "fio")), theirs)

    def test_fio_has_these_forms_of_a_mismatch(self):
        """Sound counters make neither program print the lines of a mismatch, so these are held against the text in fio's file."""
        lines = ["\t CPU%3u: TSC=%llu, SEQ=%u\n", "cs: CPU clock mismatch (diff=%llu):\n", "cs: Failed: %lu\n", "cs: Pass!\n"]
        held = recorded.answer("forms of a mismatch", lambda: [line for line in lines if line.encode() in pathlib.Path(recorded.FIO).read_bytes()])
        self.assertEqual(held, lines)


if __name__ == "__main__":
    unittest.main()
