# label: test
# cost: 40
# timeout: 900
"""Every command that README.md, the tutorial and the cookbook show runs, and prints lines of the kind that stand below it.

A ```sh block has commands alone; a ```console block has `$ COMMAND` with its output, where `...` stands for lines that are left out. Commands are made
short, and run in a directory of their own with the files that they name. Of each line of an output the first eight words are compared, numbers masked, but
for findings and the line `checks`: a machine with neighbors has more of them. What needs hardware, installs, or takes minutes is not run (NOT_RUN says
why)."""
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import tempfile
import unittest

import tree

FATHOM = pathlib.Path(os.environ.get("FATHOM", str(tree.SOURCE / "build/fathom")))
DOCUMENTS = ["README.md", "docs/tutorial.md", "docs/cookbook.md"]
ROOT = os.geteuid() == 0
NOT_RUN = {"scripts/": "builds", "cmake": "builds", "0000:": "an NVMe controller", "git clone": "the network"}
# What a command becomes: short, small, and on this machine.
SHORT = [(r"--runtime=\d+[smh]?\b", "--runtime=300ms"), (r"--steadystate\S*", ""), (r"--size=\d+[mg]\b", "--size=16m"), (r"--duration=\d+", "--duration=0.2"),
         (r"--set=runtime=\d+", "--set=runtime=300ms --set=size=16m"), (r"--map=1G --set=1G", "--map=16M --set=16M"), (r"--limit=512M", "--limit=64M"),
         (r"zram:2G", "zram:64M"), (r"--repeat=\d+", "--repeat=2"), (r"--settle\b", ""), (r"/mnt/disk|/var/tmp", "{here}"), (r"nrfiles=1000", "nrfiles=20"),
         (r"iodepth=1\.\.64", "iodepth=1,2"), (r"(fathom sweep .*)--over=rate_iops ", r"\1--over=rate_iops=2000,4000 "), (r"^PATH=/usr/libexec/fathom:\$PATH ", "")]
FILES = {name: f"[j]\nioengine=sim\nsim_latency={latency}\nrw=randread\nbs=4k\nsize=4m\nruntime=200ms\ntime_based\n"
         for name, latency in (("one.fio", "exp:100us"), ("two.fio", "exp:120us"), ("job.fio", "exp:100us"))}
FINDING = ("warning", "note", "error", "next", "audit", "fathom:")
CHECKED = ("ok", "warning", "note")
GOOD = {"warning": "ok", "note": "ok", "no": "yes"}


def blocks(path, kind):
    return re.findall(rf"^```{kind}\n(.*?)^```$", path.read_text(), re.M | re.S)


def commands(path):
    """Those of a document, with what it says that they print: None where it says nothing."""
    for block in blocks(path, "sh"):
        yield from ((line, None) for line in block.split("\n") if line and not line.startswith(("#", " ")))
    for block in blocks(path, "console"):
        for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
            yield command, output


def masked(line):
    line = re.sub(r"\(commit [\w-]+\)", "(commit #)", line)
    line = re.sub(r"(?<![\w.])[-+]?\d[\d,]*(?:\.\d+)*(?:e[-+]?\d+)?(?: ?(?:%|us|ns|ms|s|[KMGT]iB|[kMG]?B|bytes|[kMG])(?:/s)?)?(?!\w)", "#", line)
    return line.split()[:8]


def lines_of(output, is_here=False):
    """Masked, without findings and what belongs to them. Of a check of `doctor`, only the name: its words depend on the machine, and one that a document has
    as `ok` may be a note or a warning here. What can be measured there may be impossible here."""
    found, within = [], False
    for line in output.split("\n"):
        words = masked(line)
        if not words or words[0] == "...":
            continue
        within = words[0] in FINDING or (within and line.startswith("      "))
        if words[0] == "checks":
            words = words[:1]
        if words[0] in CHECKED:
            words = [words[0], *re.split(r"\s{2,}", line.strip())[1:2]]
        if is_here and words[0] in GOOD:
            found.append([GOOD[words[0]], *words[1:]])
        if not within:
            found.append(words)
    return found


def is_printed(words, printed):
    """A table may have a column more, and a line that does not fit is cut."""
    def same(other):
        n = min(len(words), len(other))
        return n >= min(4, len(words)) and all(a == b or (b.endswith("...") and (a.startswith(b[:-3]) or a[0] == b[0] == "/")) for a, b in zip(words[:n], other[:n]))
    return any(same(other) for other in printed)


class Commands(unittest.TestCase):
    def setUp(self):
        holder = tempfile.TemporaryDirectory(dir=os.environ.get("FATHOM_BUILD", "/var/tmp"))
        self.addCleanup(holder.cleanup)
        self.here = pathlib.Path(holder.name)
        (self.here / "examples").symlink_to(tree.SOURCE / "examples")
        for name, text in FILES.items():
            (self.here / name).write_text(text)
        (self.here / "fio.json").write_text((tree.SOURCE / "tests/import/data/fio/plus.json").read_text())
        bin_of = self.here / "bin"
        bin_of.mkdir()
        for name in ("fathom", "fio"):
            (bin_of / name).symlink_to(FATHOM)
        self.environment = {**os.environ, "PATH": f"{bin_of}:{os.environ['PATH']}", "NO_COLOR": "1"}

    def shortened(self, command):
        for pattern, short in SHORT:
            command = re.sub(pattern, short.replace("{here}", str(self.here)), command)
        return command.removeprefix("sudo ")

    def run_one(self, document, command, output):
        if any(word in command for word in NOT_RUN) or (command.startswith("sudo ") and not ROOT):
            return
        for results in ("compare-results", "sweep-results", "ci"):
            shutil.rmtree(self.here / results, ignore_errors=True)
        words = shlex.split(self.shortened(command), comments=True)
        done = subprocess.run(words, cwd=self.here, env=self.environment, capture_output=True, text=True, timeout=300)
        wanted = {0, 1} if words[1] in ("compare", "doctor") else {0}
        self.assertIn(done.returncode, wanted, f"{document}: {command}\n{done.stdout[-1000:]}{done.stderr[-1000:]}")
        if output is None:
            return
        text = (done.stdout + done.stderr).replace(str(self.here), "/var/tmp")
        for words in lines_of(output):
            self.assertTrue(is_printed(words, lines_of(text, is_here=True)), f"{document}: {command}\n{words}\n{text}")

    def test_every_command_runs_and_prints_what_stands_below_it(self):
        for document in DOCUMENTS:
            found = list(commands(tree.SOURCE / document))
            self.assertGreater(len(found), 5, document)
            for command, output in found:
                with self.subTest(document=document, command=command):
                    self.run_one(document, command, output)

    def test_a_line_that_is_not_printed_is_seen(self):
        self.assertEqual(lines_of("  measured randread\n  read 1.5k IOPS, p99 7.2 us\n  note [a.b] others\n      read 3\n  checks passed\n...\n"),
                         [["measured", "randread"], ["read", "#", "IOPS,", "p99", "#"], ["checks"]])
        self.assertTrue(is_printed(["read", "#", "IOPS,"], [["read", "#", "IOPS,", "more"]]))
        self.assertFalse(is_printed(["read", "#", "IOPS,"], [["read", "#"], ["read", "#", "bytes,"]]))
        with self.assertRaises(AssertionError):
            self.run_one("here", "fathom run --brief --name=t --ioengine=null --size=64k", "  measured\n  write # IOPS\n")
        with self.assertRaises(AssertionError):
            self.run_one("here", "fathom run --name=t --ioengine=nul --size=64k", None)


if __name__ == "__main__":
    unittest.main()
