#!/usr/bin/python3
# lock: paging
"""Our XML report and CSV through Python's own readers, by pmbench's schema: names, order, the nine buckets of index 0, sums; and the
CSV's matrix against the XML's bins. What a reader of pmbench's files finds, it finds here."""
import csv
import io
import sys
import xml.etree.ElementTree as ElementTree

import documents

GOLDEN = documents.folder()
REPORT = ["signature", "machine_info", "result", "statistics", "sys_mem_info", "fathom"]
SIGNATURE = ["pmbench_info", "os_info", "time_info", "uuid", "params"]
PARAMS = ["duration", "mapsize", "setsize", "initialize", "shape", "delay", "quiet", "cold", "jobs", "offset", "ratio", "pattern", "access",
          "tsops"]
MEMORY = ["free_kib", "buffer_kib", "cache_kib", "active_kib", "inactive_kib", "pgpgin", "pgpgout", "pswpin", "pswpout", "pgmajfault"]
ITEMS = ["pre-warmup", "pre-run", "mid-run", "post-run", "post-unmap"]
problems = []


def check(what, good):
    if not good:
        problems.append(what)


def names(node):
    return [child.tag for child in node]


def number(node, path):
    return float(node.find(path).text)


def check_threads(report, khz):
    threads = report.findall("result/result_thread")
    check("thread numbers", [t.get("thread_num") for t in threads] == [str(i + 1) for i in range(len(threads))])
    for thread in threads:
        check("thread's children", names(thread) == ["result_netavg", "result_details", "warmup_details"])
        check("details' children", names(thread.find("result_details")) == ["details_latency", "details_samples", "details_overhead",
                                                                            "details_total"])
        latency, overhead = number(thread, "result_details/details_latency/latency_us"), number(thread, "result_details/details_overhead/overhead_us")
        check("net average", abs(number(thread, "result_netavg/netavg_us") - (latency - overhead)) < 2e-4)
        check("ticks", abs(number(thread, "result_details/details_latency/latency_clk") - latency * khz / 1e3) < 2)


def check_histogram(histogram):
    """The edges in ns and the count of each bin, in order."""
    buckets = histogram.findall("histo_bucket")
    check("indices", [b.get("index") for b in buckets] == ["0"] + [str(i) for i in range(1, 16)] + ["0"] * 8)
    bins = []
    for bucket in buckets:
        low, high = int(number(bucket, "bucket_interval/interval_lo")), int(number(bucket, "bucket_interval/interval_hi"))
        total = int(number(bucket, "sum_count"))
        hexes = bucket.findall("bucket_hexes/hex")
        if not hexes:
            bins.append((2**low if low else 0, 2**high, total))
            continue
        check("hex indices", [h.get("index") for h in hexes] == [str(i) for i in range(16)])
        check("sum of a bucket", sum(int(h.text) for h in hexes) == total)
        width = 2**low // 16
        bins += [(2**low + i * width, 2**low + (i + 1) * width, int(h.text)) for i, h in enumerate(hexes)]
    check("bins follow each other", all(a[1] == b[0] for a, b in zip(bins, bins[1:])))
    return bins


def check_memory(report):
    items = report.findall("sys_mem_info/sys_mem_item")
    check("memory items", [i.get("name") for i in items] == ITEMS)
    for i, item in enumerate(items):
        check("memory names", names(item.find("mem_item_info")) == MEMORY)
        check("post-unmap has no delta", (item.find("mem_item_delta") is None) == (i + 1 == len(items)))
        if i + 1 < len(items):
            for name in MEMORY:
                check("delta of " + name, number(item, "mem_item_delta/" + name) == number(items[i + 1], "mem_item_info/" + name) -
                      number(item, "mem_item_info/" + name))


def csv_matrix(rows, title):
    start = next(i for i, row in enumerate(rows) if row and row[0] == title)
    matrix = []
    for row in rows[start + 1:]:
        if not row:
            break
        matrix.append(tuple(int(value) for value in row))
    return matrix


def check_integers(report):
    """pmbench's graphing program reads these into 32 bits."""
    for name in ("duration", "mapsize", "setsize", "jobs", "delay", "ratio", "quiet", "cold", "offset"):
        check("32 bits of " + name, -2**31 <= int(report.findtext("signature/params/" + name)) < 2**31)
    check("as many threads as jobs", int(report.findtext("signature/params/jobs")) == len(report.findall("result/result_thread")))


def check_ours(report):
    """Who looks for pmbench's elements by their names alone finds none of them in ours."""
    theirs = {node.tag for part in report if part.tag != "fathom" for node in part.iter() if len(node)} | {"hex", "uuid"}
    ours = {node.tag for node in report.find("fathom").iter()}
    check(f"names that are pmbench's: {sorted(theirs & ours)}", not theirs & ours)


def check_report(report):
    check("report", names(report) == REPORT)
    check("signature", names(report.find("signature")) == SIGNATURE)
    check("params", names(report.find("signature/params")) == PARAMS)
    check("version", report.findtext("signature/pmbench_info/version_xmloutput") == "0.1")
    check("operating system", report.findtext("signature/pmbench_info/version_options") == " Linux 64bit +mt -xa")
    check("year, from 1900", report.findtext("signature/time_info/year") == "124")
    check("machine", names(report.find("machine_info")) == ["modelname", "freq_khz", "tlb_info", "cache_info"])
    check("caches", [c.get("type") for c in report.findall("machine_info/cache_info/cache")] == ["DCACHE", "CACHE"])
    check_threads(report, number(report, "machine_info/freq_khz"))
    check_memory(report)
    check_integers(report)
    check_ours(report)
    for kind in ("read", "write"):
        check_histogram(report.find(f"statistics/histogram[@type='{kind}']"))


def report_of(name):
    root = ElementTree.parse(GOLDEN / name).getroot()
    check("root", root.tag == "pmbenchmark" and names(root) == ["report"])
    return root.find("report")


def check_breakdown():
    """pmbench's elements are the first run's, and are the same as that run's alone."""
    report, alone = report_of("paging.table2.xml"), report_of("paging.xml")
    check_report(report)
    for part in ("result", "statistics", "sys_mem_info"):
        check(part + " of the first run", ElementTree.tostring(report.find(part)) == ElementTree.tostring(alone.find(part)))
    check("table 2", len(report.findall("fathom/table2/column")) == 4)
    check("repetitions", len(report.findall("fathom/repetitions/repetition")) == 1)


def main():
    report = report_of("paging.xml")
    check_report(report)
    check_breakdown()
    with open(GOLDEN / "paging.csv", encoding="utf-8") as sheet:
        rows = list(csv.reader(io.StringIO(sheet.read())))
    check("parameter lines", len(rows[0]) == 8 and len(rows[1]) == 8)
    for kind in ("read", "write"):
        bins = check_histogram(report.find(f"statistics/histogram[@type='{kind}']"))
        check(f"{kind} matrix of the CSV", csv_matrix(rows, kind.capitalize() + " latencies") == bins)
        classes = report.findall(f"fathom/classes/class[@type='{kind}']")
        check(f"{kind} classes add up", sum(number(c, "count") for c in classes) == sum(b[2] for b in bins))
        check(f"{kind} bins of classes add up", all(
            sum(int(pair.split(":")[1]) for pair in c.findtext("bins_ns").split()) == number(c, "count") for c in classes))
    for problem in sorted(set(problems)):
        print("FAIL", problem)
    print("paging.xml, paging.table2.xml and paging.csv:", "ok" if not problems else f"{len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
