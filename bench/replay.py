"""scripts/bench replay: how exactly a recorded trace is replayed, and what reading it costs.

  null    50,000 I/Os per second, five minutes: the lateness that the run reports, with the time that the hypervisor took
  turns   fio and fathom replay one trace on a zram disk in turns, both timed by the block layer's tracepoint
  memory  4 GiB of trace through standard input: resident memory after each GiB
  speed   lines per second of `fathom trace convert`"""
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

import compare
import trace

RATE, SECONDS, QUICK_SECONDS = 50_000, 300, 10
P99_NS, LAST_NS = 100_000, 1_000_000
TURN_RATE, TURN_SECONDS, TURN_BYTES = 2_000, 20, 64 << 20
GIB, CHUNK = 1 << 30, 1 << 20
LINES = 2_000_000


def write_trace(path, name, times_us, blocks, seed):
    """iolog version 3: 4 KiB each, 70 % reads."""
    chosen = random.Random(seed)
    with open(path, "w") as f:
        f.write(f"fio version 3 iolog\n0 {name} add\n0 {name} open\n")
        for time_us in times_us:
            f.write(f"{time_us} {name} {'read' if chosen.random() < .7 else 'write'} {chosen.randrange(blocks) * 4096} 4096\n")
        f.write(f"{time_us} {name} close\n")


def stolen_s():
    with open("/proc/stat") as f:
        return int(f.readline().split()[8]) / os.sysconf("SC_CLK_TCK")


