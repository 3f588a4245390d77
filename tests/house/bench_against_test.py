"""The verdict of scripts/bench hotpath --against, on numbers: whose interval lies wholly below the limit is slower, and a machine that is not quiet
says nothing."""
import random
import sys
import unittest

import tree

sys.dont_write_bytecode = True
sys.path[:0] = [str(tree.SOURCE / "bench"), str(tree.SOURCE / "tests" / "reference")]
import hotpath_against as against  # noqa: E402


def ratio(values):
    return against.ratio({"fathom": values, "old": [1.0] * len(values)}, "fathom", "old")


class BenchHotpathAgainst(unittest.TestCase):
    def test_the_interval_is_of_the_median(self):
        self.assertEqual(against.interval(list(range(11))), (1, 9))  # 2 * (1 + 11) / 2^11 is 1.2 %; with 55 more it would be 6.5 %
        self.assertEqual(against.interval([3, 1, 2, 5, 4, 6]), (1, 6))
        with self.assertRaises(ValueError):
            against.interval([1, 2, 3, 4, 5])

    def test_the_interval_has_the_stated_coverage(self):
        draw = random.Random(1)
        held = sum(low <= 0 <= high for low, high in (against.interval([draw.gauss(0, 1) for _ in range(11)]) for _ in range(2000)))
        self.assertGreater(held, 0.95 * 2000)
        self.assertLess(held, 2000)

    def test_the_verdict_is_held_slower_or_undecided(self):
        quiet, noise = [1, 1.001, 0.999] * 4, [0.9, 0.91, 0.92] * 4
        self.assertEqual(against.verdict(ratio(quiet), ratio(quiet)), "held")
        self.assertEqual(against.verdict(ratio([0.97] * 11), ratio(quiet)), "slower")
        self.assertEqual(against.verdict(ratio([0.97] * 8 + [0.99] * 3), ratio(quiet)), "held", "the interval reaches above the limit")
        self.assertEqual(against.verdict(ratio([0.97] * 11), ratio(noise)), "undecided")
        self.assertEqual(against.verdict(ratio([1.1] * 11), ratio([1.05] * 11)), "undecided")


if __name__ == "__main__":
    unittest.main()
