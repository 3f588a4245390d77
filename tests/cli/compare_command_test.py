#!/usr/bin/python3
# timeout: 300
# cost: 40
"""`fathom compare`: the verdict and its exit status from stored results whose numbers are known; real results of fathom, fio and pmbench; and
every kind of file that is no result, beside which the others are still compared."""
import json
import os
import re
import subprocess
import tempfile
import unittest

from compare_files import CORPUS, FATHOM, Results, compare, fathom

STEADY = [100_000, 101_000, 99_000, 100_500, 99_500]
TIMED = os.environ.get("FATHOM_TIMED")  # by scripts/check timing: the CPU time of a busy machine decides nothing
FASTER = [110_000, 111_100, 108_900, 110_600, 109_400]


def widest(text):
    return max(map(len, text.split("\n")))


class CompareCommand(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not os.path.exists(FATHOM):
            raise unittest.SkipTest("the program is not built")
        cls.holder = tempfile.TemporaryDirectory(dir=os.environ.get("FATHOM_BUILD", "/var/tmp"))
        cls.folder = cls.holder.name
        cls.results = Results(cls.folder)

    @classmethod
    def tearDownClass(cls):
        cls.holder.cleanup()

    def verdict(self, a, b, *words, in_turn=True, change_b=None):
        run = compare("--output-format=json", *words, *self.results.pair(a, b, in_turn, change_b))
        self.assertEqual(run.returncode, 0, run.stderr)
        return json.loads(run.stdout)

    def primary(self, *arguments, **named):
        return self.verdict(*arguments, **named)["metrics"][0]["changes"][0]

    def test_verdicts_of_known_numbers(self):
        for a, b, verdict in ((STEADY, FASTER, "faster"), (FASTER, STEADY, "slower"), (STEADY, STEADY, "no change"),
                              (STEADY, [x * f for x, f in zip(STEADY, (0.9, 1.1, 1, 1.08, 0.95))], "cannot tell")):
            with self.subTest(verdict=verdict):
                change = self.primary(a, b)
                self.assertEqual(change["verdict"], verdict, change)
                self.assertLess(change["low_percent"], change["percent"])
                self.assertLess(change["percent"], change["high_percent"])

    def test_what_cannot_be_told_says_how_many_runs_would(self):
        change = self.primary(STEADY, [x * f for x, f in zip(STEADY, (0.98, 1.05, 1.0, 1.04, 0.99))])
        self.assertEqual(change["verdict"], "cannot tell")
        self.assertGreater(change["runs_needed"], 5)
        self.assertIn(f"about {change['runs_needed']} runs per side would be enough", change["reason"])

    def test_margin_decides_what_matters(self):
        b = [x * 1.03 for x in STEADY]
        self.assertEqual(self.primary(STEADY, b)["verdict"], "faster")
        self.assertEqual(self.primary(STEADY, b, "--margin=6%")["verdict"], "no change")

    def test_fewer_than_three_runs_tell_nothing(self):
        for n in (1, 2):
            change = self.primary(STEADY, FASTER[:n])
            self.assertEqual(change["verdict"], "cannot tell")
            self.assertIn("three runs per side", change["reason"])

    def test_sides_that_were_not_in_turn_are_held_to_their_drift(self):
        drifting = [100_000 * (1 + 0.01 * i) for i in range(10)]
        apart = self.verdict(drifting[:5], drifting[5:], in_turn=False)
        self.assertEqual(apart["metrics"][0]["changes"][0]["verdict"], "cannot tell")
        self.assertAlmostEqual(apart["metrics"][0]["changes"][0]["trend_percent"], 1, delta=0.2)
        self.assertTrue(any("not measured in turn" in w for w in apart["warnings"]), apart["warnings"])
        in_turn = self.verdict(drifting[::2], drifting[1::2])
        self.assertFalse(any("in turn" in w for w in in_turn["warnings"]), in_turn["warnings"])
        self.assertIsNone(in_turn["metrics"][0]["changes"][0]["trend_percent"])

    def test_repetitions_are_runs(self):
        paths = []
        for name in "ab":
            paths.append(self.results.path(f"repeat_{name}.json"))
            run = fathom("run", "--name=t", "--ioengine=null", "--size=1m", "--repeat=4", "--clock-check=skip", "--audit=off", "--output-format=json",
                         "--output=" + paths[-1])
            self.assertEqual(run.returncode, 0, run.stderr)
        run = compare("--output-format=json", *paths)
        found = json.loads(run.stdout)
        self.assertEqual([(s["runs"], s["invocations"]) for s in found["sides"]], [(4, 1), (4, 1)])
        self.assertTrue(all(len(s["values"]) == 4 for m in found["metrics"] for s in m["sides"]))
        self.assertTrue(any("one invocation" in w for w in found["warnings"]))
        with open(paths[0]) as file:
            rates = [r["values"] for r in json.load(file)["fathom"]["repeated"] if r["metric"] == "iops"][0]
        for theirs, ours in zip(rates, found["metrics"][0]["sides"][0]["values"]):
            self.assertAlmostEqual(ours / theirs, 1, places=9)

    def test_text_has_the_verdict_first_and_fits(self):
        text = compare(*self.results.pair(STEADY, FASTER)).stdout
        self.assertTrue(text.startswith("B is faster than A: iops +10.0%"), text)
        order = [text.index(words) for words in ("B is faster", "A: ", "runs of 5 files", "facts about jobs and hosts are equal", "verdict", "share of samples", "cumulative share")]
        self.assertEqual(order, sorted(order), text)
        self.assertLessEqual(widest(text), 80, text)

    def test_long_names_fit_too(self):
        long = os.path.join(self.folder, "d" * 120)
        os.makedirs(long, exist_ok=True)
        names = [os.path.join(long, f"é{i}.json") for i in range(4)]
        for i, name in enumerate(names):
            os.replace(self.results.run(f"x{i}.json", 1000 + i, i), name)
        self.assertLessEqual(widest(compare(*names).stdout), 80)

    def test_terminal_gives_the_width(self):
        for columns, most in ((80, 80), (100, 100), (200, 120), (60, 60), (40, 40)):
            program = ("import fcntl, os, pty, struct, sys, termios\n"
                       "pid, fd = pty.fork()\n"
                       "if pid == 0:\n"
                       f"    fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack('HHHH', 24, {columns}, 0, 0))\n"
                       "    os.execv(sys.argv[1], sys.argv[1:])\n"
                       "out = b''\n"
                       "while True:\n"
                       "    try:\n"
                       "        part = os.read(fd, 65536)\n"
                       "    except OSError:\n"
                       "        break\n"
                       "    if not part: break\n"
                       "    out += part\n"
                       "os.waitpid(pid, 0)\n"
                       "sys.stdout.buffer.write(out.replace(b'\\r', b''))\n")
            run = subprocess.run(["python3", "-c", program, FATHOM, "compare", *self.results.pair(STEADY, FASTER)], capture_output=True, text=True, timeout=60)
            self.assertIn("B is faster", run.stdout, run.stderr)
            self.assertLessEqual(widest(run.stdout), most)
            if columns == 100:
                self.assertGreater(widest(run.stdout), 70)

    def test_markdown_is_a_table(self):
        text = compare("--output-format=markdown", *self.results.pair(STEADY, FASTER)).stdout
        self.assertTrue(text.startswith("### B is faster than A: iops +10.0%"), text)
        rows = [line for line in text.split("\n") if line.startswith("|")]
        self.assertGreater(len(rows), 4)
        self.assertEqual(len({row.count("|") for row in rows}), 1, rows)
        self.assertIn("| **iops** | B |", text)

    def test_json_is_reported_again(self):
        path = self.results.path("found.out")
        pair = self.results.pair(STEADY, FASTER)
        self.assertEqual(compare("--output-format=json", "--output=" + path, *pair).stdout, "")
        for form in ("text", "markdown", "json"):
            self.assertEqual(fathom("report", "--output-format=" + form, path).stdout, compare("--output-format=" + form, *pair).stdout)

    def test_conditions_decide_the_exit_status(self):
        for words, status in (([], 0), (["--fail-if=iops<-5%"], 0), (["--fail-if=iops>5%"], 1), (["--fail-if=iops>+20%"], 0), (["--fail-if-unknown"], 0)):
            run = compare(*words, *self.results.pair(STEADY, FASTER))
            self.assertEqual(run.returncode, status, (words, run.stdout, run.stderr))
        run = compare("--fail-if=iops<-5%", *self.results.pair(FASTER, STEADY))
        self.assertEqual(run.returncode, 1)
        self.assertIn("failed: iops<-5% of B", run.stdout)
        doubtful = [x * f for x, f in zip(STEADY, (0.9, 1.1, 1, 1.08, 0.95))]
        for words, status in (([], 0), (["--fail-if-unknown"], 1), (["--fail-if=iops<-1%"], 0), (["--fail-if=iops<-1%", "--fail-if-unknown"], 1),
                              (["--fail-if=iops<-60%", "--fail-if-unknown"], 0)):
            run = compare(*words, *self.results.pair(STEADY, doubtful))
            self.assertEqual(run.returncode, status, (words, run.stdout))

    def test_mistakes_are_usage_errors(self):
        a, b = self.results.pair(STEADY, FASTER)
        for words, what in (([a], "two sides are needed"), ([], "two sides are needed"), (["--metric=clat_p9q", a, b], "no metric"),
                            (["--fail-if=iops", a, b], "is not a condition"), (["--output-format=yaml", a, b], "unknown format"),
                            (["--margin=x", a, b], "margin"), (["--metric=intended_lat_p99", a, b], "not every run has"),
                            (["--fail-if=access_mean>1%", a, b], "not every run has"), (["--nope", a, b], "nope")):
            run = compare(*words)
            self.assertEqual(run.returncode, 2, (words, run.stdout, run.stderr))
            self.assertIn(what, run.stderr)
            self.assertEqual(run.stdout, "")

    def test_unlike_jobs_are_called_unlike(self):
        def other(result):
            result["jobs"][0]["rw"] = "randwrite"
            result["jobs"][0]["iodepth"] = 32
            result["jobs"][0]["options"]["filename"] = "/dev/other"
            result["host"]["kernel"] = "9.9"
        found = self.verdict(STEADY, FASTER, change_b=other)
        differences = {(d["part"], d["name"]): d for d in found["differences"]}
        self.assertEqual(differences["job", "rw"]["values"], ["randread", "randwrite"])
        self.assertTrue(differences["job", "rw"]["unlike"] and differences["job", "iodepth"]["unlike"])
        self.assertFalse(differences["job", "filename"]["unlike"])
        self.assertEqual(differences["host", "kernel"]["values"][1], "9.9")
        text = compare(*self.results.pair(STEADY, FASTER, change_b=other)).stdout
        self.assertIn("The jobs differ: iodepth, rw.", text)
        self.assertEqual(self.verdict(STEADY, FASTER)["differences"], [])

    def test_findings_that_differ_are_told(self):
        def doubted(result):
            result["findings"].append({"id": "rate.late", "severity": "warning", "job": "t", "evidence": "x", "remedy": "", "values": []})
        found = self.verdict(STEADY, FASTER, change_b=doubted)
        self.assertEqual([(d["part"], d["name"], d["values"]) for d in found["differences"]],
                         [("findings", "rate.late", ["no run", "5 of 5 runs"])])

    def test_three_sides_and_a_folder(self):
        folder = os.path.join(self.folder, "side_c")
        os.makedirs(folder, exist_ok=True)
        a, b = self.results.pair(STEADY, FASTER)
        for i, rate in enumerate(STEADY):
            os.replace(self.results.run("c.json", rate, 2 * i), os.path.join(folder, f"{i}.json"))
        run = compare("--output-format=json", a, b, folder)
        found = json.loads(run.stdout)
        self.assertEqual([c["verdict"] for c in found["metrics"][0]["changes"]], ["faster", "no change"])
        self.assertEqual(found["sides"][2]["runs"], 5)
        text = compare(a, b, folder).stdout
        self.assertIn("No change from A to C", text)
        self.assertLessEqual(widest(text), 80)

    def test_files_that_are_no_result_are_told_and_left_out(self):
        with open(self.results.model) as file:
            whole = file.read()
        newer = json.loads(whole)
        newer["fathom"]["schema_version"] = 99
        empty, single = json.loads(whole), json.loads(whole)
        for document, ios in ((empty, 0), (single, 1)):
            document["fathom"]["jobs"][0]["read"]["ios"] = ios
        halted = json.loads(whole)
        halted["fathom"]["interrupted"] = True
        doctor = fathom("doctor", "--json").stdout
        with open(os.path.join(CORPUS, "linux.xml")) as file:
            xml = file.read()
        rows = (
            ("text.json", "hello\n", "not a JSON document"), ("empty.json", "", "an empty file"),
            ("tool.json", '{"tool": "other"}', "not a result of fathom"), ("cut.json", whole[:len(whole) // 2], "truncated file"),
            ("late.json", whole[:-40], "truncated file"), ("newer.json", json.dumps(newer), "newer than this program"),
            ("none.json", json.dumps(empty), "nothing to compare"), ("one.json", json.dumps(single), "too few for a rate or a percentile"),
            ("halted.json", json.dumps(halted), "interrupted"), ("doctor.json", doctor, "not a result of a run"),
            ("page.xml", "<html></html>", "is not pmbench's report"), ("cut.xml", xml[:len(xml) // 2], "cut.xml"),
            ("units.xml", xml, "their units differ"), ("list.json", "[1, 2]", "not a result of fathom"),
        )
        a, b = self.results.pair(STEADY, FASTER)
        for name, text, what in rows:
            path = self.results.path(name)
            with open(path, "w") as file:
                file.write(text)
            with self.subTest(name=name):
                beside = compare(a + "," + path, b)
                said = beside.stderr + beside.stdout
                self.assertEqual(beside.returncode, 0, said)
                self.assertTrue(beside.stdout.startswith("B is faster than A"), said)
                self.assertIn(what, re.sub(r"\s+", " ", said))
                self.assertIn(name, said)
                found = json.loads(compare("--output-format=json", a + "," + path, b).stdout)
                self.assertEqual([(os.path.basename(f["file"])) for f in found["left_out"]], [name])
                alone = compare(a, path)
                self.assertEqual(alone.returncode, 2, said)
                self.assertIn("only side A", alone.stderr)
                third = compare(path, a, b)
                self.assertEqual(third.returncode, 0, third.stderr)
                self.assertTrue(third.stdout.startswith("C is faster than B"), third.stdout)

    def test_files_that_are_not_there_are_told(self):
        a, b = self.results.pair(STEADY, FASTER)
        run = compare(a + ",/no/such.json", b)
        self.assertEqual(run.returncode, 0)
        self.assertIn("/no/such.json", run.stderr)
        self.assertEqual(compare(a, "/no/such.json").returncode, 2)
        os.makedirs(self.results.path("empty_folder"), exist_ok=True)
        run = compare(a, self.results.path("empty_folder"))
        self.assertEqual(run.returncode, 2)
        self.assertIn("empty_folder` is a directory without results", run.stderr)

    def test_one_result_on_both_sides_is_told(self):
        a = self.results.run("same.json", 1000, 0)
        found = json.loads(compare("--output-format=json", a, a).stdout)
        self.assertTrue(any("contain the same result" in w for w in found["warnings"]))
        twice = json.loads(compare("--output-format=json", a + "," + a, a).stdout)
        self.assertEqual(twice["sides"][0]["runs"], 1)
        self.assertEqual(len(twice["left_out"]), 1)

    def test_pmbench_reports_are_compared(self):
        linux, touch = (os.path.join(CORPUS, name) for name in ("linux.xml", "touch.xml"))
        found = json.loads(compare("--output-format=json", linux, linux).stdout)
        self.assertEqual(found["metric"], "access_mean")
        self.assertEqual(found["metrics"][0]["changes"][0]["percent"], 0)
        self.assertEqual([side["buckets"] for side in found["sides"]], ["pmbench"] * 2, "whoever draws them needs to know")
        self.assertEqual(compare(linux, touch).returncode, 0)
        # Of unequal buckets there are no sums.
        ours = self.results.path("ours.json")
        fathom("paging", "--map=4M", "--set=1M", "--accesses=500", "--swap=none", "--output-format=json", f"--output={ours}")
        mixed, alone = json.loads(compare("--output-format=json", f"{linux},{ours}", ours).stdout)["sides"]
        self.assertEqual((mixed.get("histogram_ns"), mixed.get("buckets"), alone.get("buckets")), (None, None, None))
        self.assertTrue(alone["histogram_ns"])

    def test_paging_results_are_compared(self):
        path = self.results.path("paging.json")
        made = fathom("paging", "--duration=0.2", "--map=4M", "--set=4M", "--repeat=3", "--audit=off", "--output-format=json", "--output=" + path)
        self.assertTrue(os.path.getsize(path) > 0, made.stderr)
        found = json.loads(compare("--output-format=json", path, path).stdout)
        self.assertEqual((found["metric"], found["sides"][0]["runs"], found["histogram_of"]), ("access_mean", 3, "access"))

    def test_control_characters_of_a_file_do_not_reach_the_terminal(self):
        def hostile(result):
            result["jobs"][0]["options"]["filename"] = "\x1b[2Jx"
        text = compare(*self.results.pair(STEADY, FASTER, change_b=hostile)).stdout
        self.assertNotIn("\x1b", text)
        self.assertIn("\\x1b", text)

    def test_a_thousand_files_are_quick_and_small(self):
        folders = [self.results.path(f"many_{side}") for side in "ab"]
        for folder in folders:
            os.makedirs(folder, exist_ok=True)
        for i in range(500):
            for side, folder in enumerate(folders):
                os.replace(self.results.run("m.json", 100_000 * (1 + side * 0.05) + i % 7 * 1000, 2 * i + side), os.path.join(folder, f"{i}.json"))
        shown, cpu_s, most_mib = self.held(*folders)
        self.assertIn("500 runs of 500 files", shown)
        print(f"1,000 files: {cpu_s:.2f} s of a CPU, {most_mib:.0f} MiB", flush=True)
        if not os.environ.get("FATHOM_SANITIZE"):
            self.assertLess(most_mib, 300)
        if TIMED:
            self.assertLess(cpu_s, 2)

    def test_two_results_of_ten_repetitions_are_compared_at_once(self):
        sides = [self.results.path(f"ten_{us}.json") for us in (100, 90)]
        for side, us in zip(sides, (100, 90)):
            fathom("run", "--name=t", "--ioengine=sim", f"--sim_latency=exp:{us}us", "--rw=randrw", "--size=1g", "--runtime=1", "--time_based", "--repeat=10", "--audit=off", "--clock-check=skip",
                   "--output-format=json+", f"--output={side}")
        shown, cpu_s, _ = self.held(*sides)
        self.assertIn("10 runs", shown)
        print(f"two results of ten repetitions: {cpu_s * 1e3:.0f} ms of a CPU", flush=True)
        if TIMED:
            self.assertLess(cpu_s, 0.05)

    def held(self, *sides):
        """What a comparison printed, seconds of CPU that it took, and MiB that it held at most."""
        with tempfile.TemporaryFile("w+") as out:
            process = subprocess.Popen([FATHOM, "compare", *sides], stdout=out, stderr=subprocess.STDOUT)
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            out.seek(0)
            shown = out.read()
        self.assertEqual(process.returncode, 0, shown)
        return shown, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024


if __name__ == "__main__":
    unittest.main()
