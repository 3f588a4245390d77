# label: timing
# timeout: 240
# cost: 11
"""Programs that call fio and are not packaged, each as a small driver of ours: it makes their command lines or job files (made short: sizes and times
only), takes the output the way they take it, and holds each number that they show against the report's own others.

bench-fio with fio-plot, ezfio, dbench, kubestr, two exporters for Prometheus, ceph's cbt, benchmark-wrapper. What they need beside numbers (version,
quiet stderr, types key by key) is in downstream_test.py and readers_test.py.
"""
import csv
import io
import json
import pathlib
import re
import signal
import subprocess
import sys
import time

import compare
from read_logs import DIRECTIONS, about, mean, rows, whole

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[1] / "compat"))
import bench_fio  # noqa: E402
import small  # noqa: E402

KIB = 1024


def run(cwd, *words):
    return compare.execute([compare.fio_link(), *words], cwd)


def check_bench_fio(checks):
    """bench-fio gives up at the first byte on stderr and reads the JSON of --output; fio-plot draws bars from the JSON and lines from the logs, which
    it finds by name. Copies are one entry of the report and a log each."""
    for mode, more in (("directory, random read", {}), ("mixed", {"numjobs": "2", "rate_iops": "2000,1000"})):
        with compare.workspace() as cwd:
            text = small.job_file(bench_fio.job_file(mode) + "".join(f"{key}={value}\n" for key, value in more.items() if key == "rate_iops"), cwd,
                                  {"log_avg_msec": "50", "runtime": "600ms", **more})
            done = run(cwd, "--output-format=json", "--output=out.json", compare.write_job(cwd, text.replace("numjobs-4", "numjobs-2")))
            checks.equal(f"bench-fio, {mode}: quiet, and well", (done.rc, done.stdout, done.stderr), (0, "", ""))
            report = json.loads(pathlib.Path(cwd, "out.json").read_text())
            job = report["jobs"][0]
            options = {**report.get("global options", {}), **job["job options"]}
            checks.equal(f"bench-fio, {mode}: one entry", len(report["jobs"]), 1)
            check_fio_plot(checks, mode, cwd, job, options)


def check_fio_plot(checks, mode, cwd, job, options):
    copies, stem = int(options["numjobs"]), f"{options['rw']}-iodepth-{options['iodepth']}-numjobs-{options['numjobs']}"
    for name, direction in DIRECTIONS:
        said = job[name]
        if said["total_ios"] == 0:
            continue
        lines = {kind: [rows(f"{cwd}/{stem}_{kind}.{n}.log", direction) for n in range(1, copies + 1)] for kind in ("bw", "iops", "lat", "clat", "slat")}
        checks.check(f"fio-plot, {mode}: bw log of {name}", about(sum(map(whole, lines["bw"])), said["io_kbytes"]), (lines["bw"], said["io_kbytes"]))
        checks.check(f"fio-plot, {mode}: iops log of {name}", about(sum(map(whole, lines["iops"])), said["total_ios"]), (lines["iops"], said["total_ios"]))
        for kind in ("lat", "clat", "slat"):
            values = [row[1] for log in lines[kind] for row in log]
            least, most = said[f"{kind}_ns"]["min"], said[f"{kind}_ns"]["max"]
            checks.check(f"fio-plot, {mode}: {kind} log of {name}", values and least <= min(values) and max(values) <= most + 1, (values, least, most))
        bars = said["iops"], said["lat_ns"]["mean"], said["lat_ns"]["stddev"]
        checks.check(f"fio-plot, {mode}: bars of {name}", all(value > 0 for value in bars) and about(said["iops"], said["total_ios"] * 1000 / said["runtime"]), bars)
        windows = 600 // 50
        checks.check(f"fio-plot, {mode}: the bars' deviation of {name} is of as many samples as the logs have lines",
                     all(windows / 2 < said[f"{kind}_samples"] <= windows * copies for kind in ("bw", "iops")), (said["bw_samples"], said["iops_samples"]))


