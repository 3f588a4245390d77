# cost: 9
"""`fathom pmu stat` on this machine's own counters: software events, tracepoints and the time stamp counter, held against what is known to have
happened and against perf."""
# timeout: 600
import json
import os
import re
import signal
import subprocess
import sys
import time
import unittest

sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], "tests", "house"))
from attempts import attempts, wait_until  # noqa: E402
import planted  # noqa: E402
from counted import FATHOM, TIMEOUT_S, build, events, may_count, perf, stat, stat_json, stat_lines

ROOT = os.geteuid() == 0
SPIN = "import time; end = time.monotonic() + 0.5\nwhile time.monotonic() < end: pass"
TSC = os.path.exists("/sys/bus/event_source/devices/msr/events/tsc")
CALLS = 4321
CALLER = build("caller", """
#include <sys/syscall.h>
#include <unistd.h>
int main(void) { for (int i = 0; i < %d; ++i) syscall(SYS_getppid); return 0; }
""" % CALLS)
FAULTS = 2000
TOUCHER = build("toucher", """
#include <sys/mman.h>
int main(void) {
  char* m = (char*)mmap(0, %d * 4096ul, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(m, %d * 4096ul, MADV_NOHUGEPAGE);
  for (int i = 0; i < %d; ++i) m[i * 4096ul] = 1;
  return 0;
}
""" % (FAULTS, FAULTS, FAULTS))


def children(pid):
    """Those that run a program of their own."""
    try:
        with open(f"/proc/{pid}/task/{pid}/children") as words:
            return [child for child in words.read().split() if not os.path.samefile(f"/proc/{child}/exe", FATHOM)]
    except OSError:
        return []


def tracepoints_reason():
    done = stat("-e", "raw_syscalls:sys_enter", "true")
    return "" if done.returncode == 0 else done.stderr


class PmuStatCounts(unittest.TestCase):
    def test_page_faults_of_the_program_are_counted_from_exec(self):
        idle = events(stat_json("-e", "page-faults", "--", "true")[1])["page-faults"]["count"]
        busy = events(stat_json("-e", "page-faults", "--", TOUCHER)[1])["page-faults"]["count"]
        self.assertAlmostEqual(busy - idle, FAULTS, delta=FAULTS * 0.1)
        self.assertLess(idle, 500, "what ran before exec is not counted")

    def test_tracepoints_count_calls_exactly(self):
        reason = tracepoints_reason()
        if reason:
            self.skipTest(reason)
        name = "syscalls:sys_enter_getppid"
        if stat("-e", name, "true").returncode != 0:
            self.skipTest("no syscalls:* tracepoints in this kernel")
        status, document = stat_json("-e", name, "--", CALLER)
        self.assertEqual((status, events(document)[name]["raw"]), (0, CALLS))
        raw = "raw_syscalls:sys_enter"
        without = events(stat_json("-e", raw, "--", "true")[1])[raw]["raw"]
        self.assertGreaterEqual(events(stat_json("-e", raw, "--", CALLER)[1])[raw]["raw"], CALLS)
        self.assertLess(without, CALLS)

    def test_tracepoints_by_pattern_have_a_line_each(self):
        reason = tracepoints_reason()
        if reason:
            self.skipTest(reason)
        found = events(stat_json("-e", "raw_syscalls:*", "--", CALLER)[1])
        self.assertEqual(sorted(found), ["raw_syscalls:sys_enter", "raw_syscalls:sys_exit"])

    def test_children_are_counted_too(self):
        reason = tracepoints_reason()
        if reason:
            self.skipTest(reason)
        name = "syscalls:sys_enter_getppid"
        _, document = stat_json("-e", name, "--", "sh", "-c", f"{CALLER} & {CALLER} & wait")
        self.assertGreaterEqual(events(document)[name]["raw"], 2 * CALLS)

    @attempts
    def test_all_cpus_count_the_tsc_of_every_cpu(self):
        if not (TSC and ROOT):
            self.skipTest("no msr/tsc/, or no permission for -a")
        _, document = stat_json("-a", "-e", "msr/tsc/", "--", "sleep", "1")
        _, alone = stat_json("-e", "msr/tsc/", "--", sys.executable, "-c", SPIN)
        mine = events(alone)["msr/tsc/"]
        hz = mine["raw"] / (mine["running_ns"] / 1e9)
        self.assertAlmostEqual(events(document)["msr/tsc/"]["raw"] / (os.cpu_count() * hz * document["elapsed_s"]), 1, delta=0.01)

    def test_a_group_counts_together(self):
        found = events(stat_json("-e", "{page-faults,task-clock}", "--", TOUCHER)[1])
        self.assertEqual(found["page-faults"]["running_ns"], found["task-clock"]["running_ns"])

    def test_hardware_events_this_machine_lacks_are_not_supported(self):
        _, document = stat_json("-e", "cycles,page-faults", "--", "true")
        self.assertIn(events(document)["cycles"]["state"], ("counted", "not_supported"))
        self.assertEqual(events(document)["page-faults"]["state"], "counted")

    def test_passes_runs_the_command_once_per_event(self):
        log = os.path.join(os.path.dirname(CALLER), "passes")
        done = stat("--passes", "-e", "page-faults,context-switches,task-clock", "--", "sh", "-c", f"echo x >> {log}")
        self.assertEqual(done.returncode, 0, done.stderr)
        with open(log) as lines:
            self.assertEqual(len(lines.readlines()), 3)
        self.assertIn("a separate run", done.stderr)

    def test_repeats_report_mean_and_deviation(self):
        _, document = stat_json("-r", "5", "-e", "page-faults", "--", "true")
        self.assertEqual(document["runs"], 5)
        self.assertIn("deviation_percent", document["events"][0])
        text = stat("-r", "3", "-e", "page-faults", "true").stderr
        self.assertRegex(text, r"\(3 runs\):")
        self.assertRegex(text, r"page-faults( +\( \+- +\d+\.\d\d% \))?\n")


