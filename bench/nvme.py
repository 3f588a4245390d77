"""scripts/bench nvme: the user-space NVMe driver against the ideal soft controller, each on a CPU of its own.

Variants of a group (bench/nvme_cases.py) take turns: every round runs each once, in an order that rotates, and gives one ratio to the
group's first, so that a machine that speeds up or slows down in between does not decide. The device is another process (`fathom nvme
serve`) unless a variant says otherwise. No PCIe device takes part. bench/nvme_table.py makes the tables of the summary.

What disturbs a run: the driver or the device had to share its CPU, or the host moved the two virtual CPUs, now two threads of one core, now
cores without a common cache, which is another device. How far apart they are (bare_hand_over) is asked before and after every run. A disturbed run
is made again, and decides nothing if that does not help; two runs are compared only where the CPUs were as far apart in both.
"""
import contextlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

import compare
import facts
from hotpath import OWN_CPU, build_bare
from nvme_cases import GROUPS
from own_cpu import first_on

TRIES = 4  # of one run, as long as there is time for it
MOVED = 1.35  # a hand-over takes so many times as long: the CPUs are elsewhere
DEVICE_CPU, DRIVER_CPU = min(os.sched_getaffinity(0)), max(os.sched_getaffinity(0))
MEASURED = ("iops", "idle_percent", "busy_ns_per_io", "busy_ticks_per_io", "ios_per_sq_doorbell", "ios_per_cq_doorbell",
            "completions_per_poll", "hand_over_ns", "clat_p50_ns", "clat_p99_ns")


def run_delay(pid):
    """(ns that the threads of a process ran, ns that they waited for a CPU)"""
    total = [0, 0]
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/schedstat") as f:
            total = [a + int(b) for a, b in zip(total, f.read().split())]
    return total


class Served:
    """Controllers in a process of their own; one server for each (options, number), kept for as long as its group runs."""

    def __init__(self, fathom, soft, count, folder):
        paths = [os.path.join(folder, f"{soft.replace('=', '')}.{count}.{n}") for n in range(count)]
        argv = [fathom, "nvme", "serve", f"--soft={soft}", f"--cpu={DEVICE_CPU}", *(f"--socket={path}" for path in paths)]
        self.devices = [f"--device=vfio-user:{path}" for path in paths]
        self.process = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, preexec_fn=first_on({DEVICE_CPU}))
        limit = time.monotonic() + 10
        while not all(map(os.path.exists, paths)):
            if self.process.poll() is not None or time.monotonic() > limit:
                self.stop()
                sys.exit(f"{' '.join(argv)}\ndoes not serve")
            time.sleep(0.01)

    def stop(self):
        self.process.terminate()
        self.process.wait(10)


class Bench:
    def __init__(self, given, folder):
        self.given, self.folder, self.stack, self.servers = given, folder, contextlib.ExitStack(), {}
        self.runtime_ms, self.ramp_ms, self.spare_s = (150, 50, 30) if given.quick else (600, 150, 300)
        self.hand_over_ns = self.hand_over()

    def hand_over(self):
        return float(answer([os.path.join(self.given.bare, "bare_hand_over"), str(DEVICE_CPU), str(DRIVER_CPU)], {DEVICE_CPU, DRIVER_CPU}))

    def server(self, soft, count):
        if (soft, count) not in self.servers:
            self.servers[soft, count] = Served(self.given.fathom, soft, count, self.folder)
            self.stack.callback(self.servers[soft, count].stop)
        return self.servers[soft, count]

    def end_group(self):
        self.stack.close()
        self.servers.clear()

    def perf(self, group, variant):
        server = None if variant.where == "soft" else self.server(group.soft, variant.devices)
        devices = server.devices if server else [f"--device=soft:{group.soft},cpu={DEVICE_CPU}"] * variant.devices
        argv = [self.given.fathom, "nvme", "perf", "--output-format=json", *devices, "--rw=randread", f"--bs={group.bs}", f"--iodepth={group.depth}",
                f"--cpus_allowed={DRIVER_CPU}", f"--runtime={self.runtime_ms}ms", f"--ramp_time={self.ramp_ms}ms", *variant.words]
        before = run_delay(server.process.pid) if server else None
        report = answer(argv, {DEVICE_CPU, DRIVER_CPU})
        ran, waited = (b - a for a, b in zip(before, run_delay(server.process.pid))) if server else (1, 0)
        found = numbers(json.loads(report), argv, group.depth * variant.devices)
        return {**found, "device_cpu_share": ran / max(1, ran + waited)}

    def bare(self, group):
        program = os.path.join(self.given.bare, "bare_soft")
        iops, share = map(float, answer([program, str(group.depth), str(self.runtime_ms / 1000)], {DEVICE_CPU, DRIVER_CPU}).split())
        return {"iops": iops, "driver_cpu_share": share / 2, "device_cpu_share": share / 2}  # of both threads

    def once(self, group, variant):
        best = None
        for attempt in range(TRIES):
            begin, before = time.monotonic(), self.hand_over_ns
            found = self.bare(group) if variant.where == "bare" else self.perf(group, variant)
            self.hand_over_ns = self.hand_over()
            found["own_cpu"] = min(found["driver_cpu_share"], found["device_cpu_share"])
            found["moved"] = apart(before, self.hand_over_ns)
            found["hand_over_ns"] = (before + self.hand_over_ns) / 2
            best = max(best or found, found, key=lambda one: (fair(one), one["own_cpu"]))
            self.spare_s -= (time.monotonic() - begin) * (attempt > 0)
            if fair(best) or self.spare_s < 0:
                break
        return best