def replayed(program, path, *words):
    done = subprocess.run([program, "run", "--name=r", f"--read_iolog={path}", "--output-format=json", *words], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit(f"the replay failed: {done.stderr[-2000:]}")
    return compare.parse_report(done.stdout)


def verdict(value, most):
    return "reached" if value <= most else "missed"


def null_rows(given, folder):
    seconds = QUICK_SECONDS if given.quick else SECONDS
    path = os.path.join(folder, "null.iolog")
    write_trace(path, "t", range(0, seconds * 1_000_000, 1_000_000 // RATE), 1 << 16, 1)
    rows = []
    for _ in range(given.rounds):
        before = stolen_s()
        job = replayed(given.fathom, path, "--ioengine=null")["fathom"]["jobs"][0]
        replay, late = job["replay"], job["replay"]["lateness"]
        rows.append({"ios": late["n"], "p50_ns": late["percentiles_ns"]["50.000000"], "p99_ns": late["percentiles_ns"]["99.000000"], "max_ns": late["max_ns"], "last_ns": replay["last_late_ns"],
                     "steal_s": stolen_s() - before})
        print(f"null {seconds} s: {rows[-1]}", flush=True)
    p99, last = (statistics.median(row[key] for row in rows) for key in ("p99_ns", "last_ns"))
    return {"null": rows, "null_seconds": seconds, "null_p99_ns": p99, "null_p99": verdict(p99, P99_NS), "null_last_ns": last, "null_last": verdict(last, LAST_NS)}


def zram(size_bytes):
    with open("/sys/class/zram-control/hot_add") as f:
        number = f.read().strip()
    with open(f"/sys/block/zram{number}/disksize", "w") as f:
        f.write(str(size_bytes))
    return number


def remove(number):
    with open("/sys/class/zram-control/hot_remove", "w") as f:
        f.write(number)


def turn(who, given, tracer, path, device, times_us):
    """How late each I/O started by the kernel's clock, against the trace whose time 0 is that of the most punctual I/O."""
    tracer.start()
    if who == "fio":
        done = subprocess.run([compare.FIO, "--name=r", f"--read_iolog={path}", "--ioengine=psync", "--direct=1", "--output-format=json"], capture_output=True, text=True)
        if done.returncode != 0:
            sys.exit(f"fio failed: {done.stderr[-2000:]}")
    else:
        replayed(given.fathom, path, "--ioengine=psync", "--direct=1", "--audit=off", f"--allow-destructive={device}")
    seen = [second for second, access in tracer.queued(device) if access.op in ("read", "write")]
    if len(seen) != len(times_us):
        sys.exit(f"{who} started {len(seen)} I/Os of {len(times_us)}")
    late_us = sorted(second * 1e6 - due for second, due in zip(seen, times_us))
    late_us = [late - late_us[0] for late in late_us]
    recorded_s = (times_us[-1] - times_us[0]) / 1e6
    return {"duration_over_recorded": (seen[-1] - seen[0]) / recorded_s, "late_p50_us": late_us[len(late_us) // 2],
            "late_p99_us": late_us[len(late_us) * 99 // 100], "late_max_us": late_us[-1]}


def turn_rows(given, folder):
    if os.geteuid() != 0 or not os.path.exists("/sys/class/zram-control"):
        return {"turns": "not run: needs root and zram"}
    chosen, at, times_us = random.Random(2), 0.0, []
    while at < (TURN_SECONDS if not given.quick else 5) * 1e6:
        times_us.append(int(at))
        at += chosen.expovariate(TURN_RATE / 1e6)
    number = zram(TURN_BYTES)
    device, path, rows = f"/dev/zram{number}", os.path.join(folder, "turns.iolog"), []
    try:
        write_trace(path, device, times_us, TURN_BYTES // 4096, 3)
        with trace.block_trace() as tracer:
            for round_number in range(given.rounds):
                for who in (("fio", "fathom") if round_number % 2 == 0 else ("fathom", "fio")):
                    rows.append({"program": who, **turn(who, given, tracer, path, device, times_us)})
                    print(f"zram: {rows[-1]}", flush=True)
    finally:
        remove(number)
    median = {who: {key: statistics.median(row[key] for row in rows if row["program"] == who) for key in rows[0] if key != "program"} for who in ("fio", "fathom")}
    off = abs(median["fathom"]["duration_over_recorded"] - 1)
    return {"turns": rows, "turns_median": median, "turns_ios": len(times_us), "turns_duration": verdict(off, 0.001),
            "turns_late_p99_fathom_over_fio": median["fathom"]["late_p99_us"] / median["fio"]["late_p99_us"]}


def resident_kib(pid):
    with open(f"/proc/{pid}/status") as f:
        return next(int(line.split()[1]) for line in f if line.startswith("VmRSS:"))


def family(pid):
    """The process and its children: the job may be one."""
    with open(f"/proc/{pid}/task/{pid}/children") as f:
        return [pid, *(one for child in f.read().split() for one in family(int(child)))]


def memory_rows(given, folder):
    line = b"1 t read 4096 4096\n"
    chunk = line * (CHUNK // len(line))
    gibs = 1 if given.quick else 4
    reader = subprocess.Popen([given.fathom, "run", "--name=r", "--read_iolog=-", "--replay_no_stall=1", "--ioengine=null", "--output-format=json"],
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=False)
    sent, rows, next_look = 0, [], GIB // 4 if given.quick else GIB
    begin = time.monotonic()
    reader.stdin.write(b"fio version 3 iolog\n0 t add\n0 t open\n")
    while sent < gibs * GIB:
        reader.stdin.write(chunk)
        sent += len(chunk)
        if sent >= next_look:
            rows.append({"gib": sent / GIB, "resident_kib": sum(map(resident_kib, family(reader.pid)))})
            next_look += GIB // 4 if given.quick else GIB
            print(f"memory: {rows[-1]}", flush=True)
    reader.stdin.close()
    job = compare.parse_report(reader.stdout.read().decode())["fathom"]["jobs"][0]
    if reader.wait() != 0 or job["read"]["ios"] != sent // len(line):
        sys.exit(f"{job['read']['ios']} of {sent // len(line)} I/Os were replayed")
    grown = rows[-1]["resident_kib"] - rows[0]["resident_kib"]
    return {"memory": rows, "memory_ios": job["read"]["ios"], "memory_s": time.monotonic() - begin, "memory_growth_kib": grown, "memory_growth": verdict(grown, 1024)}


def speed_rows(given, folder):
    path = os.path.join(folder, "speed.csv")
    with open(path, "w") as f:
        for i in range(LINES):
            f.write(f"{128166372003061629 + i * 10},h,0,{'Read' if i % 3 else 'Write'},{i * 4096},4096,{1000 + i % 100}\n")
    rates = []
    for _ in range(given.rounds):
        begin = time.monotonic()
        subprocess.run([given.fathom, "trace", "convert", path, f"--output={os.path.join(folder, 'speed.iolog')}", "--force"], check=True, capture_output=True)
        rates.append(LINES / (time.monotonic() - begin))
    median = statistics.median(rates)
    print(f"speed: {median:.0f} lines/s", flush=True)
    return {"convert_lines_per_s": rates, "convert": "reached" if median >= 1e6 else "missed"}


def run(given):
    result = {}
    with tempfile.TemporaryDirectory(prefix="fathom-replay-", dir=compare.BASE) as folder:
        for name, rows in (("speed", speed_rows), ("memory", memory_rows), ("turns", turn_rows), ("null", null_rows)):
            if given.only in name:
                result |= rows(given, folder)
    return result