class PmuStatSlots(unittest.TestCase):
    @attempts
    def test_slots_do_not_change_the_count_of_a_sleeping_command(self):
        command = ["sh", "-c", f"for i in $(seq 60); do {TOUCHER}; sleep 0.02; done"]
        names = ["page-faults", "task-clock"]
        truth = events(stat_json("-e", ",".join(names), "--", *command)[1])
        found = events(stat_json("--slots=2", "-e", ",".join(names), "--", *command)[1])
        for name in names:
            seen, true = found[name], truth[name]["count"]
            self.assertLess(seen["count"], 1.25 * true, name)
            self.assertGreater(seen["count"], true / 1.25, name)
            self.assertEqual((seen["whole"], seen["low"], seen["high"], seen["confidence"]), (True, seen["count"], seen["count"], 1), name)

    def test_a_load_that_counting_slows_is_counted_in_whole(self):
        """scripts/check slots makes 36 of these."""
        reason = tracepoints_reason()
        if reason or stat("-e", "syscalls:sys_enter_getppid", "true").returncode != 0:
            self.skipTest(reason or "no syscalls:* tracepoints in this kernel")
        ends = list(planted.outcomes(3))
        self.assertEqual([end for _, _, end, _ in ends], ["held"] * 3, ends)

    @unittest.skipUnless(TSC and ROOT, "no msr/tsc/, or no permission to count it")
    @attempts
    def test_software_events_take_no_turns(self):
        _, document = stat_json("--slots=2", "-e", "msr/tsc/,msr/tsc/,page-faults", "--", sys.executable, "-c", SPIN)
        turns, faults = document["events"][0], document["events"][2]
        self.assertGreater(turns["slots"], 20)
        self.assertLess(turns["running_percent"], 70)
        self.assertEqual((turns["whole"], turns["withheld"], faults["whole"], faults["slots"]), (False, False, True, 0))
        self.assertRegex(" ".join(document["notes"]), "page-faults: needs no PMU counter")

    @unittest.skipUnless(TSC and ROOT, "no msr/tsc/, or no permission to count it")
    def test_csv_has_a_name_for_every_field(self):
        done = stat("--output-format=csv", "--slots=1", "-e", "msr/tsc/,msr/tsc/", "sleep", "0.2")
        head, *rows = [line.split(",") for line in done.stderr.splitlines() if not line.startswith("#")]
        self.assertEqual([len(row) for row in rows], [len(head)] * 2, done.stderr)
        self.assertEqual(head[-4:], ["low", "high", "aliased", "state"])
        self.assertRegex(done.stderr, r"(?m)^# note: \d+ slots")

    @unittest.skipUnless(TSC and ROOT, "no msr/tsc/, or no permission to count it")
    def test_too_few_slots_are_not_counted(self):
        _, document = stat_json("--slots=500", "-e", "msr/tsc/,msr/tsc/", "--", TOUCHER)
        for name, event in events(document).items():
            self.assertEqual(event["state"], "not_counted", name)
            self.assertNotIn("count", event)
        self.assertRegex(" ".join(document["notes"]), r"too few for an estimate; at least [\d,]+ were counted")

    @unittest.skipUnless(TSC and ROOT, "no msr/tsc/, or no permission to count it")
    @attempts
    def test_unsupported_events_take_no_turns(self):
        _, document = stat_json("--slots=1", "-e", "cycles,msr/tsc/", "--", "sleep", "0.3")
        found = events(document)
        if found["cycles"]["state"] != "not_supported":
            self.skipTest("this machine has cycles")
        self.assertGreater(found["msr/tsc/"]["running_percent"], 75, "50 where two events took turns")