def apart(one_ns, other_ns):
    return max(one_ns, other_ns) > MOVED * min(one_ns, other_ns)


def fair(one):
    return one["own_cpu"] >= OWN_CPU and not one["moved"]


def answer(argv, cpus):
    done = subprocess.run(argv, capture_output=True, text=True, cwd=compare.BASE, preexec_fn=first_on(cpus))
    if done.returncode != 0:
        sys.exit(f"{' '.join(argv)}\nended with {done.returncode}\n{done.stdout[-2000:]}{done.stderr}")
    return done.stdout


def numbers(report, argv, in_flight):
    job, queue = report["jobs"][0], report["fathom"]["jobs"][0]["queue"]
    read = job["read"]
    latency = read["clat_ns"]
    if "percentile" not in latency or abs(latency["N"] - read["total_ios"]) > in_flight or job["error"] != 0 or queue["strange"] != 0:
        sys.exit(f"{' '.join(argv)}\nits histogram does not hold every I/O, or something failed: {latency['N']} of {read['total_ios']}, error {job['error']}, strange {queue['strange']}")
    found = {key: queue[key] for key in MEASURED if key in queue}
    return {"iops": read["iops"], **found, "clat_p50_ns": latency["percentile"]["50.000000"], "clat_p99_ns": latency["percentile"]["99.000000"],
            "sq_copy": queue["sq_copy"], "driver_cpu_share": (job["usr_cpu"] + job["sys_cpu"]) / 100,
            "findings": sorted({finding["id"] for finding in report["fathom"]["findings"]})}


def decides(rounds, others=None):
    """Which rounds decide: the undisturbed ones, if they are more than half."""
    chosen = [n for n, one in enumerate(rounds)
              if fair(one) and (not others or fair(others[n]) and not apart(one["hand_over_ns"], others[n]["hand_over_ns"]))]
    decided = 2 * len(chosen) > len(rounds)
    return (chosen if decided else list(range(len(rounds)))), decided


def by_distance(rounds):
    """The rates of undisturbed rounds by how far apart the CPUs were, nearest first."""
    classes = []
    for one in sorted(filter(fair, rounds), key=lambda one: one["hand_over_ns"]):
        if not classes or apart(classes[-1][-1]["hand_over_ns"], one["hand_over_ns"]):
            classes.append([])
        classes[-1].append(one)
    return [{"rounds": len(c), **{key: statistics.median(one[key] for one in c) for key in ("hand_over_ns", "iops")}} for c in classes]


def summary(values):
    return {"median": statistics.median(values), "lowest": min(values), "highest": max(values)}


def judged(value, goal, decided):
    return {} if goal is None else {"goal": goal, "verdict": "undecided" if not decided else "met" if value >= goal else "missed"}


