# label: test
# cost: 5
"""Replays from a file, a pipe and a socket; what the reports say of them; logs and traces that are refused."""
import json
import os
import pathlib
import socket
import stat
import subprocess
import tempfile
import threading
import unittest

FATHOM = os.environ.get("FATHOM", "fathom")
V3 = "fio version 3 iolog\n0 f add\n0 f open\n"


def ios(count, step_us=100):
    return V3 + "".join(f"{i * step_us} f read {i % 64 * 4096} 4096\n" for i in range(count)) + "9000000 f close\n"


def msr(rows):
    """A trace of MSR Cambridge: (start, response) in microseconds, reads of 4 KiB."""
    return "".join(f"{128166372000000000 + start * 10},host,0,Read,{i % 64 * 4096},4096,{response * 10}\n" for i, (start, response) in enumerate(rows))


class Replay(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="fathom-replay.")
        self.addCleanup(self.folder.cleanup)
        self.cwd = pathlib.Path(self.folder.name)

    def log(self, text, name="log"):
        (self.cwd / name).write_text(text)
        return name

    def run_fathom(self, *arguments, **more):
        return subprocess.run([FATHOM, "run", "--name=r", *arguments], cwd=self.cwd, capture_output=True, text=True, timeout=60, **more)

    def replay(self, *arguments, **more):
        """The result of the replay in JSON."""
        done = self.run_fathom("--ioengine=null", "--output-format=json", "--output=r.json", "--force", *arguments, **more)
        self.assertEqual(done.returncode, 0, done.stderr)
        found = json.loads((self.cwd / "r.json").read_text())["fathom"]
        return found["jobs"][0]["replay"], {finding["id"] for finding in found["findings"]}

    def test_a_pipe_gives_what_the_file_gives(self):
        text = ios(500)
        of_file, _ = self.replay(f"--read_iolog={self.log(text)}")
        of_pipe, _ = self.replay("--read_iolog=-", input=text)
        self.assertEqual(of_file["trace_ios"], 500)
        self.assertNotIn("trace_ios", of_pipe)
        for key in ("format", "replayed_ios", "records", "recorded_ns", "recorded_ios", "to_the_end", "skipped", "started_out_of_order"):
            self.assertEqual(of_file[key], of_pipe[key], key)
        self.assertEqual(of_pipe["replayed_ios"], 500)

    def test_a_socket_is_connected_to(self):
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(str(self.cwd / "s"))
            server.listen()

            def send():
                with server.accept()[0] as peer:
                    peer.sendall(ios(300).encode())

            sender = threading.Thread(target=send)
            sender.start()
            of_socket, _ = self.replay("--read_iolog=s")
            sender.join()
        self.assertEqual(of_socket["replayed_ios"], 300)

    def test_a_trace_that_ends_within_a_line_is_an_error(self):
        for how in ({}, {"input": None}):
            text = ios(100)[:-30] + "77 f rea"
            name = self.log(text) if not how else "-"
            done = self.run_fathom("--ioengine=null", f"--read_iolog={name}", **({"input": text} if how else {}))
            self.assertNotEqual(done.returncode, 0)
            self.assertIn("rea", done.stderr)

    def test_a_stream_skips_files_that_are_named_late(self):
        text = V3 + "10 f read 0 4096\n11 g add\n12 g open\n13 g read 0 4096\n"
        found, findings = self.replay("--read_iolog=-", input=text)
        self.assertEqual(found["replayed_ios"], 1)
        self.assertEqual([skip["records"] for skip in found["skipped"]], [1])
        self.assertIn("replay.skipped", findings)

    def test_a_pipe_has_one_reader(self):
        done = self.run_fathom("--ioengine=null", "--read_iolog=-", "--numjobs=2", input=ios(10))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("second time", done.stderr + done.stdout)

    def test_every_text_has_the_fidelity(self):
        self.log(ios(200))
        text = self.run_fathom("--ioengine=null", "--read_iolog=log").stdout
        for words in ("replay r: 200 of 200 I/Os of `log` (iolog-3)", "lateness: p50", "order: started in the recorded order"):
            self.assertIn(words, text)
        self.assertEqual(self.run_fathom("--ioengine=null", "--read_iolog=log", "--report=page.html").returncode, 0)
        page = (self.cwd / "page.html").read_text()
        for words in ("Replay of r", "Lateness of r", "I/Os of r by time"):
            self.assertIn(words, page)

    def test_the_sizes_of_a_trace_are_not_those_of_a_distribution(self):
        self.log(V3 + "".join(f"{i * 10} f read {i % 64 * 65536} {4096 if i % 50 else 65536}\n" for i in range(3000)))
        found, findings = self.replay("--read_iolog=log")
        self.assertEqual(found["replayed_ios"], 3000)
        self.assertEqual({name for name in findings if name.startswith("delivery.")}, set())

    def closed(self, rows, *arguments):
        """Of a target that needs 100 us for each I/O, with a clock that has no noise."""
        self.log(msr(rows), "log.csv")
        sim = ("--ioengine=sim", "--sim_latency=const:100us", "--replay_redirect=f", "--read_iolog=log.csv", "--replay_loop=closed")
        return self.replay(*sim, *arguments)

    # effect: replay_loop
    def test_a_closed_loop_keeps_pauses_instead_of_times(self):
        chain = [(i * 1500, 1000) for i in range(101)]  # 500 us after each completion
        found, findings = self.closed(chain)
        self.assertEqual((found["replayed_ios"], found["pace"], found["recorded_ns"]), (101, "closed loop", 150_000_000))
        self.assertAlmostEqual(found["replayed_ns"], 100 * 600_000, delta=2_000)
        self.assertEqual((found["depth"], found["recorded_depth"], found["late_ios"], found["started_out_of_order"]), (1, 1, 0, 0))
        self.assertNotIn("replay.late", findings)
        found, _ = self.closed(chain, "--replay_time_scale=50")
        self.assertAlmostEqual(found["replayed_ns"], 100 * 1_100_000, delta=2_000)
        found, _ = self.closed(chain, "--replay_no_stall=1")
        self.assertEqual(found["pace"], "closed loop, no pauses")
        self.assertAlmostEqual(found["replayed_ns"], 100 * 100_000, delta=2_000)

    def test_a_closed_loop_keeps_the_recorded_depth(self):
        # Four I/Os at once; each time all have completed, 200 us later, four more.
        found, _ = self.closed([(i // 4 * 3200, 3000) for i in range(80)])
        self.assertEqual((found["depth"], found["recorded_depth"]), (4, 4))
        self.assertAlmostEqual(found["replayed_ns"], 19 * 300_000, delta=4_000)
        # The first of four takes 20 ms, and the others go on beside it.
        found, _ = self.closed([(0, 20_000)] + [(i * 1000, 900) for i in range(1, 19)])
        self.assertAlmostEqual(found["replayed_ns"], 1_000_000 + 17 * 200_000, delta=4_000)

    def test_a_closed_loop_of_one_call_after_another(self):
        self.log(msr([(i * 1000, 100) for i in range(20)]), "log.csv")
        (self.cwd / "f").write_bytes(bytes(64 * 4096))
        done = self.run_fathom("--ioengine=psync", "--replay_redirect=f", "--read_iolog=log.csv", "--replay_loop=closed", "--replay_no_stall=1")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("20 of 20 I/Os of `log.csv` (msr); pace: closed loop, no pauses (replay_no_stall)", done.stdout)

    def test_a_closed_loop_without_completions_is_refused(self):
        self.log(ios(10))
        done = self.run_fathom("--ioengine=null", "--read_iolog=log", "--replay_loop=closed")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("replay_loop=closed, and the trace `log` (iolog-3) has no completions", done.stderr)
        done = self.run_fathom("--ioengine=null", "--read_iolog=log", "--replay_loop=closed", "--gtod_reduce=1")
        self.assertIn("replay_loop=closed in a job that takes no times", done.stderr)

    # effect: merge_blktrace_file merge_blktrace_scalars merge_blktrace_iters
    def test_traces_are_merged_by_time(self):
        self.log(V3.replace(" f ", " a ") + "0 a read 0 4096\n1000 a read 4096 4096\n", "one")
        self.log(V3.replace(" f ", " b ") + "300 b write 0 4096\n", "two")
        found, _ = self.replay("--read_iolog=one:two", "--merge_blktrace_file=both", "--merge_blktrace_scalars=50:100", "--merge_blktrace_iters=2:1", "--numjobs=2")
        self.assertEqual((found["trace"], found["format"], found["trace_ios"], found["replayed_ios"]), ("both", "merged", 5, 5))
        ios_of = [line.split() for line in (self.cwd / "both").read_text().splitlines() if " read " in line or " write " in line]
        self.assertEqual([(line[0], line[1]) for line in ios_of], [("0", "a"), ("300", "b"), ("500", "a"), ("500", "a"), ("1000", "a")])
        again, _ = self.replay("--read_iolog=both")
        self.assertEqual(again["replayed_ios"], 5)

    def test_a_merge_is_refused_where_it_would_lose_something(self):
        self.log(ios(5), "one")
        self.log(ios(5), "two")
        merge = ("--ioengine=null", "--read_iolog=one:two")

        def refused(*arguments, **more):
            done = self.run_fathom(*merge, *arguments, **more)
            self.assertNotEqual(done.returncode, 0)
            return done.stderr

        self.assertIn("one", refused("--merge_blktrace_file=one", "--force"))
        self.assertEqual((self.cwd / "one").read_text(), ios(5))
        self.assertIn("merge_blktrace_scalars has another number of values", refused("--merge_blktrace_file=m", "--merge_blktrace_scalars=50"))
        self.assertIn("not a whole number", refused("--merge_blktrace_file=m", "--merge_blktrace_iters=1:1.5"))
        self.assertIn("read a second time", refused("--merge_blktrace_file=m", "--read_iolog=-:two", input=ios(5)))
        self.log("mine\n", "kept")
        refused("--merge_blktrace_file=kept")
        self.assertEqual((self.cwd / "kept").read_text(), "mine\n")

    def test_a_trace_is_not_overwritten(self):
        self.log(ios(5))
        for option in ("--write_iolog=log", "--output=log"):
            done = self.run_fathom("--ioengine=null", "--read_iolog=log", option, "--force")
            self.assertNotEqual(done.returncode, 0, option)
            self.assertEqual((self.cwd / "log").read_text(), ios(5))

    def test_a_log_is_never_appended_to(self):
        job = ("--filename=f", "--size=64k", "--rw=write", "--write_iolog=w")
        self.assertEqual(self.run_fathom(*job).returncode, 0)
        first = (self.cwd / "w").read_text()
        again = self.run_fathom(*job)
        self.assertNotEqual(again.returncode, 0)
        self.assertEqual((self.cwd / "w").read_text(), first)
        self.assertEqual(self.run_fathom(*job, "--force").returncode, 0)
        self.assertEqual((self.cwd / "w").read_text().count("fio version"), 1)

    def test_a_device_of_the_trace_that_is_missing(self):
        self.log(ios(10).replace(" f ", " /dev/fathom-none "))
        self.log("[first]\nread_iolog=log\nioengine=psync\n", "job.fio")
        done = subprocess.run([FATHOM, "run", "job.fio"], cwd=self.cwd, capture_output=True, text=True, timeout=60)
        self.assertNotEqual(done.returncode, 0)
        self.assertIn("job.fio:1:", done.stderr, "the place of the job")
        self.assertIn("`/dev/fathom-none` does not exist", done.stderr)
        self.assertIn("replay_redirect=", done.stderr)

    def test_writes_to_a_device_need_its_name(self):
        device = self.cwd / "device"
        try:
            os.mknod(device, 0o600 | stat.S_IFCHR, os.makedev(240, 99))  # of no driver: nothing could be written
        except PermissionError:
            self.skipTest("mknod needs root")
        self.log(f"fio version 3 iolog\n0 {device} add\n0 {device} open\n10 {device} write 0 4096\n")
        done = self.run_fathom("--read_iolog=log", "--ioengine=psync")
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(str(device), done.stderr)
        self.assertIn("allow-destructive", done.stderr)


if __name__ == "__main__":
    unittest.main()
