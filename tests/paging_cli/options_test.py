# lock: paging
"""Mistakes on the command line of `fathom paging` and of `pmbench`: what is said, where, and the exit status; nothing is measured."""
# label: quick
# timeout: 240
import os
import tempfile
import unittest

import machine


class PagingOptions(unittest.TestCase):
    def refused(self, words, *args, status=2, **more):
        run = machine.paging(*args, **more)
        self.assertEqual(run.returncode, status, run.stderr)
        self.assertIn(words, run.stderr)
        self.assertEqual(run.stdout, "")
        return run.stderr

    def test_unknown_option_is_refused_with_place_and_suggestion(self):
        text = self.refused("did you mean `--threads`?", "--map=64M", "--treads=2")
        self.assertIn("<command line>:1:11: error", text)
        self.assertIn("    --map=64M --treads=2\n              ^^^^^^^^", text)

    def test_values_out_of_range_are_refused(self):
        self.refused("the smallest value is 1ms", "--duration=0")
        self.refused("not between 0 and 100", "--read-ratio=101")
        self.refused("larger than the map", "--map=64M", "--set=128M")
        self.refused("whole pages", "--map=4097")

    def test_a_shape_out_of_range_is_refused(self):
        self.refused("shape", "--pattern=zipf", "--shape=-3")
        self.refused("shape", "--pattern=linear", "--shape=0")

    def test_unknown_pattern_and_action_are_refused_with_a_suggestion(self):
        self.refused("uniform", "--pattern=unifrom")
        self.refused("did you mean `fathom paging breakdown`?", "brakdown")

    def test_a_set_that_does_not_fit_is_refused_with_numbers_and_force(self):
        text = self.refused("", "--set=100T", "--duration=1")
        self.assertRegex(text, r"[0-9].*[0-9]")
        self.assertIn("--force", text)

    def test_an_unknown_setting_is_refused_with_a_suggestion(self):
        self.refused("did you mean `vm.swappiness`?", "--setting=vm.swapiness=1", "--duration=1")

    def test_a_name_near_none_is_answered_with_all_names(self):
        for words, args in (("There are: normal, random", ["--madvise=bogus"]), ("known values: vm.page-cluster", ["--setting=vm.foo=1"]),
                            ("with `fathom paging learn`", ["--pattern=profile:/etc/passwd"])):
            self.assertNotIn("did you mean", self.refused(words, *args, "--duration=1"))

    def test_options_without_effect_are_refused(self):
        self.refused("no hot set", "--hot-set=10", "--duration=1")
        self.refused("uniform in any order", "--pattern=uniform", "--permute", "--duration=1")
        self.refused("10 ticks or fewer", "--delay=5", "--duration=1")
        self.refused("fixed seeds", "--pattern=legacy:uniform", "--seed=7", "--duration=1")
        self.refused("cannot move", "breakdown", "--swap=none", "--initial-node=0", "--membind=0")
        self.refused("nothing is measured with --import", "--import=/nowhere/x.xml", "--duration=1")
        self.refused("a breakdown cannot import", "breakdown", "--swap=none", "--import=/nowhere/x.xml")

    def test_too_few_huge_pages_name_nr_hugepages(self):
        if not os.path.exists("/proc/sys/vm/nr_hugepages"):
            self.skipTest("this kernel has no huge pages")
        self.refused("sysctl vm.nr_hugepages=", "--memory=hugetlb", "--set=1T", "--force", "--duration=1")

    def test_incomplete_or_conflicting_swap_values_are_refused(self):
        self.refused("zram:2G", "--swap=zram")
        self.refused("breakdown", "--swap=none", "--swap=current")
        self.refused("--swap is missing", "breakdown")

    def test_missing_files_exit_with_4(self):
        self.refused("/nowhere/p", "--pattern=profile:/nowhere/p", status=4)
        self.refused("/nowhere/x.xml", "--import=/nowhere/x.xml", status=4)
        self.refused("/nowhere/r", "--output=/nowhere/r", status=4)

    def test_a_folder_given_as_a_file_is_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            for args in (["--import=" + folder], ["--pattern=profile:" + folder]):
                text = self.refused("Is a directory", *args, status=4)
                self.assertIn(folder, text)

    def test_importing_malformed_xml_names_its_line(self):
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write("<a>\n<b></a>\n")
            file.flush()
            self.refused(file.name + ":2:", "--import=" + file.name)

    def test_every_action_prints_help(self):
        for args in (["--help"], ["-h"], ["help"], ["run", "--help"], ["breakdown", "-h"], ["learn", "-h"], ["cleanup", "-h"]):
            run = machine.paging(*args)
            self.assertEqual((run.returncode, run.stderr), (0, ""), args)
            self.assertIn("usage: fathom paging", run.stdout)
        self.assertEqual(machine.paging().returncode, 2)

    def test_learn_exits_with_its_commands_status(self):
        if os.geteuid() != 0:
            self.skipTest("not root")
        spin = "import os, time; b = bytearray(8 << 20); end = time.time() + 3\nwhile time.time() < end: b[::4096] = b'x' * len(b[::4096])"
        run = machine.paging("learn", "--duration=1", "--", "python3", "-c", spin + "\nos._exit(7)")
        self.assertEqual(run.returncode, 7, run.stderr)

    def test_learn_wants_exactly_one_pid_or_command(self):
        self.refused("--pid and the command are missing", "learn")
        self.refused("exclude each other", "learn", "--pid=1", "--", "true")

    def test_cleanup_without_stale_state_succeeds(self):
        if os.geteuid() == 0:
            self.assertEqual(machine.paging("cleanup").returncode, 0)
        self.refused("takes no arguments", "cleanup", "now")


class PmbenchOptions(unittest.TestCase):
    def refused(self, words, *args):
        run = machine.call(*args, program=machine.PMBENCH)
        self.assertEqual(run.returncode, 2, run.stderr)
        self.assertIn(words, run.stderr)

    def test_mistakes_are_refused_with_the_cause(self):
        self.refused("the duration is missing")
        self.refused("larger than the map of 64 MiB", "-m", "64", "1")
        self.refused("no option `--limit`", "-m", "64", "--limit=5", "1")
        self.refused("excludes -j", "-y", "0", "-j", "2", "1")
        self.refused("an option of pmbench (xalloc), which its own build has switched off", "-x", "1")
        self.refused("an option of pmbench (xalloc), which its own build has switched off", "-cX", "1")
        self.refused("-e 0.5: not from 1 to", "-p", "normal", "-e", "0.5", "1")
        self.refused("CPU 60000 may not be used", "-y", "60000", "1")
        self.refused("-s 0:", "-s", "0", "1")
        self.refused("duration", "0")

    def test_help_and_version_are_printed(self):
        for arg in ("-?", "--help"):
            run = machine.call(arg, program=machine.PMBENCH)
            self.assertEqual(run.returncode, 0)
            self.assertIn("-h, --threshold", run.stdout)
        self.assertIn("fathom", machine.call("--version", program=machine.PMBENCH).stdout)


if __name__ == "__main__":
    unittest.main()
