#!/usr/bin/python3
# timeout: 300
# cost: 25
"""`fathom run --keep` and `fathom history`: what is stored is reported, compared and checked as from a file; and a history that cannot be written
costs neither the run's report nor its status."""
import contextlib
import json
import os
import shutil
import signal
import sqlite3
import subprocess
import tempfile
import unittest

from compare_files import FATHOM, Results

SIM = ("--ioengine=sim", "--rw=randread", "--bs=4k", "--size=4m", "--clock-check=skip", "--audit=off")
NOT_KEPT = 5


class HistoryCommand(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        if not os.path.exists(FATHOM):
            raise unittest.SkipTest("the program is not built")

    def setUp(self):
        holder = tempfile.TemporaryDirectory(dir=os.environ.get("FATHOM_BUILD", "/var/tmp"))
        self.addCleanup(holder.cleanup)
        self.folder = holder.name
        self.environment = {**os.environ, "XDG_DATA_HOME": os.path.join(self.folder, "data"), "TZ": "UTC"}
        self.file = os.path.join(self.folder, "data/fathom/history.db")

    def fathom(self, *words, status=0, program=FATHOM, **more):
        done = subprocess.run([program, *words], capture_output=True, text=True, timeout=120, cwd=self.folder, env=self.environment, **more)
        self.assertEqual(done.returncode, status, f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done

    def history(self, *words, **more):
        return self.fathom("history", *words, **more)

    def keep(self, *words, name="nightly", **more):
        return self.fathom("run", f"--name={name}", *SIM, "--keep", *words, **more)

    def listed(self, *words):
        return json.loads(self.history("list", "--output-format=json", *words).stdout)["runs"]

    def series(self, levels, name="series"):
        """Adds runs with these rates, an hour apart."""
        results = Results(tempfile.mkdtemp(dir=self.folder), "--bs=4k")
        files = [results.run(f"{i:03}.json", rate, 360 * i) for i, rate in enumerate(levels)]
        self.history("add", *files)
        return files

    def steps(self, *levels, runs=15):
        return [level * (1 + 0.004 * (i % 4)) for level in levels for i in range(runs)]

    # --- keep ---

    def test_a_kept_run_is_the_run_that_was_reported(self):
        output = os.path.join(self.folder, "r.json")
        done = self.keep("--output-format=json", f"--output={output}")
        self.assertIn(f"run 1 of the history `{self.file}`", done.stderr)
        self.assertEqual(done.stdout, "")
        with open(output) as file:
            self.assertEqual(self.history("show", "1", "--output-format=json").stdout, file.read())
        run, = self.listed()
        with open(output) as file:
            result = json.load(file)
        self.assertEqual(run["run_id"], result["fathom"]["run_id"])
        self.assertEqual(run["host"], result["fathom"]["host"]["hostname"])
        self.assertEqual(run["job"], "nightly")
        self.assertAlmostEqual(run["iops"] / result["jobs"][0]["read"]["iops"], 1, delta=0.02, msg="fio's time is whole ms")

    def test_every_format_of_a_kept_run_is_that_of_report(self):
        self.keep()
        stored = os.path.join(self.folder, "1.json")
        self.history("show", "1", "--output-format=json", f"--output={stored}")
        for formats in ("normal", "brief", "terse", "json+", "rows-csv", "markdown", "terse,json", "plot"):
            self.assertEqual(self.history("show", "1", f"--output-format={formats}").stdout,
                             self.fathom("report", stored, f"--output-format={formats}").stdout, formats)
        self.assertTrue(self.history("show", "1", "--output-format=html").stdout.startswith("<!DOCTYPE html>"))

    def test_without_keep_nothing_is_stored(self):
        self.fathom("run", "--name=a", *SIM)
        self.assertFalse(os.path.exists(os.path.join(self.folder, "data")))
        done = self.fathom("run", "--name=a", *SIM, "--history=x.db", status=2)
        self.assertIn("--history needs --keep", done.stderr)
        self.assertEqual(done.stdout, "")

    def test_the_usual_file_follows_the_environment(self):
        self.environment["HOME"] = os.path.join(self.folder, "home")
        for data, file in ((None, "home/.local/share/fathom/history.db"), ("relative", "home/.local/share/fathom/history.db"),
                           (os.path.join(self.folder, "there"), "there/fathom/history.db")):
            self.environment.pop("XDG_DATA_HOME", None)
            if data is not None:
                self.environment["XDG_DATA_HOME"] = data
            self.keep()
            self.assertTrue(os.path.exists(os.path.join(self.folder, file)), file)
        del self.environment["HOME"], self.environment["XDG_DATA_HOME"]
        done = self.keep(status=2)
        self.assertIn("neither XDG_DATA_HOME nor HOME", done.stderr)
        self.keep("--history=named.db")
        self.assertTrue(os.path.exists(os.path.join(self.folder, "named.db")))

    def test_the_history_is_no_target_and_no_output(self):
        for words in (["--filename=h.db"], ["--output=h.db"], ["--report=h.db"]):
            done = self.fathom("run", "--name=a", "--rw=write", "--size=64k", "--keep", "--history=h.db", *words, status=2)
            self.assertIn("h.db", done.stderr)
            self.assertFalse(os.path.exists(os.path.join(self.folder, "h.db")), words)
        self.keep("--history=h.db")
        with open(os.path.join(self.folder, "h.db"), "rb") as file:
            before = file.read()
        self.fathom("run", "--name=a", "--rw=write", "--size=64k", "--keep", "--history=h.db", "--filename=h.db", status=2)
        for action in (["list"], ["show", "1"], ["check"], ["compare", "1", "1"]):
            self.history(*action, "--history=h.db", "--output=h.db", "--force", status=2)
        with open(os.path.join(self.folder, "h.db"), "rb") as file:
            self.assertEqual(file.read(), before)

    def test_repetitions_are_one_run(self):
        self.keep("--repeat=3", "--sim_latency=exp:100us")
        run, = self.listed()
        stored = json.loads(self.history("show", "1", "--output-format=json").stdout)["fathom"]["repeated"]
        median = [metric["median"] for metric in stored if metric["metric"] == "iops"][0]
        self.assertAlmostEqual(run["iops"] / median, 1, places=6)

    def test_paging_keeps_too(self):
        self.fathom("paging", "--map=4M", "--set=2M", "--accesses=20000", "--swap=none", "--keep")
        run, = self.listed()
        self.assertEqual(run["job"], "paging uniform")
        self.assertGreater(run["iops"], 0)
        self.assertIn("accesses", self.history("show", "1").stdout)
        done = self.fathom("paging", "breakdown", "--swap=none", "--keep", status=2)
        self.assertIn("--keep", done.stderr)

    def test_nvme_perf_keeps_too(self):
        self.fathom("nvme", "perf", "--device=soft", "--size=4096", "--iodepth=4", "--rw=randread", "--runtime=100ms", "--keep")
        self.assertEqual([run["job"] for run in self.listed()], ["perf"])

    # --- a history that cannot be written ---

    def unharmed(self, *words, says, text=None, **more):
        """A run whose history is refused: the report as without --keep, one error, and a status of its own."""
        done = self.keep("--output-format=json", *words, status=NOT_KEPT, **more)
        self.assertEqual(json.loads(done.stdout)["jobs"][0]["jobname"], "nightly")
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
        self.assertIn("the run is not kept", done.stderr)
        self.assertIn(says, done.stderr)
        return done

    def test_a_file_that_is_no_history(self):
        for name, text in (("text.db", b"no database" * 100), ("short.db", b"x")):
            path = os.path.join(self.folder, name)
            with open(path, "wb") as file:
                file.write(text)
            self.unharmed(f"--history={path}", says="not a database")
            with open(path, "rb") as file:
                self.assertEqual(file.read(), text)
        self.unharmed("--history=/dev/null", says="not a regular file")
        os.mkdir(os.path.join(self.folder, "directory"))
        self.unharmed("--history=directory", says="not a regular file")

    def test_a_newer_schema(self):
        self.keep()
        with contextlib.closing(sqlite3.connect(self.file)) as database:
            database.execute("PRAGMA user_version = 99")
        done = self.unharmed(says="schema 99, this fathom reads up to 1")
        self.assertIn(self.file, done.stderr)
        self.history("list", status=2)

    def test_another_writer(self):
        self.keep()
        with contextlib.closing(sqlite3.connect(self.file, isolation_level=None)) as database:
            database.execute("BEGIN IMMEDIATE")
            self.unharmed(says="another process is writing")
            self.assertEqual(len(self.listed()), 1, "readers do not wait")
            database.execute("ROLLBACK")
        self.keep()
        self.assertEqual(len(self.listed()), 2)

    def test_writers_at_once_store_each_run(self):
        runs = [subprocess.Popen([FATHOM, "run", f"--name=j{i}", *SIM, "--keep"], cwd=self.folder, env=self.environment, stdout=subprocess.DEVNULL,
                                 stderr=subprocess.DEVNULL)
                for i in range(8)]
        self.assertEqual([run.wait(timeout=100) for run in runs], [0] * 8)
        self.assertEqual({run["job"] for run in self.listed()}, {f"j{i}" for i in range(8)})

    def in_mounts(self, script):
        """A shell script in a mount namespace of its own."""
        if os.geteuid() != 0 or subprocess.run(["unshare", "-m", "true"], capture_output=True).returncode != 0:
            self.skipTest("a mount namespace needs root")
        return subprocess.run(["unshare", "-m", "sh", "-c", "mount --make-rprivate / && " + script, "sh", FATHOM, "--name=nightly", *SIM, "--keep",
                               "--output-format=json"], capture_output=True, text=True, timeout=100, cwd=self.folder, env=self.environment)

    def expect_unharmed(self, done, says):
        self.assertEqual(done.returncode, NOT_KEPT, done.stderr)
        self.assertIn("jobname", json.loads(done.stdout)["jobs"][0])
        self.assertEqual(done.stderr.count("error:"), 1, done.stderr)
        self.assertIn(says, done.stderr)

    def test_a_full_disk(self):
        os.mkdir(os.path.join(self.folder, "small"))
        fill = "mount -t tmpfs -o size=200k t small && f=$1 && shift && "
        done = self.in_mounts(fill + '(head -c 200k /dev/zero >small/fill || true) 2>/dev/null; "$f" run "$@" --history=small/h.db')
        self.expect_unharmed(done, "no space left")
        done = self.in_mounts(fill + 'for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20 21 22 23 24 25 26 27 28 29 30; do '
                                     '"$f" run "$@" --history=small/h.db >out 2>err; s=$?; [ $s = 0 ] || break; done; cat out; cat err >&2; '
                                     '"$f" history list --history=small/h.db >list || exit 99; exit $s')
        self.expect_unharmed(done, "no space left")
        with open(os.path.join(self.folder, "list")) as file:
            self.assertRegex(file.read(), r"\n[1-9]\d* of [1-9]\d* runs in small/h.db\n", "the earlier runs are still there")

    def test_a_read_only_home(self):
        os.mkdir(os.path.join(self.folder, "home"))
        done = self.in_mounts('mount -t tmpfs -o ro t home && f=$1 && shift && "$f" run "$@" --history=home/a/h.db')
        self.expect_unharmed(done, "create the directory")
        done = self.in_mounts('mount -t tmpfs -o ro t home && f=$1 && shift && "$f" run "$@" --history=home/h.db')
        self.expect_unharmed(done, "cannot be opened")
        self.keep("--history=home/h.db")
        done = self.in_mounts('mount --bind home home && mount -o remount,ro,bind home && f=$1 && shift && "$f" history list --history=home/h.db >&2 && '
                              '"$f" run "$@" --history=home/h.db')
        self.expect_unharmed(done, "cannot be written")
        self.assertIn("1 of 1 runs", done.stderr)

    def test_fio_mode_keeps_fios_status(self):
        fio = os.path.join(self.folder, "fio")
        os.symlink(FATHOM, fio)
        done = self.fathom("--name=a", *SIM, "--keep", "--history=/dev/null", program=fio)
        self.assertIn("the run is not kept", done.stderr)

    def test_a_run_without_ios_keeps_its_status_and_is_not_stored(self):
        done = self.fathom("run", "--name=a", "--filename=/dev/full", "--rw=write", "--size=64k", "--keep", status=4)
        self.assertIn("nothing was measured", done.stderr)
        self.assertFalse(os.path.exists(self.file))

    def test_a_killed_writer_leaves_a_history(self):
        self.series(self.steps(1000, runs=10))
        with contextlib.closing(sqlite3.connect(self.file, isolation_level=None)) as database:
            database.execute("PRAGMA cache_size = 1")
            process = subprocess.Popen(
                ["/usr/bin/python3", "-c", "import os, signal, sqlite3, sys\n"
                 "d = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
                 "d.execute('PRAGMA cache_size = 1'); d.execute('BEGIN IMMEDIATE')\n"
                 "d.execute('UPDATE results SET packed = zeroblob(length(packed) + 5000)')\n"
                 "os.kill(os.getpid(), signal.SIGKILL)", self.file])
            self.assertEqual(process.wait(timeout=60), -signal.SIGKILL)
        self.assertTrue(os.path.exists(self.file + "-journal"), "a part of the transaction was on the disk")
        self.assertEqual(len(self.listed()), 10)
        self.history("show", "10")
        self.assertFalse(os.path.exists(self.file + "-journal"))

    # --- the actions ---

    def test_results_are_added_once(self):
        files = self.series(self.steps(1000, runs=3))
        self.assertEqual(len(self.listed()), 3)
        again = self.history("add", files[1]).stdout
        self.assertIn("run 2 has this result already", again)
        self.assertEqual(len(self.listed()), 3)

    def test_what_is_no_result_is_named_and_the_others_are_added(self):
        results = Results(tempfile.mkdtemp(dir=self.folder))
        good = results.run("good.json", 1000, 0)
        with open(good) as file:
            cut = file.read()[:500]
        for name, text in (("empty.json", ""), ("cut.json", cut), ("binary.json", "\x00\x01\x02" * 100)):
            path = os.path.join(self.folder, name)
            with open(path, "w") as file:
                file.write(text)
            self.assertIn(name, self.history("add", path, status=2).stderr)
        self.history("add", os.path.join(self.folder, "missing.json"), status=4)
        done = self.history("add", os.path.join(self.folder, "empty.json"), good, status=2)
        self.assertIn("run 1: ", done.stdout)
        doctor = os.path.join(self.folder, "compare.json")
        self.fathom("compare", good, good, "--output-format=json", f"--output={doctor}")
        self.assertIn("compare", self.history("add", doctor, status=2).stderr)
        self.assertEqual(len(self.listed()), 1)

    def test_results_of_fio_and_pmbench_are_added_as_they_are(self):
        source = os.environ["FATHOM_SOURCE"]
        files = [f"{source}/tests/import/data/fio/plus.json", f"{source}/tests/import/data/linux.xml"]
        self.history("add", *files)
        self.history("add", *files)
        self.assertEqual(len(self.listed()), 2)
        for id, file in enumerate(files, 1):
            self.assertEqual(self.history("show", str(id)).stdout, self.fathom("report", file).stdout)

    def test_names_of_runs(self):
        self.keep(), self.keep()
        first = self.listed()[-1]["run_id"]
        self.history("tag", first[:13], "base")
        self.assertEqual(self.listed("--tag=base")[0]["run_id"], first)
        self.assertEqual(self.history("show", "base").stdout, self.history("show", "1").stdout)
        self.assertIn("did you mean `base`", self.history("show", "bsae", status=2).stderr)
        self.assertIn("no run `99`", self.history("show", "99", status=2).stderr)
        self.assertIn("cannot be a tag", self.history("tag", "1", "12", status=2).stderr)
        self.history("tag", "2", "base")
        self.assertIn("2 runs have the tag", self.history("show", "base", status=2).stderr)
        self.history("tag", "--remove", "1", "base")
        self.history("show", "base")
        self.history("delete", "base")
        self.assertEqual([run["id"] for run in self.listed()], [1])
        self.history("delete", "1", "99", status=2)
        self.assertEqual(len(self.listed()), 1, "all or none")

    def test_list_selects_and_fits(self):
        for name in ("a", "b", "b", "c" * 150):
            self.keep(name=name)
        self.assertEqual([run["job"] for run in self.listed("--job=b")], ["b", "b"])
        self.assertEqual(len(self.listed("--last=3")), 3)
        self.assertEqual(len(self.listed("--host=nowhere")), 0)
        self.assertIn("no job `d`", self.history("list", "--job=d", status=2).stderr)
        text = self.history("list").stdout
        self.assertIn("4 of 4 runs", text)
        self.assertLessEqual(max(len(line) for line in text.split("\n") if "runs in" not in line), 80, text)

    def test_names_with_control_characters_stay_in_their_line(self):
        self.keep(name="a\x1b[2Jb")
        text = self.history("list").stdout
        self.assertNotIn("\x1b", text)
        self.assertIn("a\\x1b[2Jb", text)

    def test_compare_is_that_of_files(self):
        files = self.series(self.steps(100_000, 110_000, runs=4))
        for id in range(1, 5):
            self.history("tag", str(id), "base")
        words = ("--output-format=json",)
        ours = json.loads(self.history("compare", "base", "5,6,7,8", *words).stdout)
        theirs = json.loads(self.fathom("compare", ",".join(files[:4]), ",".join(files[4:]), *words).stdout)
        self.assertEqual(ours["metrics"], theirs["metrics"])
        self.assertEqual(ours["metrics"][0]["changes"][0]["verdict"], "faster")
        self.history("compare", "base", "5,6,7,8", "--fail-if=iops>+5%", status=1)
        self.history("compare", "base", status=2)
        self.history("compare", "base", "nothing", status=2)

    def test_check_finds_the_run_that_became_slower(self):
        self.series(self.steps(1000, 950))
        done = self.history("check", "--metric=iops", "--output-format=json", status=1)
        series, = json.loads(done.stdout)["series"]
        self.assertEqual((series["job"], series["direction"], series["state"], series["runs"]), ("t", "read", "worse", 30))
        change, = series["changes"]
        self.assertEqual((change["before_id"], change["id"], change["worse"]), (15, 16, True))
        self.assertAlmostEqual(change["percent"], -5, delta=0.2)
        self.assertLess(change["p"], 0.001)
        text = self.history("check", "--metric=iops", status=1).stdout
        self.assertTrue(text.startswith("WORSE: t read iops: -5.0"), text)
        self.assertEqual(self.history("check", "--metric=iops", status=1).stdout, text, "the answer is always the same")

    def test_check_passes_without_a_change_for_the_worse(self):
        self.series(self.steps(1000, 1000))
        self.assertIn("No series is worse", self.history("check", "--metric=iops").stdout)
        self.series(self.steps(950, 1000), name="other")

    def test_check_takes_a_selection(self):
        self.series(self.steps(1000, 950))
        self.history("check", "--metric=iops", "--min-change=10%")
        self.history("check", "--metric=iops", "--last=10")
        self.history("check", "--metric=iops", "--since=16")
        self.history("check", "--metric=iops", "--since=1", status=1)
        self.history("check", "--direction=write")
        self.assertIn("did you mean `--metric=iops`", self.history("check", "--metric=iosp", status=2).stderr)
        self.history("check", "--job=x", status=2)
        self.history("tag", "16", "accepted")
        self.history("check", "--metric=iops", "--since=accepted")

    def test_stored_texts_are_those_of_the_command(self):
        self.series(self.steps(1000, 950))
        for action, status in (("list", 0), ("check", 1)):
            path = os.path.join(self.folder, action + ".json")
            self.history(action, "--output-format=json", f"--output={path}", status=status)
            self.assertEqual(self.fathom("report", path).stdout, self.history(action, status=status).stdout)

    def test_a_missing_history_is_an_error_and_is_not_made(self):
        for words in (["list"], ["check"], ["show", "1"], ["tag", "1", "a"], ["delete", "1"], ["compare", "1", "2"]):
            self.assertIn("no such file", self.history(*words, status=2).stderr)
        self.assertFalse(os.path.exists(self.file))

    def test_mistakes_on_the_command_line(self):
        self.keep()
        for words in ([], ["lst"], ["show"], ["show", "1", "2"], ["tag", "1"], ["add"], ["delete"], ["list", "x"], ["list", "--last=0"],
                      ["check", "--min-change=x"], ["show", "1", "--output-format=xml"]):
            self.assertEqual(self.history(*words, status=2).stdout, "", words)

    def test_output_on_a_full_disk_is_an_error(self):
        self.keep()
        with open("/dev/full", "w") as full:
            for words in (["list"], ["show", "1"], ["check"]):
                done = subprocess.run([FATHOM, "history", *words], stdout=full, stderr=subprocess.PIPE, text=True, env=self.environment, timeout=60)
                self.assertEqual(done.returncode, 4, done.stderr)


if __name__ == "__main__":
    unittest.main()