class PmuStatAsPerf(unittest.TestCase):
    def setUp(self):
        self.perf = perf()
        if not self.perf:
            self.skipTest("no working perf here")

    def fields(self, program):
        done = subprocess.run([*program, "-x", ";", "-e", "page-faults,context-switches,task-clock,cycles", "--", TOUCHER], capture_output=True,
                              text=True, timeout=60)
        return [line.split(";") for line in done.stderr.splitlines()]

    def test_order_units_and_page_faults_match_perf(self):
        theirs = self.fields([self.perf, "stat"])
        ours = self.fields([FATHOM, "pmu", "stat"])
        self.assertEqual([row[1:3] for row in ours], [row[1:3] for row in theirs])
        self.assertAlmostEqual(float(ours[0][0]), float(theirs[0][0]), delta=FAULTS * 0.05)
        self.assertEqual(ours[3][0], theirs[3][0], "cycles: counted or not supported, as perf")

    def test_tracepoint_counts_match_perf(self):
        reason = tracepoints_reason()
        if reason:
            self.skipTest(reason)
        name = "syscalls:sys_enter_getppid"
        done = subprocess.run([self.perf, "stat", "-x", ";", "-e", name, "--", CALLER], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.stderr.split(";")[0], str(CALLS))
        self.assertEqual(stat("-x", ";", "-e", name, "--", CALLER).stderr.split(";")[0], str(CALLS))

    def test_columns_match_perf(self):
        ours = stat("-e", "page-faults,cycles", "true").stderr.splitlines()
        theirs = subprocess.run([self.perf, "stat", "-e", "page-faults,cycles", "true"], capture_output=True, text=True).stderr.splitlines()
        column = lambda lines, word: next(line.index(word) for line in lines if word in line)
        for word in ("page-faults", "seconds time elapsed", "seconds user", "seconds sys"):
            self.assertEqual(column(ours, word), column(theirs, word), word)


    def both(self, *arguments):
        """What perf prints and what fathom prints, as lines."""
        theirs = subprocess.run([self.perf, "stat", *arguments], capture_output=True, text=True, timeout=60)
        return theirs.stderr.splitlines(), stat(*arguments).stderr.splitlines()

    def test_default_events_match_perf(self):
        cases = [["true"], ["-d", "true"], ["-ddd", "--", "true"], ["-d", "-e", "cs", "true"]]
        for arguments in cases + ([["-a", "true"], ["-C", "0", "true"]] if ROOT else []):
            theirs, ours = self.both("-x", ";", *arguments)
            named = lambda lines: [line.split(";")[1:3] for line in lines if ";" in line]
            self.assertEqual(named(ours), named(theirs), arguments)

    def test_metrics_match_perf(self):
        theirs, ours = self.both("-x", ";", "-e", "task-clock,page-faults,cycles", "--", TOUCHER)
        units = lambda lines: [(line.split(";")[2], line.split(";")[6]) for line in lines]
        self.assertEqual(units(ours), units(theirs))

    @unittest.skipUnless(ROOT, "-a needs root")
    def test_rows_of_cpus_match_perf(self):
        for how in ("-A", "--per-core", "--per-die", "--per-socket"):
            columns = {"-A": 1}.get(how, 2)
            place = lambda lines: [line.split(";")[:columns] + line.split(";")[columns + 1:columns + 3] for line in lines if ";" in line]
            theirs, ours = self.both("-x", ";", "-a", how, "-e", "task-clock,cs", "true")
            self.assertEqual(place(ours), place(theirs), how)
            theirs, ours = self.both("-a", how, "-e", "task-clock,cs", "true")
            shape = lambda lines: [(re.match(r"\S+ +(\d+(?= {3}))?", line)[0], line.index(" msec task-clock"), line.index("# "))
                                   for line in lines if "task-clock" in line]
            self.assertEqual([row[1:] for row in shape(ours)], [row[1:] for row in shape(theirs)], how)
            theirs, ours = self.both("-I", "20", "-a", how, "-e", "task-clock,cs", "sleep", "0.03")
            self.assertEqual(ours[0], theirs[0], "the head of intervals")

    def test_json_has_perfs_keys_in_perfs_order(self):
        cases = [[], ["-r", "2"], ["-I", "10"]] + ([["-a", "-A"], ["-a", "--per-socket"], ["-a", "--per-core", "-I", "10"]] if ROOT else [])
        for arguments in cases:
            theirs, ours = ([json.loads(line) for line in lines] for lines in self.both("-j", *arguments, "-e", "task-clock,cs", "sleep", "0.03"))
            keys = list(theirs[0])
            self.assertEqual(list(ours[0])[:len(keys)], keys, arguments)
            self.assertEqual([type(ours[0][key]) for key in keys if key != "variance"], [type(theirs[0][key]) for key in keys if key != "variance"])
            self.assertEqual(ours[1]["event"], theirs[1]["event"])

    def test_a_deviation_stands_where_perf_has_it(self):
        for lines in self.both("-x", ";", "-r", "2", "-e", "cs", "true"):
            self.assertTrue(lines[0].split(";")[3].endswith("%"), lines)


