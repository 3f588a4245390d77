"""Runs whose numbers are of no device, or of more than one level, each made on purpose: none may end as passed, and the finding names what was made.

With an argument so many rounds, whose result is written down; the same without what was made wrong must not have the finding."""
# label: kernel
# timeout: 600
# cost: 95
import contextlib
import json
import os
import platform
import signal
import subprocess
import sys
import tempfile
import threading
import time

from audited import FATHOM, Checks, make_file, parse

MIB = 1 << 20
SIZE = 64 * MIB
JOB = ["--name=t", "--clock-check=skip", "--output-format=json", "--bs=4k"]
BLKIO = "/sys/fs/cgroup/blkio"


def start(*words):
    return subprocess.Popen([FATHOM, "run", *JOB, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def ended(process):
    out, errors = process.communicate(timeout=120)
    if "{" not in out:
        sys.exit(f"{' '.join(process.args)}: exit status {process.returncode}\n{errors[-1000:]}")
    return parse(out)


def run(*words):
    return ended(start(*words))


class Bench:
    """A loop device with random data, a file, and what the cases change of them."""

    def __init__(self, stack):
        self.folder = stack.enter_context(tempfile.TemporaryDirectory(dir="/var/tmp"))
        self.file = os.path.join(self.folder, "written")
        make_file(self.file, SIZE)
        self.stack = stack
        self.disk = self.loop(self.file)
        self.limits = stack.enter_context(blkio_group()) if os.path.isdir(BLKIO) else None

    def loop(self, path):
        disk = subprocess.run(["losetup", "--find", "--show", "--direct-io=on", path], capture_output=True, text=True, check=True).stdout.strip()
        self.stack.callback(subprocess.run, ["losetup", "--detach", disk], check=True)
        return disk

    def sparse(self):
        path = os.path.join(self.folder, f"sparse{time.monotonic_ns()}")
        with open(path, "wb") as f:
            f.truncate(SIZE)
        return path

    def reserved(self):
        path = self.sparse()
        with open(path, "r+b") as f:
            os.posix_fallocate(f.fileno(), 0, SIZE)
        return path


@contextlib.contextmanager
def blkio_group():
    """A group that limits what is done to a disk; its members are what `with_limit` starts."""
    path = os.path.join(BLKIO, f"fathom-not-passed-{os.getpid()}")
    os.mkdir(path)
    try:
        yield path
    finally:
        os.rmdir(path)


def set_limit(bench, iops):
    with open(os.path.join(bench.limits, "blkio.throttle.read_iops_device"), "w") as f:
        number = os.stat(bench.disk).st_rdev
        f.write(f"{os.major(number)}:{os.minor(number)} {iops}\n")


def in_group(bench, *words):
    """The run enters the group before it begins."""
    command = ["sh", "-c", f'echo $$ > {bench.limits}/cgroup.procs && exec "$0" "$@"', FATHOM, "run", *JOB, *words]
    return subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def in_small_memory(bench):
    """Four times as many bytes as the group may have pages."""
    path = f"/sys/fs/cgroup/memory/fathom-not-passed-{os.getpid()}"
    os.mkdir(path)
    try:
        with open(os.path.join(path, "memory.limit_in_bytes"), "w") as f:
            f.write("64M")
        big = os.path.join(bench.folder, "big")
        make_file(big, 4 * SIZE)
        words = [FATHOM, "run", *JOB, f"--filename={big}", f"--size={4 * SIZE}", "--rw=read", "--bs=64k"]
        command = ["sh", "-c", f'echo $$ > {path}/cgroup.procs && exec "$0" "$@"', *words]
        fathom = ended(subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True))
        os.unlink(big)
        return fathom
    finally:
        os.rmdir(path)


def direct(bench, *more):
    return [f"--filename={bench.disk}", "--rw=randread", "--direct=1", *more]


def for_time(seconds):
    return [f"--runtime={seconds}", "--time_based=1"]


def blank(bench):
    return run(f"--filename={bench.loop(bench.sparse())}", "--rw=randread", "--direct=1")


def trimmed(bench):
    path = os.path.join(bench.folder, f"trimmed{time.monotonic_ns()}")
    make_file(path, SIZE)
    disk = bench.loop(path)
    subprocess.run(["blkdiscard", disk], check=True)
    return run(f"--filename={disk}", "--rw=randread", "--direct=1")


def fallocated(bench):
    return run(f"--filename={bench.reserved()}", f"--size={SIZE}", "--rw=randread", "--direct=1")


def holes(bench):
    return run(f"--filename={bench.sparse()}", f"--size={SIZE}", "--rw=randread", "--direct=1")


def no_medium(_):
    return run("--ioengine=nvme", "--filename=soft:ideal", "--rw=randread", "--size=64m", "--iodepth=8", "--number_ios=20000")


def trims_of_nothing(_, path):
    return run(f"--filename={path}", f"--size={SIZE}", "--rw=randtrim", "--direct=1")


def on_overlay_in_memory(bench):
    """As the root file system of a container whose upper layer is in memory."""
    top = os.path.join(bench.folder, f"overlay{time.monotonic_ns()}")
    os.makedirs(top)
    subprocess.run(["mount", "-t", "tmpfs", "none", top], check=True)
    try:
        for name in ("lower", "upper", "work", "merged"):
            os.mkdir(f"{top}/{name}")
        subprocess.run(["mount", "-t", "overlay", "overlay", "-o", f"lowerdir={top}/lower,upperdir={top}/upper,workdir={top}/work", f"{top}/merged"], check=True)
        try:
            return run(f"--filename={top}/merged/file", f"--size={SIZE}", "--rw=write", "--end_fsync=1")
        finally:
            subprocess.run(["umount", f"{top}/merged"], check=True)
    finally:
        subprocess.run(["umount", top], check=True)


def of_kernel(_, path, rw):
    return run(f"--filename={path}", f"--size={SIZE}", f"--rw={rw}")


def reserving(bench):
    return run("--ioengine=falloc", f"--filename={os.path.join(bench.folder, 'reserving')}", f"--size={SIZE}", "--rw=write")


def one_file_of_posixaio(bench):
    return run("--ioengine=posixaio", "--iodepth=16", f"--filename={bench.file}", f"--size={SIZE}", "--rw=randread", "--direct=1")


def below_minimum(bench):
    """Judged after two seconds only."""
    return run(*direct(bench, "--thinktime=2ms", "--rate_iops_min=5000", *for_time(1)))


def target_not_kept(_):
    return run("--ioengine=sim", "--rw=randread", "--size=64m", "--sim_latency=two:100us:5ms:30%", "--iodepth=4",
               "--latency_target=1ms", "--latency_window=500ms", "--latency_percentile=90")


def not_steady(bench):
    return run(*direct(bench, "--steadystate=iops_slope:0.0001%", "--steadystate_duration=2s", *for_time(3)))


def extending(bench):
    """A direct write that extends its file is over when its submission returns."""
    path = os.path.join(bench.folder, f"extended{time.monotonic_ns()}")
    try:
        return run("--ioengine=libaio", "--iodepth=32", f"--filename={path}", "--size=2g", "--rw=write", "--direct=1", "--fallocate=none", "--runtime=2")
    finally:
        os.unlink(path)


def few_of_a_rate(bench):
    return run(*direct(bench, "--rate_iops=18", "--thinktime=100ms", *for_time(1)))


def behind_a_larger_job(bench, path):
    """The second job's bytes are few among those of the run."""
    with open(bench.file, "rb") as f:
        f.read()
    return run(f"--filename={bench.disk}", "--rw=read", "--direct=1", "--bs=1m", *for_time(1), "--name=small", "--stonewall", f"--filename={path}", f"--size={SIZE}",
               "--bs=4k", "--rw=randread", "--invalidate=0", "--rate_iops=2000", *for_time(1))


def cached(bench, engine):
    with open(bench.file, "rb") as f:
        f.read()
    return run(f"--filename={bench.file}", f"--size={SIZE}", "--rw=randread", f"--ioengine={engine}", "--invalidate=0", "--loops=4")


def one_io(bench):
    return run(*direct(bench, "--number_ios=1"))


def few_ms(bench):
    return run(*direct(bench, "--runtime=10ms", "--time_based=1"))


def stop_workers(process, begin_s, stopped_s, running_s=0, times=1):
    time.sleep(begin_s)
    children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True).stdout.split()
    for _ in range(times):
        for number, pause_s in ((signal.SIGSTOP, stopped_s), (signal.SIGCONT, running_s)):
            for child in children:
                os.kill(int(child), number)
            time.sleep(pause_s)
    return ended(process)


