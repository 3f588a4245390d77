# lock: paging
"""Called as pmbench: its XML, read by the schema of pmbench's own reports (element names and order, bucket edges, sums), and the same
numbers back through --import."""
# label: test
# timeout: 110
import json
import os
import re
import subprocess
import tempfile
import time
import unittest
import xml.etree.ElementTree as ET

import machine

ARGS = ["-m", "16", "-s", "8", "-r", "70", "-j", "2", "-e", "1.5", "-o", "7", "-c", "1"]
SIGNATURE = ["pmbench_info", "os_info", "time_info", "uuid", "params"]
PARAMS = "duration mapsize setsize initialize shape delay quiet cold jobs offset ratio pattern access tsops".split()


def names(element):
    return [child.tag for child in element]


class PmbenchXml(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.TemporaryDirectory()
        cls.file = os.path.join(cls.folder.name, "r.xml")
        cls.run_ = machine.call(*ARGS, "-f", cls.file, program=machine.PMBENCH)
        cls.report = ET.parse(cls.file).getroot().find("report")

    @classmethod
    def tearDownClass(cls):
        cls.folder.cleanup()

    def test_a_run_succeeds_and_prints_text(self):
        self.assertEqual(self.run_.returncode, 0, self.run_.stderr)
        self.assertIn("accesses", self.run_.stdout)
        self.assertNotIn("<report", self.run_.stdout)

    def test_text_has_the_lines_that_lkp_parses(self):
        """The patterns of LKP's statistics of pmbench, and the seventh word of the net average; the same numbers as in the XML."""
        out = self.run_.stdout
        done = re.findall(r"^\[(\d+)\] Benchmark done - took (\d+\.\d+) sec for (\d+) page access$", out, re.M)
        threads = self.report.findall("result/result_thread")
        self.assertEqual([(n, count) for n, _, count in done],
                         [(t.get("thread_num"), t.find("result_details/details_samples").text) for t in threads])
        for _, seconds, _ in done:
            self.assertGreaterEqual(float(seconds), 0.9)
        nets = [line.split()[6] for line in out.splitlines() if "Net average page latency" in line]
        self.assertEqual(nets, [t.find("result_netavg/netavg_us").text for t in threads])
        for kind, section in zip(("read", "write"), out.split("Read:\n")[1].split("Write:\n")):
            rows = re.findall(r"^2\^\((\d+),(\d+)\) ns: (\d+)", section, re.M)
            buckets = self.report.findall(f"statistics/histogram[@type='{kind}']/histo_bucket")
            self.assertEqual([(int(low), int(high), count) for low, high, count in rows],
                             [(int(b.find("bucket_interval/interval_lo").text), int(b.find("bucket_interval/interval_hi").text),
                               b.find("sum_count").text) for b in buckets])

    def test_elements_stand_in_pmbenchs_order(self):
        self.assertEqual(ET.parse(self.file).getroot().tag, "pmbenchmark")
        self.assertEqual(names(self.report)[:5], ["signature", "machine_info", "result", "statistics", "sys_mem_info"])
        self.assertEqual(names(self.report.find("signature"))[:5], SIGNATURE)

    def test_params_hold_the_options_given(self):
        params = self.report.find("signature/params")
        self.assertEqual(names(params)[:len(PARAMS)], PARAMS)
        text = {child.tag: child.text for child in params}
        wanted = {"duration": "1", "mapsize": "16", "setsize": "8", "cold": "1", "jobs": "2", "offset": "7", "ratio": "70", "shape": "1.5000",
                  "pattern": "uniform", "access": "histo", "tsops": "rdtscp", "initialize": "0"}
        self.assertEqual({k: text[k] for k in wanted}, wanted)

    def test_each_thread_has_its_result(self):
        threads = self.report.findall("result/result_thread")
        self.assertEqual(len(threads), 2)
        for t in threads:
            self.assertEqual(names(t)[:2], ["result_netavg", "result_details"])
            self.assertIsNone(t.find("warmup_details"))
            self.assertGreater(float(t.find("result_netavg/netavg_us").text), 0)
            self.assertGreater(int(t.find("result_details/details_samples").text), 1000)

    def test_histograms_have_pmbenchs_buckets_and_sums(self):
        total = 0
        for kind in ("read", "write"):
            histogram = self.report.find(f"statistics/histogram[@type='{kind}']")
            buckets = histogram.findall("histo_bucket")
            self.assertEqual(len(buckets), 24)
            self.assertEqual([int(b.get("index")) for b in buckets], [*range(16), *[0] * 8])
            edges = [(int(b.find("bucket_interval/interval_lo").text), int(b.find("bucket_interval/interval_hi").text)) for b in buckets]
            self.assertEqual(edges[:2] + edges[15:17] + edges[-1:], [(0, 8), (8, 9), (22, 23), (23, 24), (30, 32)])
            for b in buckets:
                hexes = b.findall("bucket_hexes/hex")
                self.assertEqual(len(hexes), 16 if 1 <= int(b.get("index")) else 0)
                if hexes:
                    self.assertEqual(sum(int(h.text) for h in hexes), int(b.find("sum_count").text))
                total += int(b.find("sum_count").text)
        samples = sum(int(t.find("result_details/details_samples").text) for t in self.report.findall("result/result_thread"))
        self.assertEqual(total, samples)

    def test_memory_snapshots_have_pmbenchs_names_and_fields(self):
        items = self.report.findall("sys_mem_info/sys_mem_item")
        # Without a warm-up nothing stands before it: pmgraph knows the snapshots by their places, one fewer with -c.
        self.assertEqual([i.get("name") for i in items], ["pre-run", "mid-run", "post-run", "post-unmap"])
        for i in items:
            fields = names(i.find("mem_item_info"))
            self.assertEqual(fields, "free_kib buffer_kib cache_kib active_kib inactive_kib pgpgin pgpgout pswpin pswpout pgmajfault".split())
            self.assertGreater(int(i.find("mem_item_info/free_kib").text), 0)
            delta = i.find("mem_item_delta")
            self.assertEqual(delta is None, i.get("name") == "post-unmap")
            if delta is not None:
                self.assertEqual(names(delta), fields)

    def test_import_gives_back_the_same_xml(self):
        back = machine.paging("--import", self.file, "--output-format=xml")
        self.assertEqual(back.returncode, 0, back.stderr)
        again = ET.fromstring(back.stdout).find("report")
        for part in ("statistics", "result", "sys_mem_info"):
            self.assertEqual(ET.tostring(again.find(part)).split(), ET.tostring(self.report.find(part)).split(), part)

    def test_import_prints_it_in_every_other_format(self):
        for form in ("text", "csv", "json"):
            run = machine.paging("--import", self.file, "--output-format=" + form)
            self.assertEqual(run.returncode, 0, run.stderr)
            self.assertGreater(len(run.stdout), 500, form)
        self.assertIn("paging", json.loads(run.stdout)["fathom"])


class PmbenchWarmUp(unittest.TestCase):
    def test_a_run_without_c_reports_its_warm_up(self):
        with tempfile.NamedTemporaryFile(suffix=".xml") as file:
            run = machine.call("-m", "8", "-s", "4", "-q", "-f", file.name, "1", program=machine.PMBENCH)
            self.assertEqual(run.returncode, 0, run.stderr)
            report = ET.parse(file.name).getroot().find("report")
        self.assertEqual(report.find("signature/params/cold").text, "0")
        items = report.findall("sys_mem_info/sys_mem_item")
        self.assertEqual([i.get("name") for i in items], ["pre-warmup", "pre-run", "mid-run", "post-run", "post-unmap"])
        thread = report.find("result/result_thread")
        self.assertEqual(names(thread), ["result_netavg", "result_details", "warmup_details"])
        self.assertEqual(names(thread.find("warmup_details")), ["warmup_latency", "warmup_total"])
        self.assertGreater(int(thread.find("warmup_details/warmup_total").text), 0)
        self.assertGreater(float(thread.find("warmup_details/warmup_latency/warmup_us").text), 0)


class PmbenchAffinitySets(unittest.TestCase):
    def test_each_y_has_its_own_map_and_threads_on_its_cpu(self):
        cpus = sorted(os.sched_getaffinity(0))
        sets = [cpus[0], cpus[-1]]
        with tempfile.NamedTemporaryFile(suffix=".xml") as file:
            run = machine.call("-m", "8", "-s", "4", "-c", "-q", "-y", f"{sets[0]}:2", "-y", f"{sets[1]}:2", "-f", file.name, "1",
                               program=machine.PMBENCH)
            self.assertEqual(run.returncode, 0, run.stderr)
            report = ET.parse(file.name).getroot().find("report")
        self.assertEqual(len(report.findall("result/result_thread")), 4)
        rows = [line.split() for line in run.stdout.splitlines() if line.split()[:1] and line.split()[0] in ("0.0", "0.1", "1.0", "1.1")]
        self.assertEqual([row[1] for row in rows], [str(sets[0])] * 2 + [str(sets[1])] * 2, run.stdout)


def cpus_of_threads(pid):
    """For each measuring process (a child), the CPU lists of its threads beside the first; and of its memory the policies with a bind."""
    cpus, bound = [], []
    for child in machine.read(f"/proc/{pid}/task/{pid}/children").split():
        tasks = sorted(set(os.listdir(f"/proc/{child}/task")) - {child}, key=int)
        statuses = [machine.read(f"/proc/{child}/task/{t}/status") for t in tasks]
        cpus.append([re.search(r"Cpus_allowed_list:\t(\S+)", s).group(1) for s in statuses])
        maps = f"/proc/{child}/numa_maps"
        bound.append([line.split()[1] for line in machine.read(maps).splitlines() if " bind" in line] if os.path.exists(maps) else None)
    return cpus, bound


class PmbenchUnequalAffinitySets(unittest.TestCase):
    """-y A:2 -y B:1 -y A:3: each set a map, its threads on its CPUs and its memory on their nodes."""

    def run_and_look(self, sets, file):
        words = [word for cpu, threads in sets for word in ("-y", f"{cpu}:{threads}")]
        process = subprocess.Popen([machine.PMBENCH, "-m", "8", "-s", "4", "-c", "-q", *words, "-f", file, "2"], stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True)
        wanted, seen = [[str(cpu)] * threads for cpu, threads in sets], None
        while process.poll() is None and (seen is None or seen[0] != wanted or [] in seen[1]):
            time.sleep(0.02)
            try:
                seen = cpus_of_threads(process.pid)
            except (FileNotFoundError, ProcessLookupError):
                pass
        out, err = process.communicate(timeout=80)
        self.assertEqual(process.returncode, 0, err)
        return wanted, seen, out

    @unittest.skipIf(machine.SLOW_BUILD, "a sanitizer has threads of its own")
    def test_each_set_has_its_thread_count_cpu_and_memory_binding(self):
        cpus = sorted(os.sched_getaffinity(0))
        with tempfile.NamedTemporaryFile(suffix=".xml") as file:
            wanted, seen, out = self.run_and_look([(cpus[0], 2), (cpus[-1], 1), (cpus[0], 3)], file.name)
            report = ET.parse(file.name).getroot().find("report")
            back = machine.paging("--import", file.name, "--output-format=json")
        self.assertEqual(seen[0], wanted)
        if os.path.isdir("/sys/devices/system/node/node0"):
            self.assertTrue(all(len(policies) == 1 and policies[0].startswith("bind:") for policies in seen[1]), seen[1])
        self.assertIn("3 processes of 2, 1, 3 threads", " ".join(out.split()))
        self.assertEqual(report.find("signature/params/jobs").text, "6")
        self.assertEqual(len(report.findall("result/result_thread")), 6)
        threads = json.loads(back.stdout)["fathom"]["paging"]["workers"]
        self.assertEqual([(t["process"], t["thread"]) for t in threads], [(0, 0), (0, 1), (1, 0), (2, 0), (2, 1), (2, 2)])
        rows = [line.split() for line in out.splitlines() if re.match(r" +[0-2]\.[0-2] ", line)]
        self.assertEqual([row[:2] for row in rows], [[f"{t['process']}.{t['thread']}", c] for t, c in zip(threads, sum(wanted, []))])


class ReportFile(unittest.TestCase):
    def test_an_existing_report_survives_a_run_that_fails(self):
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write("older")
            file.flush()
            run = machine.call("-m", "4194304", "-s", "4194304", "-f", file.name, "1", program=machine.PMBENCH)
            self.assertEqual(run.returncode, 2, run.stderr)
            run = machine.paging("--memory=file-shared:" + file.name, "--map=1M", "--duration=0.1", "--output=" + file.name)
            self.assertNotEqual(run.returncode, 0)
            self.assertEqual(machine.read(file.name), "older")


class PmbenchOutput(unittest.TestCase):
    """What argp_parse(3) gives pmbench: to standard output, with status 0, wherever it stands."""

    def printed(self, *args):
        run = machine.call(*args, program=machine.PMBENCH)
        self.assertEqual((run.returncode, run.stderr), (0, ""))
        return run.stdout

    def test_version_help_and_usage_go_to_standard_output(self):
        self.assertEqual(self.printed("-V"), self.printed("-m", "64", "--version", "5"))
        self.assertIn("--affinityset=CPUS[:THREADS]", self.printed("-c", "-?"))
        self.assertTrue(self.printed("--usage").startswith("usage: pmbench [-"))

    def test_mistakes_go_to_standard_error(self):
        for args in ([], ["-m"], ["--nothing", "1"], ["1", "2"], ["-qw", "1"], ["-m", "1", "-s", "2", "1"]):
            run = machine.call(*args, program=machine.PMBENCH)
            self.assertNotEqual(run.returncode, 0, args)
            self.assertEqual(run.stdout, "", args)
            self.assertIn("error:", run.stderr, args)


class PmbenchTimestampOption(unittest.TestCase):
    def test_perfc_measures_with_clock_gettime(self):
        run = machine.call("-m", "8", "-s", "4", "-t", "perfc", "-c", "-q", "1", program=machine.PMBENCH)
        self.assertEqual(run.returncode, 0, run.stderr)
        self.assertIn("clock_gettime", run.stdout)


if __name__ == "__main__":
    unittest.main()
