"""Reports in mid-run: --status-interval, SIGUSR1, the file fio-dump-status; and the status line's --eta-newline and --eta-interval. Each report is whole:
a JSON object that is parsed alone, terse lines of all jobs, a text with its groups; jobs that are over are in it."""
# label: timing
# cost: 12
# timeout: 240
import json
import os
import pty
import signal
import subprocess
import tempfile
import time
import unittest

FATHOM = os.environ["FATHOM"]
FIO = os.path.join(os.path.dirname(FATHOM), "fio")
FOR_A_SECOND = ["--ioengine=null", "--size=1g", "--time_based", "--runtime=1", "--rate_iops=4000"]
TWO = ["--name=short", "--ioengine=null", "--size=64k", "--name=long", *FOR_A_SECOND]


def documents(text):
    """Objects one after the other, as a reader of the stream takes them: json.JSONDecoder.raw_decode."""
    decoder, at, found = json.JSONDecoder(), 0, []
    while at < len(text):
        value, at = decoder.raw_decode(text, at)
        found.append(value)
        while at < len(text) and text[at].isspace():
            at += 1
    return found


def run(*words, program=FIO, **more):
    done = subprocess.run([program, *words], capture_output=True, timeout=60, **more)
    done.stdout, done.stderr = done.stdout.decode(), done.stderr.decode()  # carriage returns stay
    return done


