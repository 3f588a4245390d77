"""User instructions an I/O of the whole path to an NVMe device: run loop, engine and driver, with latencies stamped and binned. Callgrind
counts the driver's process alone; the device is the controller in software, native in a process of its own, that answers and moves no
data. Two jobs that differ only in number_ios are subtracted, so that start and end cancel out, and what is spent in waiting for the device
(its functions by their names) is taken off, since that depends on the device and not on the path.

Shown beside: shallower queues, D1 misses (callgrind's model of the machine's cache, not the machine) and doorbell writes an I/O.
"""
# label: timing
# timeout: 900
# alone: the device has the other CPU
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

FATHOM = os.environ["FATHOM"]
FEW, MANY = 20000, 60000
WAITING = re.compile(r"NvmeEngine<.*>::wait\(|QueueLoop<.*>::wait_idle\(")
CELL = r"(?:[\d,]+ \( *[\d.]+%\)|0|\.)"  # of callgrind_annotate: "1,234 (12.3%)", "0" or "."
# depth: ceiling of instructions an I/O, or None where it is only shown. What a turn of the loop costs is spread over the I/Os that it finds
# completed; while callgrind slows the driver down the device is ahead, so that a turn finds as many as the depth allows. Where something else
# has the device's CPU for a while, turns find nothing and cost all the same: the least of several runs is the one that was left alone.
GOAL = 150  # at depth 128; 153 is what it is (docs/dev/performance.md), and what may not grow
CEILINGS = {128: 154, 32: None, 1: None}
# More than the first only where they are over the ceiling, or so far below it that no run of the shorter job can have been left alone.
RUNS, MOST_RUNS, NEAR = 4, 12, 3


def serve(folder):
    socket = os.path.join(folder, "s")
    server = subprocess.Popen([FATHOM, "nvme", "serve", "--socket", socket, "--soft=ideal"], stdout=subprocess.PIPE, text=True)
    if "serv" not in server.stdout.readline():
        sys.exit("fathom nvme serve did not say that it serves")
    return server, socket


def job(socket, depth, ios, report):
    return [FATHOM, "run", "--name=t", "--thread", "--ioengine=nvme", f"--filename=vfio-user:{socket}", "--rw=randread", "--norandommap", "--bs=4k", f"--iodepth={depth}",
            f"--iodepth_batch={depth}", "--iodepth_batch_complete_min=1", f"--iodepth_batch_complete_max={depth}", "--clocksource=cpu", "--clock-check=skip",
            f"--number_ios={ios}", "--io_size=1t", "--output-format=json", f"--output={report}"]


def table(path, events):
    """[(function, {event: count})] of a callgrind file, and the sums."""
    shown = subprocess.run(["callgrind_annotate", "--threshold=100", "--auto=no", f"--show={','.join(events)}", path], capture_output=True, text=True, check=True).stdout
    rows, sums = [], None
    for line in shown.splitlines():
        cells = re.match(r"\s*((?:%s +){%d})(\S.*)$" % (CELL, len(events)), line)
        if not cells:
            continue
        found = [int(c.split(" ")[0].replace(",", "").replace(".", "0")) for c in re.findall(CELL, cells.group(1))]
        counts = dict(zip(events, found))
        if "PROGRAM TOTALS" in cells.group(2):
            sums = counts
        else:
            rows.append((cells.group(2), counts))
    if sums is None or not rows:
        sys.exit(f"callgrind_annotate showed no table:\n{shown[:2000]}")
    return rows, sums


def counted(folder, socket, depth, ios, events, words):
    """{event: count} of one job without its waiting, {event: count} of the waiting, and the driver's own counts."""
    out, report = os.path.join(folder, "callgrind.out"), os.path.join(folder, "report.json")
    argv = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}", "--toggle-collect=fathom::run::loop::run_worker*", *words, *job(socket, depth, ios, report)]
    run = subprocess.run(argv, capture_output=True, text=True)
    if run.returncode != 0:
        sys.exit(f"{' '.join(argv)}: exit status {run.returncode}\n{run.stderr[-2000:]}")
    with open(report, encoding="utf-8") as f:
        text = f.read()
    done = json.loads(text[text.index("{"):])["fathom"]["jobs"][0]
    if done["read"]["ios"] != ios or done["error_count"] != 0:
        sys.exit(f"{done['read']['ios']} I/Os where {ios} were wanted")
    rows, sums = table(out, events)
    waiting = {e: sum(counts[e] for name, counts in rows if WAITING.search(name)) for e in events}
    return {e: sums[e] - waiting[e] for e in events}, waiting, done["queue"]


def main():
    if os.environ.get("FATHOM_SANITIZE"):
        print("skipped: a sanitizer's instructions are not fathom's")
        return 77
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return 77
    if not WAITING.search(subprocess.run(["nm", "-C", FATHOM], capture_output=True, text=True, check=True).stdout):
        sys.exit("the functions that wait have other names now")
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        server, socket = serve(folder)
        try:
            for depth, ceiling in CEILINGS.items():
                runs = {ios: [] for ios in (MANY, FEW)}
                for turn in range(MOST_RUNS if ceiling else 1):
                    for ios in runs:
                        runs[ios].append(counted(folder, socket, depth, ios, ["Ir"], []))
                    many, few = (min(runs[ios], key=lambda run: run[0]["Ir"]) for ios in (MANY, FEW))
                    each, waiting = ((many[i]["Ir"] - few[i]["Ir"]) / (MANY - FEW) for i in (0, 1))
                    if turn + 1 >= RUNS and ceiling - NEAR <= each <= ceiling:
                        break
                queue = many[2]
                over = ceiling is not None and each > ceiling
                failed += over
                print(f"{'FAIL' if over else 'ok  '} depth {depth}: {each:.1f} instructions an I/O, ceiling {ceiling or 'none'}{f' (goal {GOAL})' if ceiling else ''}; "
                      f"beside them {waiting:.1f} of waiting; doorbell writes an I/O: "
                      f"{queue['sq_doorbells'] / queue['commands']:.4f} submission, {queue['cq_doorbells'] / queue['commands']:.4f} completion")
                if ceiling and each < 20:
                    sys.exit("so few instructions cannot be an I/O: the runs were not what they should be")
            events = ["Ir", "D1mr", "D1mw"]
            many, few = (counted(folder, socket, 128, ios, events, ["--cache-sim=yes"])[0] for ios in (MANY, FEW))
            reads, writes = ((many[e] - few[e]) / (MANY - FEW) for e in events[1:])
            print(f"     depth 128: {reads:.2f} D1 read misses and {writes:.2f} D1 write misses an I/O, by callgrind's model of this machine's cache")
        finally:
            server.terminate()
            server.communicate()
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
