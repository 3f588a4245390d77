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

    def test_a_log_is_never_appended_to(self):
        job = ("--filename=f", "--size=64k", "--rw=write", "--write_iolog=w")
        self.assertEqual(self.run_fathom(*job).returncode, 0)
        first = (self.cwd / "w").read_text()
        again = self.run_fathom(*job)
        self.assertNotEqual(again.returncode, 0)
        self.assertEqual((self.cwd / "w").read_text(), first)
        self.assertEqual(self.run_fathom(*job, "--force").returncode, 0)
        self.assertEqual((self.cwd / "w").read_text().count("fio version"), 1)

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
