# label: kernel
# alone: CPU time of a thread that mostly sleeps
"""What the audit costs: no instruction an I/O (callgrind, the difference of two lengths), and at most half a per cent of one CPU in its thread."""
# timeout: 900
import os
import re
import shutil
import subprocess
import sys
import time

from audited import FATHOM, Checks, folder, make_file, words

FEW, MANY = 2000, 6000


def instructions(where, ios, audit):
    argv = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=fathom::run::loop::run_worker*", FATHOM, "run", "--name=t",
            "--thread", "--bs=4k", "--clocksource=cpu", "--clock-check=skip", f"--directory={where}", "--filename=f", "--size=4m", "--invalidate=0",
            "--norandommap", "--rw=randread", "--ioengine=psync", f"--number_ios={ios}", "--io_size=1t", "--output=/dev/null", f"--audit={audit}"]
    run = subprocess.run(argv, capture_output=True, text=True)
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not found:
        sys.exit(f"{' '.join(argv)}: exit status {run.returncode}\n{run.stderr[-2000:]}")
    return int(found.group(1))


def in_the_loop(checks, where):
    if os.environ.get("FATHOM_SANITIZE") or shutil.which("valgrind") is None:
        print("instructions: not counted (a sanitizer's build, or no valgrind)")
        return
    # Of a run, some instructions depend on its length in time: the least of two runs, and in all less than a tenth of one an I/O.
    least = {(audit, ios): min(instructions(where, ios, audit) for _ in range(2)) for audit in ("auto", "off") for ios in (FEW, MANY)}
    each = {audit: (least[audit, MANY] - least[audit, FEW]) / (MANY - FEW) for audit in ("auto", "off")}
    checks.check(abs(each["auto"] - each["off"]) < 0.1, f"instructions an I/O: {each['auto']:.2f} with the audit, {each['off']:.2f} without")


def thread_cpu_s(pid):
    """User and system time of the audit's thread, of the process that started the workers."""
    for task in os.listdir(f"/proc/{pid}/task"):
        with open(f"/proc/{pid}/task/{task}/comm") as comm:
            if comm.read().strip() != "fathom-audit":
                continue
        with open(f"/proc/{pid}/task/{task}/schedstat") as stat:
            return int(stat.read().split()[0]) * 1e-9
    return None


def thread_cpu(checks, where):
    argv = words(where, "--rw=randread", "--direct=1", "--time_based", "--runtime=12", "--rate_iops=50")
    job = subprocess.Popen(argv, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(1)  # begun
        first, begin = thread_cpu_s(job.pid), time.monotonic()
        time.sleep(10)
        last, took = thread_cpu_s(job.pid), time.monotonic() - begin
    finally:
        job.wait(30)
    if first is None or last is None:
        sys.exit("no thread fathom-audit was found")
    share = (last - first) / took
    checks.check(share <= 0.005, f"the audit's thread: {100 * share:.3f} % of one CPU over {took:.1f} s")


def main():
    checks = Checks()
    with folder() as where:
        make_file(os.path.join(where, "f"))
        checks.in_attempts(in_the_loop, where)
        checks.in_attempts(thread_cpu, where)
    return 1 if checks.failed else 0


if __name__ == "__main__":
    sys.exit(main())
