#!/usr/bin/python3
"""The numbers of `fathom compare` against SciPy's: Welch's t, its degrees, p and interval of the logarithms, equal to 1e-9."""
import json
import math
import os
import random
import sys
import tempfile
import unittest

from compare_files import FATHOM, Results, compare

try:
    import numpy
    from scipy import stats
except ImportError:
    print("SciPy is not installed")
    sys.exit(77)

TOLERANCE = 1e-9


def quantile(central, degrees):
    """SciPy's ppf is searched for to about 1e-8; its sf and pdf are exact, so two of Newton's steps make it so too."""
    t = stats.t.ppf((1 + central) / 2, degrees)
    for _ in range(2):
        t += (stats.t.sf(t, degrees) - (1 - central) / 2) / stats.t.pdf(t, degrees)
    return t


class AgainstSciPy(unittest.TestCase):
    def setUp(self):
        if not os.path.exists(FATHOM):
            self.skipTest("the program is not built")
        holder = tempfile.TemporaryDirectory(dir=os.environ.get("FATHOM_BUILD", "/var/tmp"))
        self.addCleanup(holder.cleanup)
        self.results = Results(holder.name)

    def near(self, ours, theirs, what):
        self.assertLessEqual(abs(ours - theirs), TOLERANCE * max(abs(theirs), 1e-12), (what, ours, theirs))

    def check(self, change, a, b):
        logs_a, logs_b = numpy.log(a), numpy.log(b)
        theirs = stats.ttest_ind(logs_b, logs_a, equal_var=False)
        self.near(change["t"], theirs.statistic, "t")
        self.near(change["p"], theirs.pvalue, "p")
        of_a, of_b = logs_a.var(ddof=1) / len(a), logs_b.var(ddof=1) / len(b)
        degrees = (of_a + of_b) ** 2 / (of_a ** 2 / (len(a) - 1) + of_b ** 2 / (len(b) - 1))
        self.near(change["degrees"], degrees, "degrees")
        difference = logs_b.mean() - logs_a.mean()
        half = quantile(change["confidence"], degrees) * math.sqrt(of_a + of_b)
        for key, log in (("percent", difference), ("low_percent", difference - half), ("high_percent", difference + half)):
            self.near(change[key], 100 * math.expm1(log), key)

    def test_welch_of_drawn_runs(self):
        draw = random.Random(20)
        for trial in range(40):
            n = draw.choice((3, 4, 5, 10, 30))
            a = [draw.lognormvariate(11, 0.02) for _ in range(n)]
            b = [draw.lognormvariate(11 + draw.choice((0, 0.01, 0.05, -0.2)), draw.choice((0.01, 0.05))) for _ in range(n)]
            found = json.loads(compare("--output-format=json", "--plot=0", *self.results.pair(a, b)).stdout)
            primary = found["metrics"][0]
            values = [side["values"] for side in primary["sides"]]
            for given, read in zip(a + b, values[0] + values[1]):
                self.assertAlmostEqual(read / given, 1, places=4)
            with self.subTest(trial=trial):
                self.check(primary["changes"][0], *values)

    def test_holm_of_several_metrics(self):
        """p of the metrics beside the primary one, multiplied as Holm says: by what is left, never falling."""
        def lat_too(result):
            for latency in (result["jobs"][0]["read"][kind] for kind in ("clat", "lat") if kind in result["jobs"][0]["read"]):
                latency["sum_ns"] += draw.randrange(latency["sum_ns"] // 10)
        draw = random.Random(21)
        a = [draw.lognormvariate(11, 0.02) for _ in range(6)]
        pair = self.results.side("a", a, range(0, 12, 2), lat_too), self.results.side("b", a, range(1, 12, 2), lat_too)
        found = json.loads(compare("--output-format=json", "--metric=lat_p50", "--fail-if=clat_mean>50%", "--fail-if=bw>50%", *pair).stdout)
        rest = sorted((m["changes"][0] for m in found["metrics"] if not m["primary"]), key=lambda change: change["p"])
        self.assertGreaterEqual(len(rest), 4)
        reached = 0
        for i, change in enumerate(rest):
            reached = max(reached, min(1, change["p"] * (len(rest) - i)))
            self.near(change["p_corrected"], reached, "Holm")


if __name__ == "__main__":
    unittest.main()
