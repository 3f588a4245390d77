#!/usr/bin/python3
# timeout: 300
"""`fathom report`: what a command has printed is printed again from its JSON, byte for byte, in another time zone; and what is no result is
refused with its place."""
import os
import subprocess
import sys
import tempfile
import unittest

FATHOM = os.environ.get("FATHOM", "")
ZONES = ("Asia/Kolkata", "America/St_Johns")
RUN_FORMATS = ("normal", "brief", "verbose", "plot", "plot-ascii", "verbose,plot", "json", "json+", "rows-csv", "markdown",
               "jsonl", "openmetrics", "hdr", "influx", "spdk", "spdk-l", "spdk-ll", "spdk-stats", "normal,json")
OLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "import", "corpus_result_json")
PAGING_FORMATS = ("text", "text-ascii", "json", "json+", "xml", "csv", "pmbench")

RUNS = [
    "run --name=t --ioengine=null --rw=randrw --size=1m",
    "run --name=t --ioengine=sim --rw=randread --size=1m --runtime=2 --time_based",
    "run --name=a --ioengine=null --rw=randrw --size=1m --numjobs=3 --group_reporting --lat_percentiles=1 --bssplit=4k/50:8k/50",
    "run --name=t --directory={dir} --rw=randrw --size=256k --fsync=8 --description=x",
    "run --repeat=3 --name=t --ioengine=null --rw=randread --size=1m",
    "run --name=t --ioengine=null --rw=write --size=256k --rate_iops=1000 --unified_rw_reporting=1",
    "run --name=t --filename={dir}/nothing/there --rw=read --size=4k",
    "run --name=a --ioengine=null --size=64k --name=b --ioengine=psync --filename={dir} --rw=read --size=4k",
    "--name=t --ioengine=null --size=64k --percentile_list=50:99.999",
    "nvme perf --device=soft:ideal --device=soft --number_ios=1000 --iodepth=16 --clock-check=skip",
]
PAGING = [
    "paging --memory=anonymous --duration=1 --map=4M --set=4M --threads=2 --audit=off",
    "paging --duration=0.3 --map=4M --set=4M --repeat=2 --audit=off",
]
# What prints JSON of its own kind, and its text where two calls print the same.
DOCUMENTS = [
    ("clock test --entries=1000 --json", ""),
    ("clock test --entries=1000 --barrier=all --inject=0:+1us --json", ""),
    ("clock sources --json", ""),
    ("pmu stat --output-format=json -o- -e page-faults,task-clock true", ""),
    ("pmu stat --output-format=json -o- -r3 -e page-faults true", ""),
    ("pmu stat --output-format=json -o- --slots -e page-faults true", ""),
    ("pmu stat --output-format=json -o- -I10 -e page-faults sleep 0.05", ""),
    ("doctor --json", ""),
    ("nvme list --json", "nvme list"),
    *((f"nvme {what} --json", f"nvme {what}") for what in ("identify --device=soft", "identify --device=soft/ns=1", "log smart --device=soft",
                                                           "log error --device=soft", "log firmware --device=soft", "log changed-ns --device=soft")),
]


def fathom(words, zone, folder):
    return subprocess.run([FATHOM, *words], capture_output=True, timeout=120, cwd=folder, env={**os.environ, "TZ": zone})


