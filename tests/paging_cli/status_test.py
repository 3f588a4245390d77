# lock: paging
"""The status line of `fathom paging`: on a terminal and only there, on standard error, gone before the report."""
# label: test
# timeout: 300
import os
import pty
import subprocess
import sys
import unittest

import machine

ARGS = ["paging", "--map=32M", "--fill=random", "--duration=2"]


def on_terminal(*more, term="xterm"):
    """What a terminal on standard error sees, and the report. term: its name; None: nobody says what it can do."""
    environment = {name: value for name, value in os.environ.items() if name != "TERM"} | ({"TERM": term} if term else {})
    main, worker = pty.openpty()
    process = subprocess.Popen([machine.FATHOM, *ARGS, *more], stdout=subprocess.PIPE, stderr=worker, stdin=subprocess.DEVNULL, env=environment)
    os.close(worker)
    seen = b""
    while True:
        try:
            chunk = os.read(main, 4096)
        except OSError:
            break
        if not chunk:
            break
        seen += chunk
    out, _ = process.communicate()
    os.close(main)
    return seen.decode(), out.decode()


class StatusLine(unittest.TestCase):
    def test_is_shown_on_a_terminal_and_erased_before_the_report(self):
        seen, report = on_terminal()
        self.assertRegex(seen, r"measuring \[\d+\.\d%\].*\r?\n +\S+ acc/s minor +\S+/s major +\S+/s p50 +\S+ ns p99 +\S+ ns p99.9 ")
        self.assertIn("[eta 00m:0", seen)
        self.assertEqual(seen.split("\r")[-2].strip(), "", "the line is taken away")
        self.assertNotIn("measuring [", report)

    def test_of_a_terminal_that_may_move_no_cursor_it_is_one_line(self):
        for term in "dumb", None:
            seen, _ = on_terminal(term=term)
            self.assertRegex(seen, r"\rmeasuring \[\d+\.\d%\] \S+ accesses/s, minor ")
            self.assertNotIn("\x1b", seen)
            self.assertNotIn("\n", seen)

    def test_eta_always_and_never_override_the_terminal(self):
        self.assertNotIn("measuring", on_terminal("--eta=never")[0])
        self.assertEqual(machine.call(*ARGS).stderr, "")
        self.assertIn("measuring [", machine.call(*ARGS, "--eta=always").stderr)


if __name__ == "__main__":
    unittest.main()