def ezfio_job(cwd, threads, depth, write_percent):
    return compare.write_job(cwd, f"[test]\nreadwrite=randrw\nrwmixwrite={write_percent}\nbs=4096\ninvalidate=1\nend_fsync=0\ngroup_reporting\ndirect=1\n"
                             f"filename={cwd}/disk\nsize=4m\ntime_based\nruntime=800ms\nioengine=libaio\nnumjobs={threads}\niodepth={depth}\nnorandommap=1\n"
                             f"randrepeat=0\nthread=1\nexitall\nrate_iops=2100,900\nlog_avg_msec=100\nlog_unix_epoch=0\nwrite_lat_log={cwd}/ez\nwrite_iops_log={cwd}/ez\n")


def check_ezfio(checks):
    """A row of CSV a run, a second table from the bins of json+ (which share of the I/Os took longer), and a time series summed over the threads' logs,
    of which it takes three columns."""
    with compare.workspace() as cwd:
        done = run(cwd, "--output-format=json+", ezfio_job(cwd, 2, 4, 30))
        checks.equal("ezfio: it runs", (done.rc, done.stderr), (0, ""))
        job = json.loads(done.stdout[done.stdout.index("{"):])["jobs"][0]
        read, write = job["read"], job["write"]
        iops = read["iops"] + write["iops"]
        latency_us = sum(side["total_ios"] * side["lat_ns"]["mean"] for side in (read, write)) / (read["total_ios"] + write["total_ios"]) / 1000
        table = io.StringIO()
        csv.writer(table).writerow(["Rand", 30, 4096, 2, 4, f"{iops:.1f}", f"{iops * 4096 / 1e6:.1f}", f"{latency_us:.1f}"])
        row = next(csv.reader(table.getvalue().splitlines()))
        checks.check("ezfio: the CSV's MB/s are the bytes", about(float(row[6]), (read["bw_bytes"] + write["bw_bytes"]) / 1e6, 0.02), row)
        checks.check("ezfio: mixed as asked", about(write["total_ios"], 0.3 * (read["total_ios"] + write["total_ios"]), 0.15), row)
        for name, side in (("read", read), ("write", write)):
            bins = sorted((int(ns), count) for ns, count in side["clat_ns"]["bins"].items())
            checks.equal(f"ezfio: bins of {name} hold every I/O", (sum(n for _, n in bins), side["clat_ns"]["N"]), (side["total_ios"],) * 2)
            checks.check(f"ezfio: their mean is that of {name}", about(sum(ns * n for ns, n in bins) / side["total_ios"], side["clat_ns"]["mean"], 0.02))
            above = side["total_ios"]
            for ns, count in bins:
                above -= count
                if above <= side["total_ios"] * 0.01:
                    break
            checks.check(f"ezfio: 1 % of {name} took longer", about(ns, side["clat_ns"]["percentile"]["99.000000"], 0.04), (ns, side["clat_ns"]["percentile"]))
        logs = sorted(pathlib.Path(cwd).glob("ez_iops*.log"))
        series = {}
        for log in logs:
            for ms, value, _ in (line.split(", ")[:3] for line in log.read_text().splitlines()):
                series[int(ms) // 100] = series.get(int(ms) // 100, 0) + int(value)
        checks.equal("ezfio: a log of each thread", len(logs), 2)
        checks.check("ezfio: the series is the rate", about(mean(list(series.values())), iops, 0.1 if compare.is_fathom() else 0.3), (series, iops))


def cut_out(text):
    """The report in a stream with text: between a line { and a line }."""
    lines = text.splitlines()
    return json.loads("\n".join(lines[lines.index("{"):lines.index("}") + 1]))


def grepped(text, line, value):
    """grep -E LINE | grep -Eo VALUE | cut -d= -f2: what dbench shows, one word a match."""
    return [word.split("=")[1] for row in text.splitlines() if re.search(line, row) for word in re.findall(value, row)]


def in_figures(text, units):
    found = re.fullmatch(r"([0-9.]+)(\D*)", text)
    return float(found[1]) * units[found[2]]


DBENCH = "--randrepeat=0 --verify=0 --ioengine=libaio --direct=1 --filename=fiotest --time_based --ramp_time=100ms --runtime=300ms"
DBENCH_RUNS = [
    ("read_iops", "READ", "--gtod_reduce=1 --bs=4K --iodepth=16 --size=4M --readwrite=randread"),
    ("write_bw", "WRITE", "--gtod_reduce=1 --bs=128K --iodepth=16 --size=4M --readwrite=randwrite"),
    ("read_latency", "READ", "--bs=4K --iodepth=4 --size=4M --readwrite=randread"),
    ("write_seq", "WRITE", "--gtod_reduce=1 --bs=1M --iodepth=4 --size=4M --readwrite=write --thread --numjobs=2 --offset_increment=1M"),
]
IOPS_UNITS = {"": 1, "k": 1e3, "M": 1e6}
RATE_UNITS = {"B/s": 1, "KiB/s": KIB, "MiB/s": KIB ** 2, "GiB/s": KIB ** 3}


def check_dbench(checks):
    """The text that its greps cut numbers out of, in one stream with the JSON of the same run."""
    for name, direction, words in DBENCH_RUNS:
        with compare.workspace() as cwd:
            done = run(cwd, *DBENCH.split(), f"--name={name}", *words.split(), "--output-format=normal,json")
            checks.equal(f"dbench {name}: it runs", (done.rc, done.stderr), (0, ""))
            text, jobs = done.stdout, cut_out(done.stdout)["jobs"]
            sides = [job[direction.lower()] for job in jobs]
            iops = grepped(text, rf"{direction.lower()} ?:", r"IOPS=[0-9k.M]+")
            checks.check(f"dbench {name}: IOPS of each job", len(iops) == len(jobs) and all(
                about(in_figures(text, IOPS_UNITS), side["iops"], 0.01) for text, side in zip(iops, sides)), (iops, [side["iops"] for side in sides]))
            rate = grepped(text, f"{direction}: ", r"bw=[0-9GMKiBs/.]+")
            total, longest = sum(side["io_bytes"] for side in sides), max(side["runtime"] for side in sides)
            checks.check(f"dbench {name}: one bandwidth", len(rate) == 1 and about(in_figures(rate[0], RATE_UNITS), total * 1000 / longest, 0.01), (rate, total, longest))
            if "gtod" in words:
                continue
            unit = {"nsec": 1, "usec": 1e3, "msec": 1e6}[re.search(r" lat \((\w+)\).*avg", text)[1]]
            average = grepped(text, r" lat.*avg", r"avg=[0-9. ]+")
            checks.check(f"dbench {name}: one mean", len(average) == 1 and about(float(average[0]) * unit, sides[0]["lat_ns"]["mean"], 0.01), average)


KUBESTR = """[global]
randrepeat=0
verify=0
ioengine=libaio
direct=1
gtod_reduce=1
"""
KUBESTR_JOBS = [("read_iops", "4K", "randread", "read"), ("write_iops", "4K", "randwrite", "write"), ("read_bw", "128K", "randread", "read"),
                ("write_bw", "128k", "randwrite", "write")]


def whole_number(value):
    """As Go's decoder takes an int; it stops at 1.0."""
    if not isinstance(value, int) or isinstance(value, bool):
        raise TypeError(value)
    return value


def check_kubestr(checks):
    """Four jobs of one file on the claim's folder; what it prints of each job and each disk. A job's file is named after its section, not after `name=`."""
    with compare.workspace() as cwd:
        text = KUBESTR + "".join(f"[job{n}]\nname={name}\nbs={bs}\niodepth=8\nsize=1M\nreadwrite={rw}\ntime_based\nramp_time=50ms\nruntime=150ms\n"
                                 for n, (name, bs, rw, _) in enumerate(KUBESTR_JOBS, 1))
        done = run(cwd, "--directory", cwd, compare.write_job(cwd, text), "--output-format=json")
        checks.equal("kubestr: quiet, and well", (done.rc, done.stderr), (0, ""))
        checks.equal("kubestr: the files", sorted(done.files), [f"job{n}.0.0" for n in range(1, 5)])
        report = json.loads(done.stdout)
        checks.equal("kubestr: jobs by name", [job["jobname"] for job in report["jobs"]], [name for name, *_ in KUBESTR_JOBS])
        for job, (name, bs, rw, direction) in zip(report["jobs"], KUBESTR_JOBS):
            options, side = job["job options"], job[direction]
            checks.equal(f"kubestr {name}: its options", [options[key] for key in ("bs", "size", "iodepth", "rw")], [bs, "1M", "8", rw])
            shown = [whole_number(side[key]) for key in ("bw", "iops_min", "iops_max", "bw_min", "bw_max", "runtime", "total_ios")]
            block = int(bs[:-1]) * KIB
            checks.check(f"kubestr {name}: IOPS and bandwidth are of the same I/Os", about(side["iops"] * block / KIB, shown[0], 0.03), side)
            checks.check(f"kubestr {name}: and of the runtime", about(side["io_bytes"] / block * 1000 / shown[5], side["iops"], 0.03), side)
            checks.check(f"kubestr {name}: what the ramp left under way is not counted again", 0 <= side["io_bytes"] // block - shown[6] <= 8, side)
        for disk in report["disk_util"]:
            checks.check("kubestr: a disk", 0 <= disk["util"] <= 100 and all(
                whole_number(disk[key]) >= 0 for key in ("read_ios", "write_ios", "read_merges", "write_merges", "read_ticks", "write_ticks", "in_queue")), disk)


PROBE = ["--name=probe", "--filename=f", "--rw=randrw", "--bs=4k", "--size=1m", "--time_based", "--runtime=1", "--rate_iops=1000", "--status-interval=300ms"]


def arrivals(cwd, words, take):
    """What comes while the run lasts: take(text so far) gives how much of it is whole; [(seconds, part)], the run's seconds and its end."""
    begin, found, text = time.monotonic(), [], ""
    with subprocess.Popen([compare.fio_link(), *words], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as child:
        for line in child.stdout:
            text += line
            end = take(text)
            if end:
                found.append((time.monotonic() - begin, text[:end]))
                text = text[end:]
        child.wait(compare.TIMEOUT_S)
        return found, time.monotonic() - begin, (child.returncode, child.stderr.read(), text.strip())


def one_object(text):
    try:
        return json.JSONDecoder().raw_decode(text.lstrip())[1] + len(text) - len(text.lstrip())
    except json.JSONDecodeError:
        return 0


def check_json_exporter(checks):
    """Whole reports, one after the other, each taken while the run goes on; shares by their key of eight digits."""
    with compare.workspace() as cwd:
        found, lasted, end = arrivals(cwd, [*PROBE, "--output-format=json", "--lat_percentiles=1", "--clat_percentiles=1"], one_object)
        checks.equal("JSON exporter: its end", end, (0, "", ""))
        checks.check("JSON exporter: reports during the run", len(found) >= 4 and found[0][0] < lasted - 0.4, [at for at, _ in found])
        jobs = [json.loads(text)["jobs"][0] for _, text in found]
        for name, _ in DIRECTIONS:
            ios = [job[name]["total_ios"] for job in jobs]
            checks.check(f"JSON exporter: counts of {name} rise", ios == sorted(ios) and ios[0] < ios[-1], ios)
            checks.check(f"JSON exporter: a rate in mid-run is that of {name}", about(jobs[1][name]["iops"], 1000, 0.1), jobs[1][name]["iops"])
            for kind in ("lat_ns", "clat_ns"):
                part = jobs[-1][name][kind]
                middle, most = (part["percentile"][key] for key in ("50.000000", "99.000000"))
                checks.check(f"JSON exporter: percentiles of {kind}, {name}", part["min"] <= middle <= most <= part["max"], part)


# Fields of a line of version 3, from 0: KiB, KiB/s, IOPS, ms of each direction; percentiles; the mean latency in us.
TERSE = {"read": 5, "write": 46}


def check_terse_exporter(checks):
    with compare.workspace() as cwd:
        found, lasted, end = arrivals(cwd, [*PROBE, "--group_reporting", "--output-format=terse", "--terse-version=3"], len)
        checks.equal("terse exporter: its end", end, (0, "", ""))
        checks.check("terse exporter: lines during the run", len(found) >= 4 and found[0][0] < lasted - 0.4, [at for at, _ in found])
        lines = [text.rstrip("\n").split(";") for _, text in found]
        checks.check("terse exporter: version and name", all(row[0] == "3" and row[1].startswith("fio-3.") and row[2] == "probe" for row in lines), lines[0][:4])
        checks.check("terse exporter: 121 fields and the disks' nine", all(len(row) >= 121 and (len(row) - 121) % 9 == 0 for row in lines), [len(row) for row in lines])
        for name, at in TERSE.items():
            kib = [int(row[at]) for row in lines]
            checks.check(f"terse exporter: KiB of {name} rise", kib == sorted(kib) and kib[0] < kib[-1], kib)
            for row in lines:
                amount, rate, iops, ms = map(int, row[at:at + 4])
                checks.check(f"terse exporter: rates of {name}", about(amount * 1000 / ms, rate, 0.02) and about(rate / 4, iops, 0.02), row[at:at + 4])
                clat, lat = (list(map(float, row[at + n:at + n + 4])) for n in (8, 32))
                checks.check(f"terse exporter: latencies of {name}", clat[0] <= clat[2] <= clat[1] and clat[2] <= lat[2] <= lat[1], (clat, lat))
                share, value = row[at + 12 + 12].split("%=")
                checks.check(f"terse exporter: 99th percentile of {name}", float(share) == 99.5 or (float(share) == 99.0 and clat[0] <= int(value) <= clat[1]), row[at + 12:at + 32])
        usr, system = (float(cell.rstrip("%")) for cell in lines[-1][87:89])
        depths = sum(float(cell.rstrip("%")) for cell in lines[-1][92:99])
        spread = sum(float(cell.rstrip("%")) for cell in lines[-1][99:121])
        checks.check("terse exporter: shares", 0 <= usr + system <= 100.1 and abs(depths - 100) < 1 and abs(spread - 100) < 1, (usr, system, depths, spread))


def cbt_words(cwd, runtime):
    return ["--ioengine=libaio", f"--runtime={runtime}", "--time_based", "--bs=4096B", "--iodepth=8", "--direct=1", "--rw=randwrite", "--size=4194304B", "--end_fsync=0",
            "--norandommap", "--rate_iops=2000", f"--write_iops_log={cwd}/out", f"--write_bw_log={cwd}/out", f"--write_lat_log={cwd}/out", "--log_avg_msec=100",
            "--output-format=json,normal", "--name=cbt", "--numjobs=2", f"--filename={cwd}/cbt"]


def check_cbt(checks):
    """It redirects both forms into one file, cuts the JSON out between a line { and a line }, sums bandwidths over jobs and reads a log of each job.
    What runs longer is ended with SIGINT, and its file is read all the same."""
    for runtime, interrupted in (("1", False), ("60", True)):
        with compare.workspace() as cwd:
            with open(f"{cwd}/output", "w") as out, subprocess.Popen([compare.fio_link(), *cbt_words(cwd, runtime)], cwd=cwd, stdout=out, stderr=subprocess.DEVNULL) as child:
                if interrupted:
                    time.sleep(1.0)
                    child.send_signal(signal.SIGINT)
                child.wait(compare.TIMEOUT_S)
            name = "cbt, interrupted" if interrupted else "cbt"
            text = pathlib.Path(cwd, "output").read_text()
            report = cut_out(text)
            checks.equal(f"{name}: exit status", child.returncode, 128 if interrupted else 0)
            total = sum(job["write"]["bw"] for job in report["jobs"])
            checks.check(f"{name}: bandwidth of two jobs", len(report["jobs"]) == 2 and about(total, 2 * 2000 * 4, 0.1), total)
            checks.check(f"{name}: the text has the same", about(in_figures(grepped(text, "WRITE: ", r"bw=[0-9GMKiBs/.]+")[0], RATE_UNITS), total * KIB, 0.02), text[-400:])
            for n, job in enumerate(report["jobs"], 1):
                side = job["write"]
                for kind, amount in (("bw", "io_kbytes"), ("iops", "total_ios")):
                    log = rows(f"{cwd}/out_{kind}.{n}.log")
                    checks.check(f"{name}: {kind} log of job {n}", len(log) >= 5 and about(whole(log), side[amount]), (log, side[amount]))
                for kind in ("lat", "clat", "slat"):
                    checks.check(f"{name}: {kind} log of job {n}", about(mean([row[1] for row in rows(f"{cwd}/out_{kind}.{n}.log")]), side[f"{kind}_ns"]["mean"], 0.2))


BENCHMARK_WRAPPER = r"""[global]
directory={cwd}
filename_format=f.\$jobnum.\$filenum
write_bw_log=fio
write_iops_log=fio
write_lat_log=fio
write_hist_log=fio
log_avg_msec=100
log_hist_msec=100
clocksource=clock_gettime
kb_base=1000
unit_base=8
ioengine=libaio
size=2m
bs=4KiB
iodepth=4
direct=1
numjobs=2
rate_iops=1000

[randrw]
rw=randrw
time_based=1
runtime=1
"""


def check_benchmark_wrapper(checks):
    """One JSON file, and each line of each log by five columns between ", "; histograms are summed by the counts behind three."""
    with compare.workspace() as cwd:
        done = run(cwd, compare.write_job(cwd, BENCHMARK_WRAPPER.format(cwd=cwd)), "--output-format=json", f"--output={cwd}/fio-result.json")
        checks.equal("benchmark-wrapper: quiet, and well", (done.rc, done.stdout, done.stderr), (0, "", ""))
        checks.equal("benchmark-wrapper: the files", sorted(name for name in done.files if name.startswith("f.")), [r"f.\0.\0", r"f.\1.\0"])
        report = json.loads(pathlib.Path(cwd, "fio-result.json").read_text())
        checks.check("benchmark-wrapper: when it was", abs(report["timestamp"] - time.time()) < 60, report["timestamp"])
        checks.equal("benchmark-wrapper: options as they were written", [report["global options"][key] for key in ("bs", "numjobs", "kb_base", "filename_format")],
                     ["4KiB", "2", "1000", r"f.\$jobnum.\$filenum"])
        for n, job in enumerate(report["jobs"], 1):
            for name, direction in DIRECTIONS:
                side = job[name]
                checks.check(f"benchmark-wrapper: bw log {n} of {name}", about(whole(rows(f"{cwd}/fio_bw.{n}.log", direction)), side["io_kbytes"]))
                checks.check(f"benchmark-wrapper: iops log {n} of {name}", about(whole(rows(f"{cwd}/fio_iops.{n}.log", direction)), side["total_ios"]))
                for kind in ("lat", "clat", "slat"):
                    checks.check(f"benchmark-wrapper: {kind} log {n} of {name}", len(rows(f"{cwd}/fio_{kind}.{n}.log", direction)) >= 8)
                counted = sum(sum(row[3:]) for row in rows(f"{cwd}/fio_clat_hist.{n}.log", direction, exactly=1859))
                checks.check(f"benchmark-wrapper: histograms {n} of {name}", counted == side["total_ios"] if compare.is_fathom() else counted > 700, counted)


def main():
    checks = compare.Checks()
    for part in (check_bench_fio, check_ezfio, check_dbench, check_kubestr, check_json_exporter, check_terse_exporter, check_cbt, check_benchmark_wrapper):
        if checks.wanted(part.__name__):
            checks.in_attempts(part)
    checks.done()


main()
