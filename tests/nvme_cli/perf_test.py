"""`fathom nvme perf` and the same as spdk_nvme_perf on the controller in software: the job that it makes, what it reports as text, JSON and
SPDK's table, what it shows while it runs, what it refuses. No rate is held to a number: the machine decides that."""
# timeout: 600
import json
import os
import re
import pathlib
import shlex
import sys
import tempfile
import unittest

from nvme import FATHOM, fathom, is_bench_build, nvme, perf_json

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli"))
import terminals  # noqa: E402  where the tests of the terminal have it

SHORT = ["--runtime=300ms", "--clock-check=skip"]
SPDK = os.path.join(os.path.dirname(FATHOM), "spdk_nvme_perf")
CPU_CLOCK = "--clocksource=cpu"  # tricks are built for it; where the kernel has another clock it is taken only when asked for
TRICKS = ["nvme_sq_copy=words", "nvme_sq_copy=sse2", "nvme_sq_doorbell=command", "nvme_cq_doorbell=entry", "nvme_cq_doorbell=lazy",
          "nvme_lookahead=none", "nvme_cq_read=entry", "nvme_cq_read=entry nvme_lookahead=pipeline", "nvme_context=request", "nvme_trackers=page", "nvme_divide=1"]
EVERYWHERE = ("nvme_sq_copy=words",)  # a path that jobs get by themselves too


class NvmePerfJob(unittest.TestCase):
    def test_help_lists_every_switch(self):
        text = nvme("perf", "--help").stdout
        for trick in TRICKS:
            self.assertRegex(text, rf"(?m)^{trick.split('=')[0]} ")
        for option in ("--device", "--iodepth", "--numjobs", "--verify", "--output-format", "--allow-destructive", "--rate_iops"):
            self.assertIn(option, text)

    def test_parse_only_runs_nothing(self):
        done = nvme("perf", "--parse-only", *(f"--{t}" for trick in TRICKS for t in trick.split()))
        self.assertEqual((done.returncode, done.stdout), (0, ""), done.stderr)

    def test_showcmd_prints_a_job_of_run(self):
        done = nvme("perf", "--showcmd", "--iodepth=4")
        self.assertEqual(done.returncode, 0, done.stderr)
        for words in ("fathom run --name=perf ", "--ioengine=nvme", "--filename=soft ", "--iodepth=4"):
            self.assertIn(words, done.stdout)
        again = fathom("run", "--parse-only", *shlex.split(done.stdout)[2:])
        self.assertEqual(again.returncode, 0, again.stderr)

    def test_mistakes_are_refused(self):
        for arguments, words in ((["--filename=/dev/sda"], "--device"), (["--device=/dev/nvme0n1"], "PCI address"), (["--rw=sideways"], "sideways"),
                                 (["--nvme_sq_copy=magic"], "magic"), (["--device=soft:nosuch=1"], "nosuch"), (["--device=soft/ns=9"], "namespace"),
                                 (["--bs=1000", "--device=soft:bs=512"], "512")):
            done = nvme("perf", *SHORT, *arguments)
            self.assertEqual(done.returncode, 2, (arguments, done.stderr))
            self.assertIn(words, done.stderr)


