"""What attempts.py gives: the last attempt counts, a later pass is noted, and what always fails still fails."""
import os
import sys
import tempfile
import unittest
import unittest.mock

sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], "tests", "house"))
from attempts import MOST, attempts, until_clean  # noqa: E402


class Attempts(unittest.TestCase):
    @unittest.mock.patch.dict(os.environ, FATHOM_LATER_ATTEMPTS="")
    def test_the_last_attempt_counts(self):
        seen, failures = [], ["before"]

        class Case(unittest.TestCase):
            @attempts
            def runTest(self):
                seen.append(1)
                self.assertEqual(len(seen), MOST)

            @attempts
            def fails(self):
                self.fail("always")
        Case().runTest()
        with self.assertRaises(AssertionError):
            Case("fails").fails()
        until_clean(failures, lambda: failures.append("more"))
        self.assertEqual(failures, ["before", "more"])

    def test_a_later_pass_is_noted(self):
        with tempfile.NamedTemporaryFile("r") as kept, unittest.mock.patch.dict(os.environ, FATHOM_LATER_ATTEMPTS=kept.name):
            failures, left = [], ["once"]
            until_clean(failures, lambda: failures.append(left.pop()) if left else None)
            until_clean(failures, lambda: None)
            self.assertEqual(failures, [])
            self.assertEqual(kept.read().count("at attempt 2"), 1)


if __name__ == "__main__":
    unittest.main()
