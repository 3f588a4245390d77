# label: kernel
# cost: 120
# timeout: 1800
"""Every block of commands in the task pages, migration guides and reference pages runs (README, tutorial and cookbook: commands_test.py).

A block runs as one script, made short, in a directory with the files that it names. Of a console block's output the first words of lines are compared:
most outputs have other lines where the command is short. What needs hardware, other machines or a setting of this one is not run (NOT_RUN says why)."""
import pathlib
import re
import shutil
import subprocess
import unittest

import commands_test
import tree
from commands_test import FATHOM, ROOT, blocks, lines_of

PAGES = sorted(str(path.relative_to(tree.SOURCE)) for path in (tree.SOURCE / "docs").rglob("*.md")
               if not str(path.relative_to(tree.SOURCE)).startswith("docs/dev/") and str(path.relative_to(tree.SOURCE)) not in commands_test.DOCUMENTS)
NOT_RUN = {"0000:": "an NVMe controller", "nvme list": "an NVMe controller", "nvme setup": "huge pages", "vfio-user:": "two terminals", "/sys/block/": "a disk's scheduler",
           "my-script.sh": "the reader's own", "perf stat": "Debian's perf", "apt ": "installs", "cmake ": "builds", "tar -xf": "the reader's tarball", "podman ": "the network",
           "nbd.sock": "a server", "http_host": "a server", "nfs://": "a server", "iscsi://": "a server", "examples/engine": "the root of the sources",
           "curl ": "a server"}
# What a block becomes, after commands_test.SHORT.
SHORT = [(r"\bbuild/(fathom|fio|pmbench|spdk_nvme_perf)\b", r"\1"), (r"^runtime=\d+", "runtime=1"), (r"^ramp_time=\d+", ""), (r"^size=1g", "size=16m"),
         (r"iodepth=1\.\.256", "iodepth=1,2"), (r"seq 1 5|1 2 3 4 5", "1 2 3"), (r"/mnt\b|/var/lib/node_exporter/textfile", "{here}"), (r"-m 8192 -s 8192", "-m 64 -s 64"),
         (r"(pmbench .*) 300$", r"\1 1"), (r"(spdk_nvme_perf .*)-t \d+", r"\1-t 1"), (r"(nvme perf)(\s)", r"\1 --runtime=0.3\2"), (r"\bsudo ", ""),
         (r"^fathom bundle .*$", r"\g<0> --force"), (r"^unzip -q", "unzip -oq"),
         (r"paging breakdown", "paging breakdown --limit=64M --set=16M --duration=0.5 --repeat=1"), (r"file:(\S*)fathom.swap:2G", r"file:\1fathom.swap:64M"),
         (r"(fathom sweep queue.fio --over=rate_iops=2000,4000)", r"\1,8000 --width=100%"),
         (r"--map=16M --set=16M (.*--cold)", r"--map=96M --set=96M \1"), (r"(paging learn .*--duration=)0\.2(.*--duration=)0\.2", r"\g<1>1\g<2>2")]


def first_words(output):
    return {words[0] for words in lines_of(output) if re.fullmatch(r"[a-z][\w-]*[:=]?", words[0])}


class PageCommands(commands_test.Commands):
    test_every_command_runs_and_prints_what_stands_below_it = None
    test_a_line_that_is_not_printed_is_seen = None

    def setUp(self):
        super().setUp()
        for name in ("pmbench", "spdk_nvme_perf"):
            (self.here / "bin" / name).symlink_to(FATHOM)
        self.environment = {**self.environment, "XDG_DATA_HOME": str(self.here / "data"), "GITHUB_STEP_SUMMARY": str(self.here / "summary.md")}
        for folder in ("one", "two", "base", "new", "results"):
            (self.here / folder).mkdir()
        (self.here / "file").touch()
        (self.here / "trace.csv").write_text("".join(f"{128166372003061629 + 10000 * i},hm,1,{'Read' if i % 3 else 'Write'},{i * 8192 % 65536},4096,{400 + i}\n" for i in range(60)))
        for folder, job in (("base", "one.fio"), ("new", "two.fio")):
            for number in range(3):
                self.script(f"fathom run {job} --audit=off --output-format=json --output={folder}/{number}.json")
        self.script("fathom run one.fio --audit=off --output-format=json --output=result.json; cp result.json one.json; cp result.json two.json; "
                    "cp result.json results; cp one.fio nightly.fio; fathom history add base/*.json new/*.json")

    def script(self, text):
        return subprocess.run(["bash", "-e", "-c", text], cwd=self.here, env=self.environment, capture_output=True, text=True, timeout=600)

    def short(self, text):
        for pattern, short in commands_test.SHORT + SHORT:
            text = re.sub(pattern, short.replace("{here}", str(self.here)), text, flags=re.M)
        return text

    def test_every_block_runs(self):
        ran = 0
        for page in PAGES:
            for kind in ("sh", "console"):
                for block in blocks(tree.SOURCE / page, kind):
                    if any(word in block for word in NOT_RUN) or ("sudo " in block and not ROOT):
                        continue
                    with self.subTest(page=page, block=block):
                        self.one(page, kind, block)
                        ran += 1
        self.assertGreater(ran, 12)

    def one(self, page, kind, block):
        if kind == "console":
            for command, output in re.findall(r"^\$ (.*)\n((?:(?!\$ ).*\n)*)", block, re.M):
                done = self.script(self.short(command))
                self.assertEqual(done.returncode, 0, f"{page}: {command}\n{done.stderr[-2000:]}")
                text = done.stdout + done.stderr
                self.assertEqual(first_words(output) - first_words(text), set(), f"{page}: {command}\n{text}")
            return
        for results in ("compare-results", "sweep-results"):
            shutil.rmtree(self.here / results, ignore_errors=True)
        text = self.short(block)
        done = self.script(text)
        wanted = {0, 1} if "fathom compare" in text else {0}  # --fail-if
        self.assertIn(done.returncode, wanted, f"{page}:\n{text}\n{done.stdout[-1500:]}{done.stderr[-1500:]}")


del commands_test.Commands  # is run by its own file


if __name__ == "__main__":
    unittest.main()