class ReportCommand(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(FATHOM):
            self.skipTest("the program is not built")
        holder = tempfile.TemporaryDirectory(dir=os.environ.get("FATHOM_BUILD", "/var/tmp"))
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def check(self, command, formats):
        """One run in all formats at once; the JSON of them, read back, gives each of the others."""
        stored = os.path.join(self.folder, "stored.json")
        made = fathom([*command.format(dir=self.folder).split(), "--output-format=json", "--output=" + stored], ZONES[0], self.folder)
        self.assertTrue(os.path.getsize(stored) > 0, (command, made.stderr))
        for form in formats:
            with self.subTest(command=command, form=form):
                here = fathom(["report", "--output-format=" + form, stored], ZONES[0], self.folder)
                there = fathom(["report", "--output-format=" + form, stored], ZONES[1], self.folder)
                self.assertEqual((here.returncode, here.stderr), (0, b""))
                self.assertEqual(here.stdout, there.stdout)
        with open(stored, "rb") as file:
            text = file.read()
        self.assertEqual(fathom(["report", "--output-format=json", stored], ZONES[1], self.folder).stdout, text)

    def test_all_formats_of_a_run_are_reproduced(self):
        for command in RUNS:
            both = os.path.join(self.folder, "both.out")
            fathom([*command.format(dir=self.folder).split(), "--output-format=normal,json,json+,spdk-ll", "--output=" + both], ZONES[0], self.folder)
            again = fathom(["report", "--output-format=normal,json,json+,spdk-ll", both], ZONES[1], self.folder)
            with self.subTest(command=command), open(both, "rb") as file:
                self.assertEqual(again.stdout, file.read(), again.stderr)

    def test_every_format_of_a_run_is_reproduced_from_its_json(self):
        for command in RUNS[:2]:
            self.check(command, RUN_FORMATS)

    def test_every_format_of_a_paging_run_is_reproduced(self):
        for command in PAGING:
            out = os.path.join(self.folder, "all.out")
            formats = ",".join(PAGING_FORMATS)
            made = fathom([*command.split(), "--output-format=" + formats, "--output=" + out], ZONES[0], self.folder)
            with self.subTest(command=command), open(out, "rb") as file:
                text = file.read()
                self.assertTrue(text, made.stderr)
                again = fathom(["report", "--output-format=" + formats, out], ZONES[1], self.folder)
                self.assertEqual(again.stdout, text, again.stderr)

    def test_documents_of_other_commands_are_reproduced(self):
        for command, text in DOCUMENTS:
            stored = os.path.join(self.folder, "stored.json")
            made = fathom(command.split(), ZONES[0], self.folder)
            if command.startswith("pmu") and b"perf_event_paranoid" in made.stderr:
                continue  # this user may count nothing
            with open(stored, "wb") as file:
                file.write(made.stdout)
            with self.subTest(command=command):
                self.assertTrue(made.stdout, made.stderr)
                self.assertEqual(fathom(["report", "--output-format=json", stored], ZONES[1], self.folder).stdout, made.stdout)
                here, there = (fathom(["report", stored], zone, self.folder) for zone in ZONES)
                self.assertEqual((here.returncode, here.stderr, here.stdout), (0, b"", there.stdout))
                self.assertTrue(here.stdout)
                if text:
                    self.assertEqual(here.stdout, fathom(text.split(), ZONES[0], self.folder).stdout)

    def test_several_files_standard_input_and_output_are_accepted(self):
        stored, out = os.path.join(self.folder, "a.json"), os.path.join(self.folder, "out")
        fathom(["run", "--name=t", "--ioengine=null", "--size=64k", "--output-format=json", "--output=" + stored], ZONES[0], self.folder)
        one = fathom(["report", stored], ZONES[0], self.folder).stdout
        self.assertIn(b"schema 15", one)
        self.assertEqual(fathom(["report", stored, stored], ZONES[0], self.folder).stdout, one + one)
        self.assertEqual(fathom(["report", "--output=" + out, stored], ZONES[0], self.folder).stdout, b"")
        with open(out, "rb") as file:
            self.assertEqual(file.read(), one)
        with open(stored, "rb") as file:
            run = subprocess.run([FATHOM, "report", "-"], stdin=file, capture_output=True, timeout=60)
        self.assertEqual(run.stdout, one)

    def test_a_directory_means_the_results_in_it(self):
        results = os.path.join(self.folder, "results")
        os.makedirs(os.path.join(results, "more.json"))
        none = fathom(["report", results], ZONES[0], self.folder)
        self.assertEqual((none.returncode, none.stdout), (2, b""))
        self.assertIn(b"is a directory without results", none.stderr)
        texts = []
        for name in "b.json", "a.json":
            path = os.path.join(results, name)
            fathom(["run", "--name=" + name[0], "--ioengine=null", "--size=64k", "--output-format=json", "--output=" + path], ZONES[0], self.folder)
            texts.insert(0, fathom(["report", path], ZONES[0], self.folder).stdout)
        with open(os.path.join(results, "notes.txt"), "w", encoding="ascii") as file:
            file.write("not a result")
        self.assertEqual(fathom(["report", results], ZONES[0], self.folder).stdout, b"".join(texts))
        rows = fathom(["report", "--output-format=rows-csv", results], ZONES[0], self.folder).stdout.decode().splitlines()
        self.assertEqual([row.split(",")[0] == rows[0].split(",")[0] for row in rows], [True] + [False] * (len(rows) - 1), "one line of names")
        with open(os.path.join(results, "c.json"), "w", encoding="ascii") as file:
            file.write("{")
        some = fathom(["report", results], ZONES[0], self.folder)
        self.assertEqual((some.returncode, some.stdout), (0, b"".join(texts)))
        self.assertIn(b"c.json", some.stderr)
        page = os.path.join(self.folder, "all.html")
        fathom(["report", results, "-o", page], ZONES[0], self.folder)
        with open(page, encoding="utf-8") as file:
            text = file.read()
        self.assertIn("results/a.json", text)
        self.assertIn("results/b.json", text)
        for name in "a.json", "b.json":
            os.remove(os.path.join(results, name))
        damaged = fathom(["report", results], ZONES[0], self.folder)
        self.assertEqual((damaged.returncode, damaged.stdout), (2, b""))

    def test_a_result_of_the_schema_before_is_read(self):
        stored = os.path.join(OLDER, "14_sim.json")
        for form in RUN_FORMATS:
            run = fathom(["report", "--output-format=" + form, stored], ZONES[0], self.folder)
            with self.subTest(form=form):
                self.assertEqual((run.returncode, run.stderr), (0, b""))
                if form in ("normal", "json", "html"):
                    self.assertIn(b"read from a result of schema 14, which has no", run.stdout)

    def test_a_result_of_an_older_schema_names_who_reads_it(self):
        stored = os.path.join(self.folder, "7.json")
        with open(os.path.join(OLDER, "14_sim.json"), encoding="utf-8") as file, open(stored, "w", encoding="utf-8") as older:
            older.write(file.read().replace('"schema_version" : 14', '"schema_version" : 7'))
        run = fathom(["report", stored], ZONES[0], self.folder)
        self.assertEqual((run.returncode, run.stdout), (2, b""))
        self.assertRegex(run.stderr, rb"a result of schema 7\n(.*\n)*.*build fathom from commit [0-9a-f]{12}, the last that reads this schema")

    def test_mistakes_are_refused(self):
        for words, what in (
            (["report"], "no FILE"),
            (["report", "/nowhere.json"], "result `/nowhere.json`: No such file"),
            (["report", "--output-format=spam", "{stored}"], "unknown format `spam` for a run"),
            (["report", "--schema=14", "{stored}"], "--schema=14: this option was removed"),
            (["report", "{stored}", "--schema"], "--schema: this option was removed"),
            (["report", "--outptu=x", "{stored}"], "did you mean `--output`"),
            (["run", "--name=t", "--ioengine=null", "--size=4k", "--schema=14"], "--schema=14: this option was removed"),
        ):
            stored = os.path.join(self.folder, "a.json")
            if not os.path.exists(stored):
                fathom(["run", "--name=t", "--ioengine=null", "--size=4k", "--output-format=json", "--output=" + stored], ZONES[0], self.folder)
            run = fathom([word.format(stored=stored) for word in words], ZONES[0], self.folder)
            with self.subTest(words=words):
                self.assertNotEqual(run.returncode, 0)
                self.assertIn(what, run.stderr.decode())
                self.assertEqual(run.stdout, b"")


if __name__ == "__main__":
    sys.exit(unittest.main())