class NvmePerfOnSoft(unittest.TestCase):
    def test_text_has_devices_transport_and_limit(self):
        done = nvme("perf", *SHORT, "--device=soft:ideal", "--iodepth=32")
        self.assertEqual(done.returncode, 0, done.stderr)
        for pattern in (r"^  devices perf: +IOPS +MiB/s +mean us +min us +max us$", r"^    soft\S* +\d+\.\d\d ", r"^  transport perf: 1 queue pair, .*I/Os per submission doorbell",
                        r"^  driver perf: busy [\d.]+ ns per I/O", r"^  software perf: no PCIe device took part in these rates$"):
            self.assertRegex(done.stdout, re.compile(pattern, re.M))

    def test_json_has_the_queue_and_its_devices(self):
        status, document = perf_json("--runtime=300ms", "--device=soft:ideal")
        self.assertEqual(status, 0, document)
        job = document["fathom"]["jobs"][0]
        self.assertGreater(job["read"]["iops"], 0)
        queue = job["queue"]
        self.assertEqual(queue["queue_pairs"], 1)
        self.assertEqual(queue["sq_copy"], "nontemporal", "iodepth=128")
        self.assertGreaterEqual(queue["commands"], queue["completions"])
        self.assertGreater(queue["completions"], 0)
        self.assertLessEqual(queue["sq_doorbells"], queue["commands"])
        self.assertGreaterEqual(queue["ios_per_sq_doorbell"], 1)
        self.assertTrue(0 <= queue["idle_percent"] <= 100)
        self.assertGreater(queue["busy_ns_per_io"], 0)
        self.assertEqual(queue["budget_cycles_per_io"], 400)
        device = queue["devices"][0]
        self.assertFalse(device["pcie"])
        identity = json.loads(nvme("identify", "--device=soft:ideal", "--json").stdout)
        self.assertEqual([device[k] for k in ("model", "serial", "firmware")], [identity[k].rstrip() for k in ("mn", "sn", "fr")])
        self.assertTrue(device["model"])
        self.assertEqual(document["fathom"]["program"]["argv"][:2], ["nvme", "perf"])

    def test_each_device_is_kept_at_the_depth(self):
        status, document = perf_json("--device=soft:ideal", "--device=soft:ideal", "--iodepth=8", "--number_ios=4000")
        self.assertEqual(status, 0, document)
        queue = document["fathom"]["jobs"][0]["queue"]
        self.assertEqual(queue["queue_pairs"], 2)
        self.assertEqual(len({d["name"] for d in queue["devices"]}), 2)

    def test_threads_have_queue_pairs_of_their_own(self):
        status, document = perf_json("--device=soft:ideal", "--numjobs=2", "--iodepth=4", "--runtime=300ms")
        self.assertEqual(status, 0, document)
        members = document["fathom"]["group_members"]
        self.assertEqual(len(members), 2)
        for member in members:
            self.assertTrue(member["thread"])
            self.assertEqual(member["queue"]["queue_pairs"], 1)

    def refused(self, *words):
        done = nvme("perf", "--device=soft:cqes=6", "--number_ios=1000", "--iodepth=32", "--clock-check=skip", CPU_CLOCK, *words)
        self.assertEqual((done.returncode, done.stdout), (2, ""), done.stderr)
        names = "|".join(word[2:].split("=")[0] for word in words)
        self.assertRegex(done.stderr, rf"({names}) is only in a bench build\n(.*\n)*  cause: .*\n  help: .*`cmake -DFATHOM_ABLATIONS=ON`")

    def test_every_trick_can_be_taken_away_in_a_bench_build(self):
        bench = is_bench_build()  # tests/loops/nvme_flow_test.cc takes them away in any build
        for trick in TRICKS:
            if not bench and trick not in EVERYWHERE:
                self.refused(*(f"--{t}" for t in trick.split()))
                continue
            status, document = perf_json("--device=soft:ideal", "--number_ios=4000", "--iodepth=32", CPU_CLOCK, *(f"--{t}" for t in trick.split()))
            self.assertEqual(status, 0, (trick, document))
            self.assertEqual(document["fathom"]["jobs"][0]["read"]["ios"], 4000, trick)
        if not bench:
            return
        doorbells = {d: perf_json("--device=soft:ideal", "--number_ios=4000", "--iodepth=32", CPU_CLOCK, f"--nvme_sq_doorbell={d}")[1]["fathom"]["jobs"][0]["queue"]
                     for d in ("batch", "command")}
        self.assertGreaterEqual(doorbells["command"]["sq_doorbells"], 4000)
        self.assertLess(doorbells["batch"]["sq_doorbells"], 4000)

    # effect: nvme_cqe_bytes
    def test_wide_completion_entries_where_they_are_offered(self):
        if not is_bench_build():
            return self.refused("--nvme_cqe_bytes=64")
        wide = ["--number_ios=1000", CPU_CLOCK, "--nvme_cqe_bytes=64"]
        self.assertEqual(perf_json("--device=soft:cqes=6", *wide)[0], 0)
        done = nvme("perf", "--device=soft", *wide)
        self.assertEqual(done.returncode, 2, done.stderr)

    def test_a_modelled_doorbell_is_called_a_model(self):
        done = nvme("perf", *SHORT, "--device=soft:ideal,doorbell=150ns")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("model perf: each doorbell write takes an emulated 150 ns", done.stdout)

    def test_a_slow_device_is_reported_as_the_limit(self):
        done = nvme("perf", *SHORT, "--device=soft:latency=fixed:200us", "--iodepth=1")
        self.assertRegex(done.stdout, r"(?m)^  limit perf: the device: ")

    def test_a_duplicated_completion_is_a_finding(self):
        for depth in (1, 8):  # at depth 1 the identifier may be in use again when the duplicate comes
            status, document = perf_json("--device=soft:fault=duplicate_cid:after=100", f"--iodepth={depth}", "--number_ios=2000", "--nvme_queue_entries=64")
            findings = [f for f in document["fathom"]["findings"] if f["id"] == "nvme.strange_completions"]
            self.assertEqual(len(findings), 1, (depth, document["fathom"]["findings"]))
            self.assertIn("completed a command twice", findings[0]["evidence"])
        status, document = perf_json("--device=soft:ideal", "--iodepth=8", "--number_ios=2000")
        self.assertNotIn("nvme.strange_completions", [f["id"] for f in document["fathom"]["findings"]])

    def test_writing_to_soft_needs_no_name_and_verifies(self):
        status, document = perf_json("--device=soft:size=4m", "--rw=write", "--verify=crc32c", "--iodepth=8")
        self.assertEqual(status, 0, document)
        job = document["fathom"]["jobs"][0]
        self.assertEqual(job["write"]["bytes"], 4 << 20)
        self.assertEqual(job["error_count"], 0)

    def test_rate_iops_is_kept(self):
        status, document = perf_json("--device=soft:ideal", "--rate_iops=1000", "--runtime=500ms", "--iodepth=4")
        self.assertEqual(status, 0, document)
        self.assertLess(document["fathom"]["jobs"][0]["read"]["iops"], 1500)