class StatusInterval(unittest.TestCase):
    # effect: status-interval
    def test_json_is_a_stream_of_objects(self):
        for more in ([], ["--thread=1"], ["--group_reporting", "--numjobs=2", "--iodepth=16"]):
            with self.subTest(more):
                done = run("--status-interval=200ms", "--output-format=json", *TWO, *more)
                self.assertEqual((done.returncode, done.stderr), (0, ""))
                found = documents(done.stdout)
                self.assertGreaterEqual(len(found), 4)
                ios = [document["jobs"][-1]["read"]["total_ios"] for document in found]
                self.assertEqual(ios, sorted(ios))
                self.assertGreater(ios[-2], ios[0])
                self.assertEqual({tuple(job["jobname"] for job in document["jobs"]) for document in found}, {("short", "long")})
                self.assertEqual({document["jobs"][0]["read"]["total_ios"] for document in found}, {16})  # it is over
                last, first = found[-1]["jobs"][-1], found[0]["jobs"][-1]
                self.assertEqual(set(first), set(last))
                for name in ("read", "latency_us", "iodepth_level"):
                    self.assertEqual({key: type(value) for key, value in first[name].items()}, {key: type(value) for key, value in last[name].items()})
                clat = first["read"]["clat_ns"]
                self.assertGreater(clat["N"], 0)
                self.assertLessEqual(clat["min"], clat["percentile"]["50.000000"])
                self.assertTrue(100 <= first["read"]["runtime"] <= 400 or more, first["read"]["runtime"])
                self.assertAlmostEqual(first["read"]["total_ios"] / first["read"]["runtime"], 4 if len(more) < 2 else 8, delta=2)
                self.assertTrue(first.get("eta", 0) <= 1 and last["eta"] == 0)
                ours = found[0]["fathom"]
                self.assertTrue(ours["jobs"][-1]["running"])
                self.assertNotIn("running", ours["jobs"][0])
                self.assertIn("run.so_far", [finding["id"] for finding in ours["findings"]])
                self.assertNotEqual(ours["checks"], "passed")

    def test_cpu_usage_of_a_thread_is_its_own(self):
        """Of two threads one spins and one sleeps."""
        busy = ["--name=busy", "--ioengine=null", "--rw=read", "--size=1g", "--time_based", "--runtime=1"]
        idle = ["--name=idle", "--ioengine=null", "--rw=read", "--size=1g", "--time_based", "--runtime=1", "--rate_iops=100"]
        found = documents(run("--status-interval=600ms", "--output-format=json", "--thread=1", *busy, *idle).stdout)
        used = {job["jobname"]: job["usr_cpu"] + job["sys_cpu"] for job in found[0]["jobs"]}
        self.assertGreater(used["busy"], 20)
        self.assertLess(used["idle"], used["busy"] / 2)

    def test_fathom_report_reads_each_document(self):
        with tempfile.TemporaryDirectory() as folder:
            stream = os.path.join(folder, "stream")
            run("--status-interval=300ms", "--output-format=json", "--output=" + stream, *TWO)
            with open(stream) as file:
                found = documents(file.read())
            self.assertGreaterEqual(len(found), 3)
            one = os.path.join(folder, "one")
            with open(one, "w") as file:
                json.dump(found[1], file)
            again = run("report", "--output-format=terse", one, program=FATHOM)
            self.assertEqual((again.returncode, again.stderr, again.stdout.count("\n")), (0, "", 2))

    def test_a_ramp_is_not_reported(self):
        done = run("--status-interval=250ms", "--output-format=json", "--name=r", *FOR_A_SECOND, "--ramp_time=1")
        first = documents(done.stdout)[0]["jobs"][0]
        self.assertEqual((first["read"]["total_ios"], first["read"]["clat_ns"]["N"]), (0, 0))

    def test_terse_and_text_reports_repeat(self):
        done = run("--status-interval=300ms", "--output-format=terse", *TWO)
        lines = done.stdout.splitlines()
        self.assertGreaterEqual(len(lines), 6)
        self.assertEqual({len(line.split(";")) for line in lines}, {121})
        self.assertEqual([line.split(";")[2] for line in lines[:4]], ["short", "long"] * 2)
        text = run("--status-interval=300ms", *TWO).stdout
        self.assertEqual(text.count("Starting 2 processes"), 1)
        self.assertEqual(text.count("Run status group 0"), len(lines) // 2)
        self.assertRegex(text, r"cpu +: usr=[\d.]+%, sys=[\d.]+%, ctx=\d\d+")

    def test_sigusr1_and_the_dump_file_ask_for_a_report(self):
        with tempfile.TemporaryDirectory() as folder:
            asks = os.path.join(folder, "fio-dump-status")
            for ask in (lambda process: process.send_signal(signal.SIGUSR1), lambda process: open(asks, "w").close()):
                process = subprocess.Popen([FIO, "--output-format=json", "--name=a", *FOR_A_SECOND, "--runtime=2"], stdout=subprocess.PIPE, text=True,
                                           env={**os.environ, "TMPDIR": folder, "TEMP": "/nowhere"})
                time.sleep(0.7)
                ask(process)
                found = documents(process.communicate(timeout=60)[0])
                self.assertEqual((process.returncode, len(found)), (0, 2))
                self.assertLess(found[0]["jobs"][0]["read"]["runtime"], 1900)
                self.assertFalse(os.path.exists(asks))

    def test_too_short_intervals_are_refused(self):
        for words, text in ((["--status-interval=0"], "status interval too small"), (["--eta-interval=100"], "eta interval time too short (250msec min)")):
            done = run(*words, "--name=a", "--ioengine=null", "--size=4k")
            self.assertEqual(done.returncode, 1)
            self.assertIn(text, done.stderr)

    # effect: eta-newline eta-interval eta
    def test_the_status_line_repeats_on_new_lines(self):
        done = run("--eta=always", "--eta-interval=250", "--eta-newline=500ms", "--name=a", *FOR_A_SECOND, "--runtime=2")
        self.assertEqual(done.stderr, "")
        line = done.stdout[done.stdout.find("Jobs: 1"):]
        self.assertGreaterEqual(done.stdout.count("Jobs: 1 (f=1)"), 6)
        self.assertTrue(2 <= len([part for part in line.split("\n") if "[eta " in part]) <= 5, line)
        self.assertIn("\r", line)
        self.assertNotIn("Jobs: 1 (f=1)", run("--eta=always", "--output-format=json", "--name=a", *FOR_A_SECOND).stdout)  # as fio
        main, worker = pty.openpty()
        subprocess.run([FIO, "--eta=never", "--name=a", *FOR_A_SECOND], stdout=worker, stderr=subprocess.DEVNULL, timeout=60)
        self.assertNotIn(b"Jobs: 1 (f=1)", os.read(main, 65536))
        os.close(worker)
        os.close(main)


if __name__ == "__main__":
    unittest.main()
