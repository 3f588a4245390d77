"""Completions as a shell gives them: the script of bash run in bash, those of zsh and fish looked at by these where they are here."""
import os
import shutil
import subprocess
import tempfile
import unittest

FATHOM = os.environ["FATHOM"]

ASK = """
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=()
complete -p "$1" > /dev/null || exit 9
_fathom
printf '%s\\n' "${COMPREPLY[@]}"
"""


def script(shell):
    return subprocess.run([FATHOM, "completion", shell], capture_output=True, text=True, timeout=20, check=True).stdout


class Completion(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="completion-")
        cls.files = {}
        for shell in ("bash", "zsh", "fish"):
            cls.files[shell] = os.path.join(cls.folder.name, shell)
            with open(cls.files[shell], "w", encoding="utf-8") as out:
                out.write(script(shell))

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def ask(self, *words):
        """What bash offers for the last word; bash splits a line at `=`."""
        run = subprocess.run(["bash", "--norc", "-c", ASK, "ask", self.files["bash"], *words], capture_output=True, text=True, timeout=20,
                             cwd=self.folder.name, check=True)
        return set(run.stdout.split())

    def test_subcommands_are_offered(self):
        self.assertLessEqual({"run", "clock", "nvme", "paging", "pmu", "doctor", "completion"}, self.ask("fathom", ""))
        self.assertEqual(self.ask("fathom", "clock", ""), {"test", "sources"})
        self.assertEqual(self.ask("fathom", "completion", ""), {"bash", "zsh", "fish"})
        self.assertEqual(self.ask("fathom", "nvme", "un"), {"unbind"})

    def test_options_are_offered(self):
        self.assertEqual(self.ask("fathom", "clock", "test", "--en"), {"--entries="})
        self.assertLessEqual({"--map=", "--cold", "--stamps="}, self.ask("fathom", "paging", "--"))
        self.assertEqual(self.ask("fathom", "paging", "run", "--page"), {"--page-cluster="})
        self.assertLessEqual({"--iodepth=", "--ioengine=", "--output="}, self.ask("fathom", "run", "--"))
        self.assertIn("--iodepth=", self.ask("fathom", "--io"))
        self.assertEqual(self.ask("pmbench", "--aff"), {"--affinityset="})
        self.assertEqual(self.ask("fathom", "clock", "test", "--nothing"), set())

    def test_values_of_an_option_are_offered(self):
        self.assertEqual(self.ask("fathom", "paging", "--stamps", "=", "rdtsc"), {"rdtscp", "rdtsc"})
        self.assertEqual(self.ask("fathom", "paging", "--thp", "="), {"system", "always", "never"})
        self.assertEqual(self.ask("fathom", "run", "--rw", "=", "randr"), {"randread", "randrw"})
        self.assertEqual(self.ask("fathom", "run", "--eta", "=", "n"), {"never"})

    def test_values_of_a_short_option_are_offered(self):
        self.assertEqual(self.ask("fathom", "pmu", "stat", "-e", "page"), {"page-faults"})
        self.assertEqual(self.ask("fathom", "pmu", "stat", "--event", "=", "L1-icache-l"), {"L1-icache-loads", "L1-icache-load-misses"})
        self.assertEqual(self.ask("pmbench", "-t", "rd"), {"rdtscp", "rdtsc"})

    def test_files_are_offered_elsewhere(self):
        self.assertEqual(self.ask("fathom", "run", ""), {"bash", "zsh", "fish"})
        self.assertEqual(self.ask("fathom", "run", "--output", "=", "z"), {"zsh"})

    def test_every_option_of_the_help_is_offered(self):
        text = subprocess.run([FATHOM, "pmu", "stat", "--help"], capture_output=True, text=True, timeout=20, check=True).stdout
        named = {word.strip(",").split("=")[0].split("[")[0] for word in text.split() if word.startswith("--") and len(word) > 2}
        offered = {word.rstrip("=") for word in self.ask("fathom", "pmu", "stat", "--")}
        self.assertGreater(len(offered), 10)
        self.assertEqual(offered - named, set())

    def test_every_shell_parses_its_script(self):
        for shell in ("bash", "zsh", "fish"):
            if shutil.which(shell) is None:
                text = script(shell)
                self.assertEqual(text.replace("\\'", "").count("'") % 2, 0)
                for part in {"zsh": ("#compdef fathom", "'--stamps=:", "_fathom \"$@\""), "fish": ("complete -c fathom", " -l stamps ")}[shell]:
                    self.assertIn(part, text)
                continue
            checked = subprocess.run([shell, "-n", self.files[shell]], capture_output=True, text=True, timeout=20)
            self.assertEqual((checked.returncode, checked.stderr), (0, ""), shell)

    def test_an_unknown_shell_is_refused(self):
        run = subprocess.run([FATHOM, "completion", "zhs"], capture_output=True, text=True, timeout=20)
        self.assertEqual(run.returncode, 2)
        self.assertIn("did you mean `zsh`?", run.stderr)


if __name__ == "__main__":
    unittest.main()
