"""Measures what starting costs: wall time of an empty job, and time and memory of many jobs in one file. Used by the test and the benchmark."""
import os
import subprocess
import time

import compare


def best(measure, times, *args):
    return min(measure(*args) for _ in range(times))


def empty_job_s(program):
    """Start to end of a job that does one I/O on the null engine."""
    with compare.workspace() as cwd:
        begin = time.perf_counter()
        done = subprocess.run([program, "--name=j", "--ioengine=null", "--number_ios=1", "--size=4k"], cwd=cwd, capture_output=True)
        seconds = time.perf_counter() - begin
    assert done.returncode == 0, done.stderr
    return seconds


def many_jobs_text(jobs):
    return "[global]\nioengine=null\nsize=1m\ntime_based\nruntime=1\n" + "".join(f"[job{n}]\n" for n in range(jobs))


def start_many(program, jobs, cwd):
    path = compare.write_job(cwd, many_jobs_text(jobs))
    out = open(os.path.join(cwd, "report.json"), "w")
    return subprocess.Popen([program, "--output-format=json", path], cwd=cwd, stdout=out, stderr=subprocess.PIPE, start_new_session=True)


def finish(child, jobs, cwd):
    error = child.communicate(timeout=120)[1]
    with open(os.path.join(cwd, "report.json")) as f:
        report = compare.parse_report(f.read())
    assert child.returncode == 0 and len(report["jobs"]) == jobs, error
    assert sum(job["read"]["total_ios"] > 0 for job in report["jobs"]) >= 0.9 * jobs, "jobs that did nothing"


def many_jobs_s(program, jobs):
    with compare.workspace() as cwd:
        begin = time.perf_counter()
        child = start_many(program, jobs, cwd)
        child.wait(timeout=120)
        seconds = time.perf_counter() - begin
        finish(child, jobs, cwd)
    return seconds


def session_pss_kib(session):
    """Memory of all processes of a session, pages that are shared counted once."""
    total = 0
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            if os.getsid(int(pid)) == session:
                with open(f"/proc/{pid}/smaps_rollup") as f:
                    total += sum(int(line.split()[1]) for line in f if line.startswith("Pss:"))
        except OSError:
            pass  # it has ended meanwhile
    return total


def many_jobs_mib(program, jobs):
    """The largest sum seen while the jobs ran; a run of its own, because looking costs time."""
    largest = 0
    with compare.workspace() as cwd:
        child = start_many(program, jobs, cwd)
        while child.poll() is None:
            largest = max(largest, session_pss_kib(child.pid))
            time.sleep(0.1)
        finish(child, jobs, cwd)
    return largest / 1024