class NvmePerfLive(unittest.TestCase):
    PACED = ["--device=soft:ideal", "--iodepth=4", "--rate_iops=3000", "--clock-check=skip", "--audit=off"]

    def setUp(self):
        holder = tempfile.TemporaryDirectory()
        self.addCleanup(holder.cleanup)
        self.folder = pathlib.Path(holder.name)

    # effect: live report
    def test_seconds_for_programs_and_a_page(self):
        done = nvme("perf", *self.PACED, "--runtime=2300ms", "--output-format=json", "--output=out.json", "--live=json", "--live=metrics-keep:fathom.prom", "--report=page.html", cwd=self.folder)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        document = json.loads((self.folder / "out.json").read_text())["fathom"]
        ios = document["jobs"][0]["read"]["ios"]
        objects = [json.loads(line) for line in done.stdout.splitlines()]
        self.assertEqual([round(o["elapsed_s"]) for o in objects], [1, 2])
        self.assertTrue(0 < objects[0]["read"]["ios"] < objects[1]["read"]["ios"] <= ios, (objects, ios))
        for o in objects:
            self.assertLess(abs(o["read"]["lat_n"] - o["read"]["iops"]), 0.3 * o["read"]["iops"])
            latencies = [o["read"][f"lat_ns_{name}"] for name in ("p50", "p99", "p999")]
            if o["read"]["lat_n"] >= 1000:  # on a busy machine there may be fewer
                self.assertTrue(0 < latencies[0] <= latencies[1] <= latencies[2], o)
        metrics = (self.folder / "fathom.prom").read_text()
        self.assertRegex(metrics, rf'(?m)^fathom_ios_total{{direction="read"}} {objects[-1]["read"]["ios"]}$')
        [median] = re.findall(r'(?m)^fathom_latency_seconds{direction="read",quantile="0\.5"} (\d\.\d+)$', metrics)
        self.assertAlmostEqual(float(median), objects[-1]["read"]["lat_ns_p50"] / 1e9, places=8)
        page = (self.folder / "page.html").read_text()
        self.assertTrue(page.startswith("<!DOCTYPE html>"))
        self.assertIn(document["run_id"], page)
        self.assertIn("<title>perf", page)

    def test_where_they_cannot_be_written_nothing_is_measured(self):
        for word, what in (("--live=json", "the report uses standard output"), ("--live=metrics:/nonexistent/x", "open `/nonexistent/x`"), ("--report=/nonexistent/x", "/nonexistent/x")):
            done = nvme("perf", *self.PACED, "--runtime=20", word)
            self.assertNotEqual(done.returncode, 0)
            self.assertEqual(done.stdout, "")
            self.assertIn(what, done.stderr)

    def test_a_terminal_shows_its_rate_and_latencies(self):
        words = ["nvme", "perf", *self.PACED, "--runtime=1800ms", "--output=/dev/null"]
        seen = terminals.on_terminal(100, words, self.folder, to="stderr", TERM="xterm", LC_ALL="C.UTF-8")
        latency = r" +(?:-|[\d.]+ [num]?s)"  # of a second with few I/Os no high percentile is known
        self.assertGreaterEqual(len(re.findall(rf"\n  read +[\d.]+k? IOPS +[\d.]+ [KM]iB/s  p50{latency}  p99{latency}  p99.9{latency}", seen)), 2, seen)
        self.assertRegex(seen, r"p50 +[\d.]+ [num]?s")
        self.assertRegex(seen, "[▁-█]")
        self.assertTrue(seen.endswith("\x1b[J"), "it is gone at the end")
        self.assertEqual(set(terminals.CONTROLS.findall(seen)), {"\x1b[J", "\x1b[1A"}, "no mode is switched")
        dumb = terminals.on_terminal(80, words, self.folder, to="stderr", TERM="dumb")
        self.assertNotIn("\x1b", dumb)
        self.assertIn("Jobs: 1", dumb)


