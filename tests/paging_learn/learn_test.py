# label: paging
# timeout: 1500
# cost: 65
"""`fathom paging learn` on this machine, with whatever its kernel offers: a process whose use of memory is known (load.cc) is observed,
the profile comes near it and is played, nothing that others use is touched, and what cannot be observed is refused."""
import os
import pathlib
import re
import signal
import statistics
import subprocess
import sys
import tempfile
import time
import unittest

sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], "tests", "house"))
from attempts import attempts, wait_until  # noqa: E402

FATHOM = os.environ["FATHOM"]
SOURCE = pathlib.Path(os.environ["FATHOM_SOURCE"])
DAMON = pathlib.Path("/sys/kernel/mm/damon/admin/kdamonds")
PAGES = 8192


def fathom(*words, **more):
    return subprocess.run([FATHOM, "paging", "learn", "--eta=never", *words], capture_output=True, text=True, timeout=300, **more)


def numbers(text):
    return {name: float(value) for name, value in re.findall(r"^(\w+) +(-?[\d.e+-]+)$", text, re.M)}


def damon_state():
    return [(str(path), path.read_text()) for name in ("nr_kdamonds", "*/state", "*/contexts/nr_contexts") for path in sorted(DAMON.glob(name))]


class Learn(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory(prefix="fathom-learn-")
        cls.load = f"{cls.folder.name}/load"
        sources = [SOURCE / "tests/paging_learn/load.cc", SOURCE / "src/pattern/draws/zipf.cc", SOURCE / "src/pattern/permutation.cc"]
        subprocess.run([os.environ.get("CXX") or "g++", "-std=c++20", "-O2", f"-I{SOURCE / 'src'}", *map(str, sources), "-o", cls.load], check=True)
        cls.before = damon_state()

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def observe(self, theta, seconds=12):
        load = subprocess.Popen([self.load, str(PAGES), str(theta), "70", "0", str(seconds + 20), "40000"], stdout=subprocess.PIPE, text=True)
        try:
            self.assertEqual(load.stdout.readline(), "ready\n")
            seen = fathom(f"--duration={seconds}s", "--interval=16ms", f"--pid={load.pid}")
        finally:
            load.kill()
            load.wait()
            load.stdout.close()
        self.assertEqual(seen.returncode, 0, seen.stderr)
        print(f"theta {theta}:\n{seen.stdout}{seen.stderr}")
        return seen

    def exponents(self, theta, tries=3):
        """As estimated, of as many tries as it takes until one is good enough to be written: a busy machine widens the error."""
        estimates = []
        for _ in range(tries):
            seen = self.observe(theta)
            found = numbers(seen.stdout)
            self.assertGreater(found["working_set_bytes"], PAGES * 4096 // 4)
            self.assertLess(found["working_set_bytes"], (PAGES + 500) * 4096)
            if found["read_percent"] >= 0:
                self.assertLess(abs(found["read_percent"] - 70), 20)
            estimates += map(float, re.findall(r"^ *exponent: ([\d.]+) ±", seen.stderr, re.M))
            if found["zipf_theta"] >= 0:
                self.assertLess(found["zipf_error"], 0.3, "a wider one is not written")
                self.assertLess(abs(found["zipf_theta"] - theta), 0.45, seen.stdout + seen.stderr)
                return [found["zipf_theta"]]
            self.assertRegex(seen.stderr, "learn.(theta_unknown|theta_uncertain|not_zipf)", "an exponent that is not written is said")
        return estimates

    @attempts
    def test_a_zipf_of_1_2_is_told_from_equal_rates(self):
        steep, even = self.exponents(1.2), self.exponents(0)
        if not steep or not even:
            self.skipTest("SKIPPED: too busy here: no exponent could be estimated in three tries")
        self.assertGreater(statistics.median(steep) - statistics.median(even), 0.4, f"1.2 and 0 were played, {steep} and {even} seen")

    @attempts
    def test_a_learnt_profile_can_be_played(self):
        profile = f"{self.folder.name}/profile"
        seen = fathom("--duration=4s", f"--output={profile}", "--", self.load, str(PAGES), "0.99", "70", "0", "5", "400000")
        self.assertEqual(seen.returncode, 3, "the command's own status: " + seen.stderr)
        self.assertIn("ready\naccesses ", seen.stdout, "the command's own output comes through")
        played = subprocess.run([FATHOM, "paging", f"--pattern=profile:{profile}", "--map=32M", "--set=16M", "--duration=1s"], capture_output=True, text=True, timeout=60)
        self.assertEqual(played.returncode, 0, played.stderr)

    @attempts
    def test_a_command_that_ends_early_is_a_finding(self):
        seen = fathom("--duration=60s", "--", self.load, str(PAGES), "0.99", "70", "0", "4", "400000")
        self.assertEqual(seen.returncode, 3, "the command's own status: " + seen.stderr)
        self.assertIn("learn.ended_early", seen.stderr)

    def test_an_unobservable_process_is_refused_before_a_command_starts(self):
        for words, says in ((["--pid=4194304"], "there is none"), (["--pid=2"], "2"), (["--", "/nonexistent"], "No such file"),
                            (["--method=telepathy", "--", "sh", "-c", "echo it ran"], "no such method")):
            seen = fathom(*words)
            self.assertNotEqual(seen.returncode, 0, words)
            self.assertIn(says, seen.stderr)
            self.assertEqual(seen.stdout, "", "no profile, and no command started for nothing")

    def test_the_commands_exit_status_is_passed_on_when_nothing_was_observed(self):
        for script, options, least_s in (("exit 7", [], 0), ("sleep 0.3; exit 7", [], 0.3), ("sleep 3; exit 7", ["--duration=1s"], 3),
                                         ("kill -9 $$", [], 0)):
            profile = pathlib.Path(self.folder.name) / "none"
            begun = time.monotonic()
            seen = fathom(*options, f"--output={profile}", "--", "sh", "-c", script)
            self.assertEqual(seen.returncode, 137 if "kill" in script else 7, f"{script}: {seen.stderr}")
            self.assertGreaterEqual(time.monotonic() - begun, least_s, "the command is waited for")
            self.assertRegex(seen.stderr, "nothing was observed|cannot be observed", script)
            self.assertFalse(profile.exists(), f"{script}: a profile of nothing")
            if not options:
                self.assertNotIn("--duration", seen.stderr, f"{script}: it had ended, and no duration was given")

    @attempts
    def test_the_working_child_of_a_shell_is_observed(self):
        for script in ("{} >/dev/null; exit 7", "sleep 1.5; {} >/dev/null; exit 7", "(sleep 0.2; {}) >/dev/null & wait; exit 7"):
            seen = fathom("--", "sh", "-c", script.format(f"{self.load} {PAGES} 0.99 70 0 6 400000"))
            self.assertEqual(seen.returncode, 7, seen.stderr)
            self.assertGreater(numbers(seen.stdout).get("working_set_bytes", 0), PAGES * 4096 // 3, script + seen.stderr)
            self.assertRegex(seen.stderr, r"learn.process: of the command's \d+ processes \d+ \(load", script)
            self.assertIn("command sh -c ", seen.stdout)

    def test_children_of_an_observed_pid_are_named(self):
        shell = subprocess.Popen(["sh", "-c", f"{self.load} {PAGES} 0.99 70 0 60 400000 >/dev/null & echo $!; while :; do :; done"],
                                 stdout=subprocess.PIPE, text=True)
        child = int(shell.stdout.readline())
        try:
            self.assertTrue(wait_until(lambda: pathlib.Path(f"/proc/{child}/comm").read_text() == "load\n"))
            seen = fathom("--duration=2s", f"--pid={shell.pid}")
            self.assertIn(f"{child} (load", seen.stderr, "its child is named, observed or not")
        finally:
            for pid in (shell.pid, child):
                os.kill(pid, signal.SIGKILL)
            shell.wait()
            shell.stdout.close()

    @unittest.skipUnless(os.geteuid() == 0, "not root: cannot become another user")
    def test_another_users_process_needs_a_privilege(self):
        copy = pathlib.Path(self.folder.name) / "fathom"
        copy.write_bytes(pathlib.Path(FATHOM).read_bytes())
        copy.chmod(0o755)
        os.chmod(self.folder.name, 0o755)
        sleeper = subprocess.Popen(["sleep", "60"])
        try:
            seen = subprocess.run([str(copy), "paging", "learn", "--eta=never", "--duration=1s", f"--pid={sleeper.pid}"],
                                  capture_output=True, text=True, timeout=60, user=65534, group=65534, cwd="/")
        finally:
            sleeper.kill()
            sleeper.wait()
        self.assertNotEqual(seen.returncode, 0)
        self.assertIn("another user", seen.stderr)

    def test_damon_that_others_use_is_left_alone(self):
        if not any("on" == text.strip() for _, text in self.before):
            self.skipTest("nobody uses DAMON here")
        sleeper = subprocess.Popen(["sleep", "60"])
        try:
            seen = fathom("--method=DAMON paddr", "--duration=1s", f"--pid={sleeper.pid}")
        finally:
            sleeper.kill()
            sleeper.wait()
        self.assertNotEqual(seen.returncode, 0)
        self.assertIn("DAMON is already in use", seen.stderr)

    def started(self, *words):
        """Over its begin: handlers are installed, and the observation runs."""
        process = subprocess.Popen([FATHOM, "paging", "learn", "--eta=always", *words], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        seen = b""
        while b"observing" not in seen and b"choosing" not in seen and (more := os.read(process.stderr.fileno(), 4096)):
            seen += more
        return process

    def only_child(self, pid):
        def children():
            return subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True).stdout.split()
        self.assertTrue(wait_until(lambda: len(children()) == 1), f"children of {pid}: {children()}")
        return int(children()[0])

    def test_sighup_sigquit_and_sigterm_end_it_in_order(self):
        sleeper = subprocess.Popen([self.load, str(PAGES), "0.5", "70", "0", "60", "400000"], stdout=subprocess.DEVNULL)
        try:
            for one in (signal.SIGHUP, signal.SIGQUIT, signal.SIGTERM):
                seen = self.started("--duration=60s", f"--pid={sleeper.pid}")
                seen.send_signal(one)
                seen.communicate(timeout=60)
                self.assertGreaterEqual(seen.returncode, 0, f"{one.name} must not kill it: DAMON would stay on")
        finally:
            sleeper.kill()
            sleeper.wait()

    def test_a_signal_ends_the_wait_for_the_command(self):
        seen = self.started("--duration=3s", "--", self.load, str(PAGES), "0.5", "70", "0", "60", "400000")
        command = self.only_child(seen.pid)
        try:
            said = b""
            while b"waiting for the command" not in said and (more := os.read(seen.stderr.fileno(), 4096)):
                said += more
            self.assertIn(b"waiting for the command", said)
            seen.terminate()
            self.assertGreater(seen.wait(timeout=60), 0)
            self.assertTrue(os.path.exists(f"/proc/{command}"), "the command was only watched: it goes on")
        finally:
            os.kill(command, signal.SIGKILL)
            seen.kill()
            seen.communicate()

    @unittest.skipUnless(os.geteuid() == 0, "not root: /run is not ours")
    def test_every_start_removes_the_damon_note_of_a_killed_one(self):
        note = pathlib.Path("/run/fathom-damon")
        if note.exists():
            self.skipTest("DAMON is in use by another `learn`")
        dead = subprocess.Popen(["true"])
        dead.wait()
        for words in (["cleanup"], ["--map=4M", "--set=4M", "--duration=0.1", "--swap=none", "--audit=off"]):
            note.write_text(f"damon {dead.pid} 1 0 fvaddr 1 1099511627777 0\n")
            try:
                done = subprocess.run([FATHOM, "paging", *words], capture_output=True, text=True, timeout=60)
                self.assertEqual(done.returncode, 0, done.stderr)
                self.assertFalse(note.exists(), words)
                self.assertEqual(damon_state(), self.before, "what is not that run's own is left alone")
                if any("on" == text.strip() for _, text in self.before):
                    self.assertIn("left alone", " ".join((done.stdout + done.stderr).split()), words)
            finally:
                note.unlink(missing_ok=True)

    def test_z_damon_is_as_before_the_tests(self):
        wait_until(lambda: damon_state() == self.before, 5)
        self.assertEqual(damon_state(), self.before)


if __name__ == "__main__":
    if not os.path.exists("/proc/self/clear_refs"):
        print("skipped: the kernel has no /proc/PID/clear_refs (PROC_PAGE_MONITOR)")
        sys.exit(77)
    unittest.main(verbosity=2)
