#!/usr/bin/python3
# label: timing
# timeout: 240
# cost: 15
"""A page of 10,000 files, and of one that is far too large among others: what cannot be read is told by its name, all others are shown, and time and memory are bounded."""
import html
import json
import os
import pathlib
import re
import subprocess
import tempfile
import threading
import unittest

FATHOM = os.path.abspath(os.environ.get("FATHOM", ""))
MANY = 10_000
BAD = {"empty.json": "", "words.json": "I/O was good today\n", "other.json": '{"name": "x"}\n', "cut.json": None}
TOO_LARGE = 500_000_000
MANY_CPU_S, MANY_BYTES = 60, 1 << 30  # measured: 8 s, 572 MiB
LARGE_CPU_S, LARGE_BYTES = 2, 64 << 20  # measured: below 0.1 s, 10 MiB: it is refused by its size


class ReportMany(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(dir=os.environ.get("FATHOM_BUILD", "/var/tmp"))
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)
        subprocess.run([FATHOM, "run", "--name=t", "--ioengine=null", "--rw=randread", "--size=64k", "--audit=off", "--clock-check=skip", "--output-format=json", "--output=result.json"],
                       cwd=self.folder, check=True, timeout=60, stdout=subprocess.DEVNULL)

    def report(self, *words):
        """(exit status, what it said, CPU seconds, bytes of memory at most)"""
        child = subprocess.Popen([FATHOM, "report", *words], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        timer = threading.Timer(200, child.kill)
        timer.start()
        said = child.stderr.read()
        child.stderr.close()
        _, status, used = os.wait4(child.pid, 0)
        timer.cancel()
        child.returncode = os.waitstatus_to_exitcode(status)
        return child.returncode, said, used.ru_utime + used.ru_stime, used.ru_maxrss << 10

    def check_cost(self, cpu_s, memory, most_cpu_s, most_memory):
        print(f"{cpu_s:.1f} s of CPU, {memory >> 20} MiB")
        if os.environ.get("FATHOM_SANITIZE"):
            return  # it costs time and memory of its own
        self.assertLess(cpu_s, most_cpu_s)
        self.assertLess(memory, most_memory)

    def shown(self, page):
        """The files that a page has, in turn: their names stand in headings."""
        return [html.unescape(name) for name in re.findall(r"<h1[^>]*>[^<]*\(([^()<]+\.json)\)</h1>", (self.folder / page).read_text())]

    def test_ten_thousand_files(self):
        names = [f"r{i:05}.json" for i in range(MANY)]
        for name in names:
            (self.folder / name).symlink_to("result.json")
        for name, text in BAD.items():
            (self.folder / name).write_text((self.folder / "result.json").read_text()[:9000] if text is None else text)
        bad = [*BAD, "absent.json"]
        status, said, cpu_s, memory = self.report(*names[:MANY // 2], *bad, *names[MANY // 2:], "-o", "page.html")
        self.assertEqual(status, 0, said[-2000:])
        for name in bad:
            self.assertRegex(said, rf"(?m)^(|\S.*`){name}\b", "on the first line of its message")
        self.assertEqual(len(re.findall(r"(?m)^\S.*error: ", said)), len(bad), said)
        self.assertLess(len(said), 300 * len(bad))
        self.assertEqual(self.shown("page.html"), names)
        self.check_cost(cpu_s, memory, MANY_CPU_S, MANY_BYTES)

    def test_a_thousand_of_fio_take_as_long_as_our_own(self):
        """The same result with and without our part: with nothing of ours it is read as fio's."""
        result = json.loads((self.folder / "result.json").read_text())
        del result["fathom"]
        (self.folder / "fio.json").write_text(json.dumps(result | {"fio version": "fio-3.42"}))
        took = {}
        for kind in ("result", "fio") * 3:
            names = [f"{kind}{i:04}.json" for i in range(1000)]
            for name in names:
                if not (self.folder / name).exists():
                    (self.folder / name).symlink_to(f"{kind}.json")
            status, said, cpu_s, _ = self.report(*names, "-o", f"{kind}.html")
            self.assertEqual(status, 0, said[-2000:])
            took.setdefault(kind, []).append(cpu_s)
        fio, own = (sorted(took[kind])[1] for kind in ("fio", "result"))
        print(f"1,000 files: fio's {fio:.2f} s of CPU, our own {own:.2f} s")
        if not os.environ.get("FATHOM_SANITIZE"):
            self.assertLessEqual(fio, 1.2 * own)

    def test_one_of_500_megabytes_among_others(self):
        names = [f"r{i}.json" for i in range(3)]
        for name in names:
            (self.folder / name).symlink_to("result.json")
        # A whole result with much behind it: of what is read of it up to some size nothing is shown either.
        (self.folder / "large.json").write_bytes((self.folder / "result.json").read_bytes())
        os.truncate(self.folder / "large.json", TOO_LARGE)
        status, said, cpu_s, memory = self.report(names[0], "large.json", *names[1:], "-o", "page.html")
        self.assertEqual((status, said), (0, "fathom report: error: result `large.json` is too large\n  cause: the limit is 256 MiB\n"))
        self.assertEqual(self.shown("page.html"), names)
        self.check_cost(cpu_s, memory, LARGE_CPU_S, LARGE_BYTES)
        status, said, cpu_s, memory = self.report("large.json", "-o", "alone.html")
        self.assertEqual(status, 2)
        self.assertIn("the limit is 256 MiB", said)
        self.assertFalse((self.folder / "alone.html").exists())
        self.check_cost(cpu_s, memory, LARGE_CPU_S, LARGE_BYTES)


if __name__ == "__main__":
    unittest.main()