READY = "import mmap, sys; print(flush=True); sys.stdin.readline(); m = mmap.mmap(-1, 4096 * %d, mmap.MAP_PRIVATE); m.madvise(mmap.MADV_NOHUGEPAGE)\n"
TOUCH = READY % FAULTS + f"for i in range({FAULTS}): m[i * 4096] = 1"
# The main thread waits for the line; another one touches the pages.
TOUCH_IN_THREAD = (f"import mmap, sys, threading\nm = mmap.mmap(-1, 4096 * {FAULTS}, mmap.MAP_PRIVATE); m.madvise(mmap.MADV_NOHUGEPAGE)\n"
                   f"def touch():\n    sys.stdin.readline()\n    for i in range({FAULTS}): m[i * 4096] = 1\n"
                   "other = threading.Thread(target=touch); other.start(); print(other.native_id, flush=True); other.join()")


class PmuStatOfTasks(unittest.TestCase):
    """A process that runs already goes on when the first interval shows that it is counted."""
    def faults(self, script, options):
        work = subprocess.Popen([sys.executable, "-c", script], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.addCleanup(work.kill)
        thread = work.stdout.readline().strip()
        count = subprocess.Popen([FATHOM, "pmu", "stat", "-I", "20", "--output-format=json", "-o", "-", "-e", "page-faults",
                                  *options(work.pid, thread)], stdout=subprocess.PIPE, text=True)
        self.addCleanup(count.kill)
        count.stdout.readline()
        work.communicate("go\n", timeout=TIMEOUT_S)
        lines, _ = count.communicate(timeout=TIMEOUT_S)
        self.assertEqual(count.returncode, 0)
        return json.loads(lines.splitlines()[-1])

    def test_a_process_is_counted_until_it_ends(self):
        document = self.faults(TOUCH, lambda process, _: ["-p", str(process)])
        self.assertGreaterEqual(events(document)["page-faults"]["raw"], FAULTS)
        self.assertEqual((document["target"], document["command"]), ("processes", ""))

    def test_all_threads_of_a_process_are_counted(self):
        document = self.faults(TOUCH_IN_THREAD, lambda process, _: ["-p", str(process)])
        self.assertGreaterEqual(events(document)["page-faults"]["raw"], FAULTS)

    def test_a_thread_is_counted_alone(self):
        self.assertGreaterEqual(events(self.faults(TOUCH_IN_THREAD, lambda _, thread: ["-t", thread]))["page-faults"]["raw"], FAULTS)
        main = events(self.faults(TOUCH_IN_THREAD, lambda process, _: ["-t", str(process)]))["page-faults"]
        self.assertLess(main.get("raw", 0), FAULTS)

    def test_a_timeout_ends_the_command(self):
        done = stat("--timeout", "20", "-e", "cs", "sleep", "50")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("seconds time elapsed", done.stderr)

    def test_a_delay_leaves_the_beginning_out(self):
        _, document = stat_json("-D", "10000", "-e", "page-faults", "--", TOUCHER)
        self.assertEqual(document["events"][0]["state"], "not_counted", "it had ended before")


class PmuStatCommand(unittest.TestCase):
    def test_the_exit_status_is_the_commands(self):
        self.assertEqual(stat("-e", "cs", "sh", "-c", "exit 3").returncode, 3)
        self.assertEqual(stat("-e", "cs", "sh", "-c", "kill -9 $$").returncode, 128 + 9)

    def test_a_command_that_cannot_start_exits_with_127(self):
        done = stat("-e", "cs", "--", "/nonexistent/program")
        self.assertEqual(done.returncode, 127, done.stderr)
        self.assertIn("No such file or directory", done.stderr)
        self.assertNotIn("Performance counter stats", done.stderr)

    def test_the_commands_output_is_passed_through(self):
        done = stat("-e", "cs", "--", "echo", "hello")
        self.assertEqual(done.stdout, "hello\n")

    def started(self, *command):
        """In a process group of its own, as a shell would give it; a signal to the group is what a terminal sends."""
        run = subprocess.Popen([FATHOM, "pmu", "stat", "-e", "page-faults", *command], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                               start_new_session=True)
        self.addCleanup(run.kill)
        self.assertTrue(wait_until(lambda: children(run.pid)), "the command has begun")
        return run

    def test_ctrl_c_ends_the_command_and_prints(self):
        run = self.started("sleep", "60")
        os.killpg(run.pid, signal.SIGINT)
        _, err = run.communicate(timeout=20)
        self.assertIn("seconds time elapsed", err)
        self.assertEqual(run.returncode, 128 + signal.SIGINT, "the terminal's signal, and none of ours")

    def test_a_command_may_handle_ctrl_c(self):
        script = "trap 'sleep 0.3; echo handled; exit 7' INT; while :; do sleep 0.1; done"
        run = self.started("sh", "-c", script)
        self.assertTrue(wait_until(lambda: children(children(run.pid)[0])), "its trap is set")
        os.killpg(run.pid, signal.SIGINT)
        out, err = run.communicate(timeout=20)
        self.assertEqual((run.returncode, out), (7, "handled\n"), err)

    def test_a_second_ctrl_c_ends_a_command_that_ignored_the_first(self):
        run = self.started("sleep", "60")
        run.send_signal(signal.SIGINT)
        time.sleep(0.5)
        self.assertIsNone(run.poll(), "one is for the command")
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=20)
        self.assertEqual(run.returncode, 128 + signal.SIGTERM, err)
        self.assertIn("seconds time elapsed", err)

    def test_sigterm_ends_the_command_at_once(self):
        run = self.started("sleep", "60")
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=20)
        self.assertEqual(run.returncode, 128 + signal.SIGTERM)

    def test_a_closed_pipe_ends_it_and_the_command(self):
        mark = f"{60 + os.getpid() / 1e6:.6f}"
        begin = time.monotonic()
        done = subprocess.run(["sh", "-c", f"{FATHOM} pmu stat -I 50 -o - -e page-faults sleep {mark} | head -1"], capture_output=True, text=True,
                              timeout=30)
        self.assertLess(time.monotonic() - begin, 20)
        self.assertIn("counts unit events", done.stdout)
        self.assertIn("Broken pipe", done.stderr)
        left = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True).stdout.splitlines()
        self.assertNotIn(f"sleep {mark}", left)

    def test_without_a_command_it_counts_until_ctrl_c(self):
        if not ROOT:
            self.skipTest("-a needs root")
        run = subprocess.Popen([FATHOM, "pmu", "stat", "-a", "-I", "100", "-e", "context-switches"], stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.kill)
        row = re.compile(r"^ +\d+\.\d{9} +[\d,]+ +context-switches$")
        seen = [run.stderr.readline() for _ in range(6)]  # two lines of a head may be among them
        self.assertGreaterEqual(sum(bool(row.match(line)) for line in seen), 4, seen)
        run.send_signal(signal.SIGINT)
        _, err = run.communicate(timeout=20)
        self.assertEqual(run.returncode, 0, err)

    def test_intervals_add_up(self):
        name = "page-faults"
        intervals, document = stat_lines("-I", "50", "-e", name, "--", "sh", "-c", f"{TOUCHER}; sleep 0.4; {TOUCHER}")
        total = events(document)[name]["raw"]
        self.assertGreaterEqual(len(intervals), 3)
        self.assertEqual(sum(i["events"][0].get("raw", 0) for i in intervals), total)

    def test_json_intervals_are_written_while_it_runs(self):
        run = subprocess.Popen([FATHOM, "pmu", "stat", "--output-format=json", "-o", "-", "-I", "50", "-e", "page-faults", "sleep", "20"], stdout=subprocess.PIPE, text=True)
        self.addCleanup(run.kill)
        self.assertLess(json.loads(run.stdout.readline())["time_s"], 10)
        self.assertIsNone(run.poll())
        run.send_signal(signal.SIGTERM)
        run.communicate(timeout=20)

    def test_csv_has_a_header_row(self):
        done = stat("--output-format=csv", "-e", "page-faults", "true")
        head, row = done.stderr.splitlines()
        self.assertEqual(head.split(",")[:3], ["count", "unit", "event"])
        self.assertEqual(len(head.split(",")), len(row.split(",")))

    def test_output_file_is_overwritten_or_appended(self):
        path = os.path.join(os.path.dirname(CALLER), "out.txt")
        self.assertEqual(stat("-o", path, "-e", "cs", "true").stderr, "")
        stat("-o", path, "--append", "-e", "cs", "true")
        with open(path) as text:
            self.assertEqual(text.read().count("Performance counter stats"), 2)
        self.assertEqual(json.loads(stat("--output-format=json", "-o", "-", "-e", "cs", "true").stdout)["format_version"], 1)