class SpdkNvmePerf(unittest.TestCase):
    def test_the_report_is_spdks_table(self):
        done = fathom("-q", "32", "-o", "4096", "-w", "randread", "-t", "1", "-LL", "-s", "256", "-r", "trtype:SOFT traddr:ideal", program=SPDK)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertRegex(done.stdout, r"(?m)^Device Information +: +IOPS +MiB/s +Average +min +max$")
        row = re.search(r"(?m)^SOFT \(soft:ideal\) NSID 1 from .*:((?: +\d+\.\d\d){5})$", done.stdout)
        total = re.search(r"(?m)^Total +:((?: +\d+\.\d\d){5})$", done.stdout)
        self.assertEqual(row[1], total[1])
        self.assertIn("Summary latency data for ", done.stdout)
        cutoffs = re.findall(r"(?m)^ *([\d.]+)% : +([\d.]+)us$", done.stdout)
        self.assertEqual([float(c) for c, _ in cutoffs], sorted(float(c) for c, _ in cutoffs))
        self.assertEqual(cutoffs[-1][0], "99.99999")
        self.assertRegex(done.stdout, r"(?m)^ +Range in us +Cumulative +IO count$")
        self.assertIn("no PCIe device took part in these rates", done.stdout)
        self.assertIn("-s 256: no effect", done.stderr)

    def test_long_options_and_transport_statistics_are_accepted(self):
        done = fathom("--io-depth=8", "--io-size", "4096", "--io-pattern", "randread", "--time=30", "--number-ios=3000", "-C", "4", "--io-queue-size=32",
                      "--transport-stats", "-g", "-U", "1", "--transport", "trtype:SOFT traddr:ideal", program=SPDK)
        self.assertEqual(done.returncode, 0, done.stderr)
        counts = dict(re.findall(r"(?m)^  (\w+): +(\d+)$", done.stdout))
        self.assertEqual((counts["submitted_requests"], counts["completions"]), ("3000", "3000"), done.stdout)
        self.assertGreater(int(counts["polls"]), 0)
        self.assertRegex(done.stderr, r"-g: no effect")

    def test_mistakes_are_refused(self):
        for arguments, words in ((["-Z"], "no option `-Z`"), (["-w", "rw", "-r", "trtype:SOFT"], "-M"), (["-r", "trtype:TCP traddr:x"], "not built")):
            done = fathom(*arguments, program=SPDK)
            self.assertEqual((done.returncode, done.stdout), (2, ""))
            self.assertIn(words, done.stderr)


if __name__ == "__main__":
    unittest.main()
