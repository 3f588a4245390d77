#!/usr/bin/python3
# label: browser
# timeout: 200
# cost: 15
"""--live=page in headless Chromium: a run is drawn while it goes on, in numbers that the run said, and its report takes the page's place; nobody but the run is asked; both widths;
axe-core. Who is refused, and what becomes of the process: tests/cli/live_page_test.py."""
import json
import re
import subprocess
import unittest

from browser import AXE, FATHOM, HERE, PageCase, module

ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/[0-9a-f]{32}/")


class LivePage(PageCase):
    def looked_at_live(self, *words, ended):
        """What is seen of it, until it is asked to end (Ctrl-C) when all has been looked at, and of its report."""
        axe = module(AXE) / "axe.min.js"
        with subprocess.Popen([FATHOM, *words, "--live=page:0"], cwd=self.folder, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as run:
            told = ""
            while not (address := ADDRESS.search(told)):
                told += run.stderr.readline() or self.fail(told)
            command = ["node", str(HERE / "live_page.cjs"), str(self.module), address[0], str(self.folder), str(axe), str(run.pid)]
            done = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
            self.assertEqual((run.wait(timeout=30), done.returncode), (ended, 0), done.stderr)
        out = json.loads(done.stdout)
        self.assertEqual((out["console"], out["errors"], out["others"]), ([], [], []))
        self.assertEqual([one for one in out["axe"] if one["impact"] in ("serious", "critical")], [])
        for at in ("first", "later", "narrow"):
            self.assertFalse(out[at]["wide"], f"{at}: the page scrolls sideways")
            self.assertEqual(out[at]["state"], "It is being measured.")
        self.assertEqual((out["report"]["live"], out["report"]["articles"]), (0, 1))
        return out

    # effect: live
    def test_a_run_is_followed_until_its_report(self):
        out = self.looked_at_live("run", "--name=<b>a&</b>", "--ioengine=null", "--rw=randrw", "--rate_iops=4000,1000", "--size=1g", "--time_based", "--runtime=99", "--audit=off",
                                  "--clock-check=skip", "--output=out.json", "--output-format=json", "--live=json:live.json", ended=130)
        self.assertTrue(out["report"]["title"].startswith("<b>a&</b>"), out["report"]["title"])
        later = out["later"]
        self.assertEqual(later["plots"], ["series", "bandwidth", "latency-series"])
        self.assertEqual([row[0] for row in later["rows"]], ["of", "read", "write"])
        self.assertRegex(later["rows"][1][1], r"^(3\.9\d?|4|4\.0\d?)k$")
        self.assertGreater(later["done"], out["first"]["done"])
        self.assertRegex(later["left"], r"^\d+ s since it began, \d+ s left$")
        said = [json.loads(line) for line in (self.folder / "live.json").read_text().splitlines()]
        head, *rows = [row.split(",") for row in out["sheet"].splitlines()]
        self.assertEqual(head, ['"elapsed_s"', '"read IOPS"', '"write IOPS"'])
        self.assertGreaterEqual(len(rows), 3)
        for row, second in zip(rows, said):
            self.assertEqual([float(cell) for cell in row], [second["elapsed_s"], second["read"]["iops"], second["write"]["iops"]])

    def test_memory_is_followed_too(self):
        out = self.looked_at_live("paging", "--map=64m", "--set=64m", "--duration=99", "--audit=off", "--output=out.txt", ended=130)
        self.assertEqual(out["later"]["plots"], ["accesses", "faults", "access-latency"])
        self.assertEqual(out["later"]["rows"][1][0], "measuring")
        self.assertGreater(len(out["sheet"].splitlines()), 3)


if __name__ == "__main__":
    unittest.main()