def row(group, number, rounds, base):
    """One variant: what it did, and how its rate and its busy time stand to the first variant's of the same rounds."""
    variant = group.variants[number]
    chosen, decided = decides(rounds)
    measured = {key: summary([rounds[n][key] for n in chosen]) for key in MEASURED if all(one.get(key) is not None for one in rounds)}
    found = {"name": variant.name, "words": variant.words, "where": variant.where, "devices": variant.devices, "by_distance": by_distance(rounds),
             "disturbed_rounds": len(rounds) - sum(map(fair, rounds)), **measured}
    if number == 0:
        return {**found, **judged(measured["iops"]["median"], group.iops_goal, decided), "rounds": rounds}
    chosen, decided = decides(rounds, base)
    found["compared_rounds"] = len(chosen) if decided else 0
    found["over_first"] = summary([rounds[n]["iops"] / base[n]["iops"] for n in chosen])
    if "busy_ns_per_io" in measured:
        found["busy_over_first"] = summary([rounds[n]["busy_ns_per_io"] / base[n]["busy_ns_per_io"] for n in chosen])
    goal = group.ratio_goal if number == 1 else None
    return {**found, **judged(found["over_first"]["median"], goal, decided), "rounds": rounds}


def run_group(bench, group, flags, has_bare):
    usable = [n for n, v in enumerate(group.variants) if (not v.needs or v.needs in flags) and (v.where != "bare" or has_bare)]
    rounds = {n: [] for n in usable}
    for turn in range(bench.given.rounds):
        first = turn % len(usable)
        for n in usable[first:] + usable[:first]:
            rounds[n].append(bench.once(group, group.variants[n]))
    bench.end_group()
    rows = [row(group, n, rounds[n], rounds[0]) if n in rounds else {"name": v.name, "absent": "this machine has none"}
            for n, v in enumerate(group.variants)]
    print(group.name)
    for one in rows:
        print(line(one), flush=True)
    return {"key": group.key, "name": group.name, "depth": group.depth, "bs": group.bs, "soft": group.soft, "rows": rows}


def line(one):
    if "absent" in one:
        return f"  {one['name']:28} {one['absent']}"
    rate = one["iops"]
    text = f"  {one['name']:28} {one['hand_over_ns']['median']:4.0f} ns apart {rate['median'] / 1e6:7.2f} M ({rate['lowest'] / 1e6:6.2f} to {rate['highest'] / 1e6:6.2f})"
    if "idle_percent" in one:
        text += f"  idle {one['idle_percent']['median']:4.1f} %  busy {one['busy_ns_per_io']['median']:6.1f} ns {one['busy_ticks_per_io']['median']:5.0f} ticks"
    if "over_first" in one:
        text += f"  x {one['over_first']['median']:.3f}" + ("" if one["compared_rounds"] else " ?")
    if one["disturbed_rounds"]:
        text += f"  disturbed {one['disturbed_rounds']} of {len(one['rounds'])}"
    return text + (f"  (>= {one['goal']:g}: {one['verdict']})" if "goal" in one else "")


def ask_for_tricks(fathom):
    """The paths with a trick taken away are in a bench build only."""
    argv = [fathom, "nvme", "perf", "--device=soft:ideal", "--number_ios=100", "--clock-check=skip", "--nvme_sq_doorbell=command"]
    done = subprocess.run(argv, capture_output=True, text=True, cwd=compare.BASE)
    if done.returncode == 2:
        sys.exit(f"{fathom} takes no trick away: measure a bench build (cmake --preset bench && cmake --build build-bench --target fathom)\n{done.stderr}")


def run(given):
    if DEVICE_CPU == DRIVER_CPU:
        sys.exit("the driver and the device need a CPU each: this machine gives one")
    groups = [group for group in GROUPS if given.only in group.name]
    if any(word.startswith("--nvme_") for group in groups for variant in group.variants for word in variant.words):
        ask_for_tricks(given.fathom)
    has_bare = os.uname().machine == "x86_64"
    if has_bare:
        build_bare(given.bare, "bare_soft")
    build_bare(given.bare, "bare_hand_over")
    flags = facts.first_line("/proc/cpuinfo", "flags").split()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory(prefix="fathom-bench.") as folder:
        bench = Bench(given, folder)
        with contextlib.closing(bench.stack):
            done = [run_group(bench, group, flags, has_bare) for group in groups]
    verdicts = [one["verdict"] for group in done for one in group["rows"] if "verdict" in one]
    counts = {word: verdicts.count(word) for word in ("met", "missed", "undecided")}
    print(", ".join(f"{count} {word}" for word, count in counts.items()) + f"; {time.monotonic() - begin:.0f} s")
    return {"device_cpu": DEVICE_CPU, "driver_cpu": DRIVER_CPU, "seconds": bench.runtime_ms / 1000, "huge_pages": facts.first_line("/proc/meminfo", "HugePages_Total"),
            "summary": counts, "groups": done}