def stopped(bench):
    return stop_workers(start(*direct(bench, "--thread=0", *for_time(6))), 2, 2)


def stopped_often(bench, *more):
    """Each stop is shorter than a point of the series, and a small part of the run."""
    return stop_workers(start(*direct(bench, "--thread=0", *for_time(5), *more)), 1, 0.2, 0.2, times=8)


def stopped_in_a_pause(bench):
    return stop_workers(start(*direct(bench, "--thread=0", "--thinktime=2ms", *for_time(4))), 1, 0.6)


def paging_stopped(_):
    """Nearly all accesses are hits, so that a stop falls between two of them."""
    words = [FATHOM, "paging", "--duration=3", "--map=64m", "--set=32m", "--pattern=uniform", "--output-format=json"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    return stop_workers(process, 1.5, 0.8)


def paging_settings_restored(_):
    words = [FATHOM, "paging", "--duration=5", "--map=64m", "--set=32m", "--pattern=uniform", "--output-format=json"]
    process = subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    time.sleep(1.5)
    with open("/proc/sys/vm/swappiness") as f:
        before = f.read()
    try:
        with open("/proc/sys/vm/swappiness", "w") as f:
            f.write("61\n" if before.strip() != "61" else "62\n")
        time.sleep(2)
    finally:
        with open("/proc/sys/vm/swappiness", "w") as f:
            f.write(before)
    return ended(process)


def limited_in_the_middle(bench):
    set_limit(bench, 0)
    process = in_group(bench, *direct(bench, "--ioengine=libaio", "--iodepth=8", *for_time(7)))
    time.sleep(2)
    set_limit(bench, 300)
    time.sleep(2.5)
    set_limit(bench, 0)
    return ended(process)


def limited(bench):
    set_limit(bench, 300)
    return ended(in_group(bench, *direct(bench, "--ioengine=libaio", "--iodepth=8", *for_time(3))))


def regime(bench, at_s=4):
    """The limit is another one from `at_s` on: as a burst credit that is used up."""
    set_limit(bench, 2000)
    process = in_group(bench, *direct(bench, "--ioengine=libaio", "--iodepth=8", *for_time(9)))
    begun = time.monotonic()
    timer = threading.Timer(at_s, set_limit, (bench, 400))
    timer.start()
    found = ended(process)
    timer.join()
    found["changed_at_s"] = at_s - max(0, time.monotonic() - begun - 9) / 2
    return found


def warm_up(bench):
    set_limit(bench, 400)
    process = in_group(bench, *direct(bench, "--ioengine=libaio", "--iodepth=8", *for_time(12)))
    timer = threading.Timer(1.5, set_limit, (bench, 2000))
    timer.start()
    found = ended(process)
    timer.join()
    return found


def two_modes(_):
    return run("--ioengine=sim", "--rw=randread", "--size=64m", "--sim_latency=two:100us:5ms:30%", "--number_ios=20000")


def starved(bench):
    """Two processes for each CPU that the generator may use."""
    spin = [subprocess.Popen(["sh", "-c", "taskset -pc 0 $$ >/dev/null; while :; do :; done"]) for _ in range(4)]
    try:
        return run("--ioengine=null", "--rw=randread", "--size=1g", "--rate_iops=5000", "--cpus_allowed=0", *for_time(3))
    finally:
        for each in spin:
            each.kill()
            each.wait()


# name, what is made, the ids of which one must be told, whether it has to fail
CASES = [
    ("never written", blank, {"run.blank_device"}, True),
    ("trimmed", trimmed, {"run.blank_device"}, True),
    ("fallocated file", fallocated, {"audit.unwritten"}, True),
    ("holes", holes, {"audit.holes"}, True),
    ("a controller without a medium", no_medium, {"run.no_medium"}, True),
    ("trims of a file without blocks", lambda bench: trims_of_nothing(bench, bench.sparse()), {"run.nothing_to_trim"}, False),
    ("trims of a device without blocks", lambda bench: trims_of_nothing(bench, bench.loop(bench.sparse())), {"run.nothing_to_trim"}, False),
    ("an overlay in memory", on_overlay_in_memory, {"run.no_medium"}, False),
    ("/dev/zero", lambda bench: of_kernel(bench, "/dev/zero", "read"), {"run.no_medium"}, False),
    ("/dev/null", lambda bench: of_kernel(bench, "/dev/null", "write"), {"run.no_medium"}, False),
    ("an engine that moves no data", reserving, {"run.no_medium"}, False),
    ("posixaio at depth 16 on one file", one_file_of_posixaio, {"delivery.synchronous"}, False),
    ("a minimum that was not reached", below_minimum, {"rate.below_minimum"}, False),
    ("a target for latencies that was not kept", target_not_kept, {"rate.latency_target"}, False),
    ("a steady state that was not reached", not_steady, {"run.not_steady"}, False),
    ("ten of eighteen I/Os", few_of_a_rate, {"rate.not_kept"}, False),
    ("memory behind a larger job", lambda bench: behind_a_larger_job(bench, bench.file), {"audit.job_unread"}, False),
    ("depth 32 of writes that extend a file", extending, {"delivery.depth"}, False),
    ("page cache, psync", lambda bench: cached(bench, "psync"), {"audit.page_cache"}, False),
    ("page cache, mmap", lambda bench: cached(bench, "mmap"), {"audit.page_cache"}, False),
    ("one I/O", one_io, {"run.few_ios"}, False),
    ("a few milliseconds", few_ms, {"run.too_short"}, False),
    ("a worker stopped for a third", stopped, {"run.stopped"}, False),
    ("a worker stopped eight times for 0.2 s", stopped_often, {"run.stopped"}, False),
    ("a paced worker stopped eight times", lambda bench: stopped_often(bench, "--rate_iops=500"), {"run.stopped"}, False),
    ("a worker stopped in a pause", stopped_in_a_pause, {"run.stopped"}, False),
    ("a paging worker stopped between hits", paging_stopped, {"run.stopped"}, False),
    ("a setting of paging changed and restored", paging_settings_restored, {"paging.changed_by_others"}, False),
    ("an I/O limit in the middle of a run", limited_in_the_middle, {"io.limit"}, False),
    ("an I/O limit", limited, {"io.limit"}, False),
    ("a memory limit", in_small_memory, {"memory.max"}, False),
    ("another level from 4 s on", regime, {"run.changed"}, False),
    ("a warm-up", warm_up, {"run.changed"}, False),
    ("two modes", two_modes, {"run.two_modes"}, False),
    ("a starved generator", starved, {"cpu.wait"}, False),
]
LIMITED = {"an I/O limit", "an I/O limit in the middle of a run", "another level from 4 s on", "a warm-up"}


def located(fathom):
    """How far from the change the time is that is told."""
    for finding in fathom["findings"]:
        if finding["id"] == "run.changed":
            values = {v["name"]: v.get("number", v.get("text")) for v in finding["values"]} if isinstance(finding["values"], list) else finding["values"]
            return abs(float(values["at_s"]) - fathom["changed_at_s"])
    return None


def look(checks, bench, name, make, ids, fails):
    fathom = make(bench)
    told = {f["id"] for f in fathom["findings"] if f["severity"] != "note"}
    ok = fathom["checks"] == ("failed" if fails else fathom["checks"]) and fathom["checks"] != "passed" and bool(told & ids)
    row = {"case": name, "checks": fathom["checks"], "told": sorted(told), "good": ok}
    if "changed_at_s" in fathom:
        row["off_s"] = located(fathom)
        ok = ok and row["off_s"] is not None and row["off_s"] <= 1
    checks.check(ok, f"{name}: {fathom['checks']}, {', '.join(sorted(told))}{', off by %.2f s' % row['off_s'] if row.get('off_s') is not None else ''}")
    return row


def flat(checks, bench):
    """The same device without anything made: no finding about levels, media or caches."""
    made = set().union(*(ids for _, _, ids, _ in CASES)) - {"cpu.wait"}
    fathom = run(*direct(bench, "--ioengine=libaio", "--iodepth=4", *for_time(3)))
    told = {f["id"] for f in fathom["findings"] if f["severity"] != "note"} & made
    checks.check(not told, f"nothing made: {fathom['checks']} {sorted(told)}")


def main():
    if os.geteuid() != 0:
        sys.exit(77)
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 1
    checks, rows = Checks(), []
    with contextlib.ExitStack() as stack:
        bench = Bench(stack)
        for _ in range(rounds):
            for name, make, ids, fails in CASES:
                if name == "a memory limit" and not os.path.isdir("/sys/fs/cgroup/memory"):
                    print(f"     skipped: {name}: there is no memory controller of version 1")
                    continue
                if name in LIMITED and not bench.limits:
                    print(f"     skipped: {name}: there is no blkio controller")
                    continue
                rows.append(look(checks, bench, name, make, ids, fails))
            if bench.limits:
                set_limit(bench, 0)
            flat(checks, bench)
    out = os.environ.get("FATHOM_SOAK_OUT")
    if out:
        with open(out, "w") as f:
            json.dump({"rounds": rounds, "kernel": platform.release(), "not_as_made": checks.failed, "cases": rows}, f, indent=1)
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