# What follows `fathom pmu stat`, the exit status, words of the message.
WRONG = [
    (["-e", "nosuch", "true"], 2, "no event `nosuch`"),
    (["-e", "page-fault", "true"], 2, "did you mean `page-faults`?"),
    (["-e", "nosuch/x/", "true"], 2, "no PMU `nosuch`"),
    (["-e", "cs,,cs", "true"], 2, "<event>:1:4"),
    (["-e", "cs:z", "true"], 2, "no modifier"),
    (["-A", "true"], 2, "need -a or -C"),
    (["-p", "2147483646", "-e", "cs"], 2, "no such process"),
    (["-C", "60000", "-e", "cs", "true"], 2, "is not online"),
    (["-e", "cs"], 2, "no command"),
    (["-e", "cs", "-o", "/nonexistent/file", "true"], 4, "/nonexistent/file"),
    (["-e", "cs", "--no-such-option", "true"], 2, "no option"),
]


class PmuStatBadInput(unittest.TestCase):
    def test_it_is_refused_before_anything_runs(self):
        for arguments, status, words in WRONG:
            done = stat(*arguments)
            self.assertEqual(done.returncode, status, (arguments, done.stderr))
            self.assertIn(words, done.stderr, arguments)
            self.assertNotIn("Performance counter stats", done.stderr)

    def test_an_unknown_action_is_answered_with_the_nearest(self):
        done = subprocess.run([FATHOM, "pmu", "stats"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 2)
        self.assertIn("`fathom pmu stat`", done.stderr)

    def test_without_permission_it_names_the_sysctl_and_counts_user_mode(self):
        if not ROOT:
            self.skipTest("needs root to become somebody else")
        with open("/proc/sys/kernel/perf_event_paranoid") as level:
            if int(level.read()) != 2:
                self.skipTest("kernel.perf_event_paranoid is not 2 here")
        def nobody():
            os.setgid(65534)
            os.setuid(65534)
        denied = subprocess.run([FATHOM, "pmu", "stat", "-a", "-e", "cs", "true"], capture_output=True, text=True, preexec_fn=nobody)
        self.assertEqual(denied.returncode, 3, denied.stderr)
        self.assertIn("kernel.perf_event_paranoid is 2", denied.stderr)
        self.assertIn("sysctl kernel.perf_event_paranoid=0", denied.stderr)
        allowed = subprocess.run([FATHOM, "pmu", "stat", "-e", "page-faults", "true"], capture_output=True, text=True, preexec_fn=nobody)
        self.assertEqual(allowed.returncode, 0, allowed.stderr)
        self.assertIn("page-faults:u", allowed.stderr)
        self.assertIn("user mode only", allowed.stderr)
        kernel = subprocess.run([FATHOM, "pmu", "stat", "-e", "page-faults:k", "true"], capture_output=True, text=True, preexec_fn=nobody)
        self.assertEqual(kernel.returncode, 3, kernel.stderr)
        self.assertIn("kernel.perf_event_paranoid is 2", kernel.stderr)


if __name__ == "__main__":
    if not may_count():
        print("no counters here: " + stat("-e", "page-faults", "true").stderr)
        sys.exit(77)
    unittest.main()
