# label: fio
# timeout: 300
# cost: 15
"""The programs that Debian packages beside fio, run for real on what fathom writes: fio_jsonplus_clat2csv, fio2gnuplot and fio_generate_plots (with gnuplot),
fiologparser, fiologparser_hist (with pandas), half-bins, fio-histo-log-pctiles, fio-dedupe, fio-genzipf, and genfio, whose job files fathom runs.
Numbers that a tool computes, points that it draws, are held against those of fathom's own JSON.
"""
import collections
import gzip
import json
import math
import os
import pathlib
import re
import sys

import compare
from read_logs import about, rows, whole

DOC = pathlib.Path("/usr/share/doc/fio")
JOB = ["--name=j", "--filename=f", "--rw=randrw", "--bs=4k", "--size=2m", "--ioengine=psync"]


def run(cwd, *words):
    return compare.execute([compare.fio_link(), *words], cwd)


def has(cwd, *words):
    """Whether fathom takes these words yet."""
    return run(cwd, "--parse-only", "--name=x", "--size=4k", *words).rc == 0


def unpacked(name, cwd):
    path = os.path.join(os.path.dirname(cwd), name)
    with gzip.open(DOC / f"{name}.gz") as packed, open(path, "wb") as out:
        out.write(packed.read())
    return path


def tool(cwd, *argv):
    return compare.execute(argv, cwd)


def columns(text, separator=","):
    return [[cell.strip() for cell in row.split(separator)] for row in text.strip().split("\n")]


def check_clat2csv(checks):
    """json+ to CSV, and the tool's own check of its sums."""
    with compare.workspace() as cwd:
        done = run(cwd, *JOB, "--output-format=json+", "--output=r.json")
        checks.equal("clat2csv: fathom", (done.rc, done.stderr), (0, ""))
        report = json.loads(pathlib.Path(cwd, "r.json").read_text())
        made = tool(cwd, "fio_jsonplus_clat2csv", "r.json", "out.csv")
        checks.equal("clat2csv: exit status", (made.rc, made.stderr), (0, ""))
        tables = sorted(name for name in made.files if name.endswith(".csv"))
        checks.equal("clat2csv: one table", len(tables), 1)
        rows = columns(pathlib.Path(cwd, tables[0]).read_text())
        heads = {name: n for n, name in enumerate(rows[0])}
        for direction in ("read", "write"):
            column = next((n for name, n in heads.items() if name.startswith(f"{direction}_clat_ns") and "cumulative" not in name and "percentile" not in name), None)
            if not checks.check(f"clat2csv: a column of {direction}", column is not None, rows[0]):
                continue
            total = sum(int(row[column]) for row in rows[1:] if row[column])
            checks.equal(f"clat2csv: {direction} counts sum to N", total, report["jobs"][0][direction]["clat_ns"]["N"])
        valid = tool(cwd, "fio_jsonplus_clat2csv", "--validate", "r.json", "out.csv")
        checks.equal("clat2csv --validate", valid.rc, 0)


def logs(cwd, *more):
    return run(cwd, *JOB, "--write_bw_log=p", "--write_iops_log=p", "--write_lat_log=p", "--output-format=json", *more)


def check_log_rows(checks):
    """An unaveraged latency log has a row an I/O, and its values are those of the JSON."""
    with compare.workspace() as cwd:
        if not has(cwd, "--write_lat_log=p"):
            return checks.note("logs: not built yet")
        done = logs(cwd)
        job = done.report["jobs"][0]
        rows = columns(pathlib.Path(cwd, "p_lat.1.log").read_text())
        for n, direction in enumerate(("read", "write")):
            values = [int(row[1]) for row in rows if row[2] == str(n)]
            checks.equal(f"log: rows of {direction}", len(values), job[direction]["lat_ns"]["N"])
            if values:
                checks.equal(f"log: least and largest of {direction}", (min(values), max(values)), (job[direction]["lat_ns"]["min"], job[direction]["lat_ns"]["max"]))
                checks.check(f"log: mean of {direction}", abs(sum(values) / len(values) - job[direction]["lat_ns"]["mean"]) < 1.0)


