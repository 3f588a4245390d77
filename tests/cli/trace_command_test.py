"""`fathom trace`: what is converted, what is printed where, what is refused, and that memory does not grow with the trace."""
import os
import resource
import struct
import subprocess
import tempfile
import unittest

FATHOM = os.environ["FATHOM"]
DATA = os.path.join(os.environ["FATHOM_SOURCE"], "tests/trace/data")


class TraceCommand(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(dir=os.environ["FATHOM_BUILD"])
        self.addCleanup(holder.cleanup)
        self.folder = holder.name

    def trace(self, *words, status=0, **more):
        done = subprocess.run([FATHOM, "trace", *words], capture_output=True, text=True, timeout=60, cwd=self.folder, **more)
        self.assertEqual(done.returncode, status, f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}")
        return done

    def file(self, name, text):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
            f.write(text)
        return name

    def read(self, name):
        with open(os.path.join(self.folder, name), encoding="utf-8") as f:
            return f.read()

    def test_converts_to_a_file(self):
        done = self.trace("convert", f"{DATA}/journal-commits.blktrace", "-o", "out.log")
        lines = self.read("out.log").splitlines()
        self.assertEqual(lines[:6], ["fio version 3 iolog", "0 7,2 add", "0 7,2 open", "0 7,2 write 0 4096", "3 7,2 sync 0 0",
                                     "3 7,2 write 512000 4096"])
        self.assertEqual(lines[-1].split()[1:], ["7,2", "close"])
        self.assertIn("trace: blktrace, 21 I/Os", done.stdout)
        self.assertIn("FUA flags: the iolog has none", done.stdout)
        self.assertIn("replay with replay_redirect=", done.stdout)
        self.assertEqual(done.stderr, "")

    def test_iolog_on_standard_output_summary_on_standard_error(self):
        done = self.trace("convert", "-", input="0,R,0,4096,100\n0,W,8192,4096,150\n")
        self.assertEqual(done.stdout, "fio version 3 iolog\n0 device0 add\n0 device0 open\n0 device0 read 0 4096\n50 device0 write 8192 4096\n"
                                      "50 device0 close\n")
        self.assertIn("trace: alibaba, 2 I/Os, 8.00 KiB, 1 file\n", done.stderr)
        self.assertIn("depth         not known", done.stderr)

    def test_a_converted_trace_converts_to_itself(self):
        self.trace("convert", f"{DATA}/recorded-twice.iolog3", "-o", "one.log")
        self.trace("convert", "one.log", "-o", "two.log")
        self.assertEqual(self.read("one.log"), self.read("two.log"))
        self.assertEqual(self.read("one.log").count(" read "), 8)

    def test_summary(self):
        text = self.trace("summary", f"{DATA}/depth-9-ramped.blktrace").stdout
        self.assertIn("read          200 (100.0 %), 800 KiB; 4 KiB 100.0 %", text)
        self.assertIn("max 9", text)
        self.assertIn("response      mean", text)

    def test_summary_of_many_sizes(self):
        lines = "".join(f"{i} d read 0 {512 * (1 + i % 6)}\n" for i in range(60))
        text = self.trace("summary", "-", input="fio version 3 iolog\n" + lines).stdout
        self.assertIn("512 B 16.7 %, 1 KiB 16.7 %, 1.5 KiB 16.7 %, 2 KiB 16.7 %, 2 other sizes;", text)

    def test_to_job_is_a_job(self):
        self.trace("to-job", f"{DATA}/nvme-live", "--min-ios=1", "--device=target", "--rate", "-o", "shape.fio")
        self.assertIn("[pid106]", self.read("shape.fio"))
        done = subprocess.run([FATHOM, "run", "--parse-only", "shape.fio"], capture_output=True, text=True, timeout=60, cwd=self.folder, check=False)
        self.assertEqual(done.returncode, 0, done.stderr)

    def test_a_damaged_trace_keeps_what_was_read(self):
        self.file("t", "fio version 3 iolog\n1 d read 0 512\n2 d read x 512\n3 d read 0 512\n")
        done = self.trace("convert", "t", "-o", "out.log", status=2)
        self.assertIn("t:3:10: error: offset `x` is not a number of bytes", done.stderr)
        self.assertIn("1 I/Os", done.stdout)
        self.assertEqual(self.read("out.log").count(" read "), 1)

    def test_what_is_refused(self):
        self.file("t", "hello\n")
        self.file("v1", "0, 0, 512\n")
        self.file("full", "x\n")
        self.assertIn("unknown format", self.trace("convert", "t", status=2).stderr)
        self.assertIn("iolog version 1 is no longer supported", self.trace("convert", "v1", status=2).stderr)
        self.assertIn("no trace given", self.trace("convert", status=2).stderr)
        self.assertIn("no trace format `mrs`", self.trace("convert", "--format=mrs", "t", status=2).stderr)
        self.assertIn("full", self.trace("convert", f"{DATA}/skip.iolog3", "-o", "full", status=2).stderr)
        self.assertEqual(self.read("full"), "x\n")
        self.trace("convert", f"{DATA}/skip.iolog3", "-o", "full", "--force")
        self.assertTrue(self.read("full").startswith("fio version 3"))
        self.assertIn("--output", self.trace("convert", "full", "-o", "full", "--force", status=2).stderr)
        self.assertTrue(self.read("full").startswith("fio version 3"))

    def test_a_name_with_control_characters_is_escaped(self):
        done = self.trace("convert", "-", input="fio version 3 iolog\n1 a\x1b[31m read 0 512\n")
        self.assertNotIn("\x1b", done.stdout + done.stderr)
        self.assertIn("a\\x1b[31m read 0 512", done.stdout)

    def test_memory_does_not_grow_with_the_trace(self):
        """Records of a block trace through a pipe: 12 MiB of them need no more memory than 768 KiB."""
        def grown(records):
            block = b"".join(struct.pack("<IIQQIIIIIHH", 0x65617407, 0, 1000 * i, 8 * (i // 2 % 64), 4096, 0x110001 if i % 2 == 0 else 0x810008, 1, 0x800000, 0, 0, 0)
                             for i in range(1024))
            with subprocess.Popen([FATHOM, "trace", "summary", "-"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as child:
                for _ in range(records // 1024):
                    child.stdin.write(block)
                child.stdin.close()
                text = child.stdout.read().decode()
                _, status, usage = os.wait4(child.pid, 0)
                child.returncode = status
            self.assertEqual(status, 0)
            self.assertIn(f"{records // 2:,} I/Os", text)
            return usage.ru_maxrss
        small, large = grown(1 << 14), grown(1 << 18)
        self.assertLess(large - small, 2048)


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    unittest.main()