def paced(cwd, *more):
    """One second of random reads by two jobs, with logs averaged over a tenth of it; the report's jobs."""
    done = run(cwd, "--name=j", "--filename=f", "--rw=randread", "--bs=4k", "--size=2m", "--time_based", "--runtime=1", "--rate_iops=1000", "--numjobs=2",
               "--ioengine=libaio", "--iodepth=4", "--direct=1", "--write_bw_log=p", "--write_iops_log=p", "--write_lat_log=p", "--log_avg_msec=100",
               "--output-format=json", *more)
    return [job["read"] for job in done.report["jobs"]]


def two_columns(path):
    """What a plot is drawn of: the columns behind the first."""
    return [tuple(map(float, line.split()[1:3])) for line in pathlib.Path(path).read_text().split("\n") if line and not line.startswith("#")]


def by_disk(path):
    return {int(line.split()[0]): int(line.split()[1]) for line in pathlib.Path(path).read_text().split("\n")[1:] if line and not line.startswith("#")}


def picture(path):
    """Width and height of a PNG."""
    head = pathlib.Path(path).read_bytes()[:24]
    return head[:8] == b"\x89PNG\r\n\x1a\n" and tuple(int.from_bytes(head[at:at + 4], "big") for at in (16, 20))


def check_fio2gnuplot(checks):
    """Its files of data are the logs' lines; its mean is that of the report's samples, of a job that no disk holds up; gnuplot draws every picture."""
    with compare.workspace() as cwd:
        jobs = paced(cwd, "--ioengine=null")
        for words, kind, figure in ((["-b", "-g", "-k"], "bw", "bw"), (["-i"], "iops", "iops")):
            made = tool(cwd, "fio2gnuplot", *words, "-t", "title", "-o", kind)
            checks.equal(f"fio2gnuplot {kind}: exit status", made.rc, 0)
            mean, least, most = (by_disk(f"{cwd}/{kind}.{which}") for which in ("average", "min", "max"))
            even = True
            for n, side in enumerate(jobs):
                lines = rows(f"{cwd}/p_{kind}.{n + 1}.log")
                drawn = two_columns(f"{cwd}/gnuplot_temp_file.{n}")
                checks.equal(f"fio2gnuplot {kind}: the points of log {n + 1}", drawn, [(round(row[0] / 1000, 2), float(row[1])) for row in lines])
                values = [row[1] for row in lines]
                checks.equal(f"fio2gnuplot {kind}: mean, least and largest of log {n + 1}", (mean[n], least[n], most[n]),
                             (sum(values) // len(values), min(values), max(values)))
                checks.check(f"fio2gnuplot {kind}: all of job {n + 1}", about(whole(lines), side["io_kbytes" if kind == "bw" else "total_ios"]), (lines, side))
                even = even and all(80 <= after[0] - row[0] <= 120 for row, after in zip(lines, lines[1:]))
                if even:  # the tool's mean does not heed how long a line's time was
                    checks.check(f"fio2gnuplot {kind}: the report's mean of job {n + 1}", about(mean[n], side[f"{figure}_mean"], 0.02) and about(mean[n], side[figure], 0.02),
                                 (mean, side[figure], side[f"{figure}_mean"]))
            both = dict(line.split("=") for line in pathlib.Path(cwd, f"{kind}.global").read_text().split())
            checks.check(f"fio2gnuplot {kind}: over both", about(float(both["avg"]), sum(mean.values()) / 2, 0.01) and both["disks_count"] == "2", both)
            said = tool(cwd, "fio2gnuplot", "-p", kind, "-G", "avg").stdout
            total = re.search(r"Biggest aggregated value of avg was +(\d+) ", said)
            checks.check(f"fio2gnuplot {kind}: its sum", total and about(int(total[1]), sum(mean.values()), 0.01), said)
        wanted = [f"bw.{which}.png" for which in ("average", "min", "max", "stddev")] + [f"p_bw.{n}-2D{way}.png" for n in (1, 2) for way in ("raw", "smooth", "trend")]
        for name in wanted + [f"compare-bw-2D{way}.png" for way in ("raw", "smooth", "trend")]:
            checks.equal(f"fio2gnuplot: {name}", os.path.exists(f"{cwd}/{name}") and picture(f"{cwd}/{name}"), (1280, 1024))


TIC = re.compile(r"d='M([\d.]+),([\d.]+) L[^']*'/>\s*<g transform=\"[^\"]*\"[^>]*text-anchor=\"(\w+)\">\s*<text><tspan[^>]*> *([\d.]+)<")
PLOT = re.compile(r"""id="gnuplot_plot_\d+" ><title>[^<]*</title>.*?<path stroke='[^']*' +d='([^']*)'""", re.S)


def curves(path):
    """The points of each curve of a drawing, back in the axes' units, and how much of them a hundredth of a pixel is."""
    text = pathlib.Path(path).read_text()
    tics = {"middle": [], "end": []}  # of x and of y: where, and its number
    for x, y, anchor, number in TIC.findall(text):
        tics[anchor].append((float(x if anchor == "middle" else y), float(number)))
    (x0, u0), *_, (x1, u1) = tics["middle"]
    (y0, v0), *_, (y1, v1) = tics["end"]
    found = []
    for line in PLOT.findall(text):
        points = [tuple(map(float, pair)) for pair in re.findall(r"([\d.]+),([\d.]+)", line)][2:]  # the first two are the key's
        found.append([(u0 + (x - x0) * (u1 - u0) / (x1 - x0), v0 + (y - y0) * (v1 - v0) / (y1 - y0)) for x, y in points])
    return found, 0.02 * abs((v1 - v0) / (y1 - y0))


def check_generate_plots(checks):
    """Five drawings, of each log of that kind a curve, through the points of the log, whose mean is that of the JSON."""
    with compare.workspace() as cwd:
        jobs = paced(cwd)
        drawn = tool(cwd, "fio_generate_plots", "title")
        checks.equal("fio_generate_plots: exit status", drawn.rc, 0)
        for kind, scale, said in (("lat", 1e6, "lat_ns"), ("clat", 1e6, "clat_ns"), ("slat", 1e3, "slat_ns"), ("iops", 1, "iops"), ("bw", 1, "bw")):
            found, pixel = curves(f"{cwd}/title-{kind}.svg")
            checks.equal(f"fio_generate_plots: curves of {kind}", len(found), 2)
            for n, (points, side) in enumerate(zip(found, jobs), 1):
                lines = [(row[0] / 1000, row[1] / scale) for row in rows(f"{cwd}/p_{kind}.{n}.log")]
                checks.check(f"fio_generate_plots: the points of {kind} log {n}", len(points) == len(lines) and all(
                    abs(x - u) < 0.002 and abs(y - v) <= pixel for (x, y), (u, v) in zip(points, lines)), (points, lines))
                expected = side[said]["mean"] / scale if said.endswith("_ns") else side[said]
                checks.check(f"fio_generate_plots: height of {kind} {n}", about(sum(y for _, y in points) / len(points), expected, 0.15), (points, expected))


def logparser(cwd, *words):
    return tool(cwd, sys.executable, os.path.join(os.path.dirname(cwd), "fiologparser.py"), *words)


def check_logparser(checks):
    """fiologparser's five ways. It fails on fio's own logs too: it knows four columns, and looks a median up at a place that is no whole number.
    So it gets the first four, and its two divisions are made whole ones; the rest of it is as it is packaged."""
    with compare.workspace() as cwd:
        parser = unpacked("fiologparser.py", cwd)
        text = pathlib.Path(parser).read_text()
        median = "s[(len(s)-1)/2]+s[(len(s)/2)]"
        checks.equal("fiologparser: the median's line", text.count(median), 1)
        pathlib.Path(parser).write_text(text.replace(median, "s[(len(s)-1)//2]+s[(len(s)//2)]"))

        def four(name):
            lines = rows(f"{cwd}/{name}.log")
            pathlib.Path(cwd, f"{name}.four").write_text("".join(", ".join(map(str, row[:4])) + "\n" for row in lines))
            return f"{name}.four"

        jobs = paced(cwd)
        logs_of_both = [four(f"p_bw.{n}") for n in (1, 2)]
        rates = [side["bw"] for side in jobs]
        for words, expected in (([], [sum(rates)]), (["-s"], [sum(rates)]), (["-a"], [sum(rates) / 2]), (["-f"], rates)):
            said = logparser(cwd, "-i", "100000", *words, *logs_of_both)
            numbers = [float(cell) for cell in said.stdout.split(",")][-len(expected):] if said.rc == 0 else []
            checks.check(f"fiologparser {' '.join(words)}: bandwidth of the whole run", len(numbers) == len(expected) and all(map(
                lambda ours, wanted: about(ours, wanted, 0.02), numbers, expected)), (said.stdout, said.stderr, expected))
        done = run(cwd, "--name=k", "--filename=f", "--rw=randread", "--bs=4k", "--size=2m", "--ioengine=psync", "--write_lat_log=k", "--output-format=json",
                   "--lat_percentiles=1", "--percentile_list=50:90:95:99")
        side = done.report["jobs"][0]["read"]["lat_ns"]
        said = logparser(cwd, "-i", "100000", "-A", four("k_lat.1"))
        _, count, least, mean, *shares, most = map(float, said.stdout.split("\n")[1].split(", "))
        checks.equal("fiologparser -A: count, least and largest", (count, least, most), (side["N"], side["min"], side["max"]))
        checks.check("fiologparser -A: mean", abs(mean - side["mean"]) < 1, (mean, side["mean"]))
        values = sorted(row[1] for row in rows(f"{cwd}/k_lat.1.log"))
        for at, (share, ours) in zip(shares, side["percentile"].items()):  # it takes a point between two I/Os, the report one of them
            rank = (len(values) - 1) * float(share) / 100
            low, high = values[math.floor(rank)], values[math.ceil(rank)]
            checks.check(f"fiologparser -A: percentile {share}", low <= at <= high and low * 0.98 <= ours <= high * 1.02, (low, at, high, ours))


BIN = 0.04 if compare.is_fathom() else 0.7  # fio's log lacks what came in the last tenth, which may be the largest
HISTOGRAM = [48, 50, 52, 89, 90, 91, 94, 95, 96, 98, 99, 99.5]


def between(side, share, low, high):
    """Whether a percentile that was made of bins lies where the JSON has it: from the share beside it to the other, and a bin's width."""
    shares = {float(key): value for key, value in side["percentile"].items()}
    return lambda value: shares[low] * 0.97 <= value <= shares[high] * 1.03 or (share, shares[low], value, shares[high])


def check_histogram(checks):
    """A row each tenth of a second and direction, of 3 + 1856 columns; fiologparser_hist, fio-histo-log-pctiles and half-bins on it."""
    with compare.workspace() as cwd:
        done = run(cwd, "--name=j", "--filename=f", "--rw=randrw", "--bs=4k", "--size=1m", "--time_based", "--runtime=1", "--rate_iops=2000", "--ioengine=psync",
                   "--write_hist_log=p", "--log_hist_msec=100", "--output-format=json", f"--percentile_list={':'.join(map(str, HISTOGRAM))}")
        log, job = "p_clat_hist.1.log", done.report["jobs"][0]
        lines = [[int(cell) for cell in row] for row in columns(pathlib.Path(cwd, log).read_text())]
        checks.equal("hist log: 3 + 1856 columns", {len(row) for row in lines}, {1859})
        sides = {"r": job["read"], "w": job["write"]}
        for n, (name, side) in enumerate(sides.items()):
            total = sum(sum(row[3:]) for row in lines if row[1] == n)
            checks.check(f"hist log: every I/O of {name}", total == side["total_ios"] if compare.is_fathom() else 0 < total <= side["total_ios"], total)
        check_hist_parser(checks, cwd, log, sides)
        check_pctiles(checks, cwd, log, sides)
        halved = tool(cwd, sys.executable, DOC / "half-bins.py", "-c", "3", log)
        fewer = [[int(cell) for cell in row] for row in columns(halved.stdout.replace(", \n", "\n").rstrip(", \n"))]
        checks.equal("half-bins: each eight counts are one", fewer, [row[:3] + [sum(row[at:at + 8]) for at in range(3, 1859, 8)] for row in lines])


def check_hist_parser(checks, cwd, log, sides):
    if tool(cwd, sys.executable, "-c", "import numpy, pandas").rc != 0:
        return checks.note("fiologparser_hist: python3-pandas and python3-numpy are not installed (scripts/setup --test)")
    parser = unpacked("fiologparser_hist.py", cwd)
    said = tool(cwd, sys.executable, parser, "--noweight", "--directions", "rw", "-i", "100000", log)
    checks.equal("fiologparser_hist: exit status", (said.rc, said.stderr), (0, ""))
    found = {row[1]: list(map(float, [row[0], *row[2:]])) for row in columns(said.stdout)[1:]}
    for name, side in sides.items():
        clat = side["clat_ns"]
        _, count, least, mean, *shares, most = found[name]
        checks.check(f"fiologparser_hist: I/Os of {name}", count == side["total_ios"] if compare.is_fathom() else count > 0, count)
        checks.check(f"fiologparser_hist: least and largest of {name}", about(least, clat["min"], BIN) and about(most, clat["max"], BIN), (least, most, clat))
        checks.check(f"fiologparser_hist: mean of {name}", about(mean, clat["mean"], BIN), (mean, clat["mean"]))
        for value, at in zip(shares, ((50, 48, 52), (90, 89, 91), (95, 94, 96), (99, 98, 99.5))):
            checks.equal(f"fiologparser_hist: percentile {at[0]} of {name}", between(clat, *at)(value), True)
    said = tool(cwd, sys.executable, parser, "-i", "500", log)
    weighted = [list(map(float, row)) for row in columns(said.stdout)[1:]]
    checks.check("fiologparser_hist, by weight: least of all", said.rc == 0 and about(min(row[2] for row in weighted), min(side["clat_ns"]["min"] for side in sides.values()), BIN),
                 said.stdout + said.stderr)


def check_pctiles(checks, cwd, log, sides):
    """It takes no directions apart: one in a log of its own each. Its --output-unit nsec fails on any log."""
    parser = unpacked("fio-histo-log-pctiles.py", cwd)
    for n, (name, side) in enumerate(sides.items()):
        lines = [line for line in pathlib.Path(cwd, log).read_text().split("\n") if line and line.split(", ")[1] == str(n)]
        pathlib.Path(cwd, name).write_text("\n".join(lines) + "\n")
        said = tool(cwd, sys.executable, parser, "--fio-version", "3", "--bucket-groups", "29", "--bucket-bits", "6", "--time-quantum", "100",
                    "--percentiles", "0", "50", "95", "99", "100", "--output-unit", "usec", "--", name)
        row = re.search(r"^ *0, +(\d+), (.+)$", said.stdout, re.M)
        if not checks.check(f"fio-histo-log-pctiles: a row of {name}", said.rc == 0 and row, said.stdout + said.stderr):
            continue
        clat, (least, *shares, most) = side["clat_ns"], (float(cell) * 1000 for cell in row[2].split(", "))
        checks.check(f"fio-histo-log-pctiles: I/Os of {name}", abs(int(row[1]) - side["total_ios"]) <= (1 if compare.is_fathom() else side["total_ios"] / 4), row[1])
        checks.check(f"fio-histo-log-pctiles: least and largest of {name}", about(least, clat["min"], BIN) and about(most, clat["max"], BIN), (least, most, clat))
        for value, at in zip(shares, ((50, 48, 52), (95, 94, 96), (99, 98, 99.5))):
            checks.equal(f"fio-histo-log-pctiles: percentile {at[0]} of {name}", between(clat, *at)(value), True)


def check_dedupe(checks):
    """fio-dedupe on what fathom wrote: nothing twice by default; of a job with dedupe_percentage about that share."""
    with compare.workspace() as cwd:
        run(cwd, "--name=j", "--filename=f", "--rw=write", "--bs=4k", "--size=8m")
        seen = tool(cwd, "fio-dedupe", "-b", "4096", "-B", "0", "f")
        checks.check("fio-dedupe: no block of 4 KiB twice", re.search(r"Extents=2048, Unique extents=2048", seen.stdout), seen.stdout + seen.stderr)
        if not has(cwd, "--dedupe_percentage=50"):
            return checks.note("dedupe_percentage: not built yet")
        run(cwd, "--name=j", "--filename=g", "--rw=write", "--bs=4k", "--size=8m", "--dedupe_percentage=50")
        seen = tool(cwd, "fio-dedupe", "-b", "4096", "-B", "0", "g")
        unique = re.search(r"Unique extents=(\d+)", seen.stdout)
        checks.check("fio-dedupe: half of the blocks of dedupe_percentage=50", unique and 900 < int(unique[1]) < 1150, seen.stdout)


def check_genfio(checks):
    """The job files that genfio makes, sequential and parallel, run."""
    with compare.workspace() as cwd:
        if not has(cwd, "--write_bw_log=p", "--write_iops_log=p"):
            return checks.note("genfio: the logs that it asks for are not built yet")
        compare.fill(cwd, {"a": "1m", "b": "1m"})
        for words in (["-s"], ["-p"], ["-a"]):
            made = tool(cwd, "genfio", "-d", f"{cwd}/a,{cwd}/b", "-z", "256k", "-r", "0", "-b", "4k,64k", *words, "-x", f"{cwd}/out-")
            files = [name for name in made.files if name.endswith(".fio")]
            if not checks.check(f"genfio {words[0]}: a job file", files, made.stdout + made.stderr):
                continue
            done = run(cwd, "--output-format=json", files[0])
            checks.equal(f"genfio {words[0]}: it runs", (done.rc, done.stderr), (0, ""))
            if done.rc == 0:
                checks.equal(f"genfio {words[0]}: no job failed", {job["error"] for job in done.report["jobs"]}, {0})
            for name in files:
                os.unlink(os.path.join(cwd, name))


def check_genzipf(checks):
    """fio-genzipf says what share of the hits the hottest twentieth gets; a job of that theta does no less, by the offsets of its log
    (the tool's twentieth is of the blocks in the order of their ranks, which fio's own job hits more than it says)."""
    with compare.workspace() as cwd:
        said = tool(cwd, "fio-genzipf", "-t", "zipf", "-i", "1.2", "-b", "4096", "-g", "1", "-o", "20")
        rows = re.findall(r"^(?:Top|\|->) +([\d.]+)%\s+([\d.]+)%\s+([\d.]+)%", said.stdout, re.M)
        if not checks.equal("fio-genzipf: a table of shares", len(rows), 20) or not has(cwd, "--write_lat_log=p", "--log_offset=1"):
            return
        run(cwd, "--name=j", "--ioengine=null", "--rw=randread", "--bs=4k", "--size=1g", "--number_ios=262144", "--norandommap", "--random_distribution=zipf:1.2",
            "--write_lat_log=p", "--log_offset=1", "--disable_slat=1", "--disable_clat=1", "--output=/dev/null")
        hits = collections.Counter(row[4] for row in columns(pathlib.Path(cwd, "p_lat.1.log").read_text()))
        top = sum(n for _, n in hits.most_common(262144 // 20)) / sum(hits.values()) * 100
        checks.check("fio-genzipf: the hottest twentieth of a job", float(rows[0][2]) - 3 < top < 100, (top, rows[0]))


def main():
    compare.need("fio", "gnuplot", "genfio", "fio-dedupe", "fio_jsonplus_clat2csv", "fio2gnuplot", "fio-genzipf")
    checks = compare.Checks()
    for part in (check_clat2csv, check_log_rows, check_fio2gnuplot, check_generate_plots, check_logparser, check_histogram, check_dedupe, check_genfio,
                 check_genzipf):
        if checks.wanted(part.__name__):
            checks.in_attempts(part)
    checks.done()


main()
