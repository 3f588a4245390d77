"""Jobs that leave a verify state and what is read of their reports: for state_test.py and state_fio_test.py."""
import os

import compare

JOB = ["--name=j", "--filename=x", "--bs=4k", "--size=64k", "--ioengine=psync", "--iodepth=4", "--verify=crc32c", "--output-format=json"]
STATE, LIVE = "local-j-0-verify.state", "local-j-0-verify.live"


def run(program, cwd, *words, job=None, **more):
    return compare.execute([program, *(JOB if job is None else job), *words], cwd, **more)


def findings(outcome):
    return [finding["id"] for finding in (outcome.report or {}).get("fathom", {}).get("findings", [])]


def total(outcome):
    jobs = (outcome.report or {}).get("jobs", [])
    return sum(job[way]["total_ios"] for job in jobs for way in ("read", "write"))


def errors(outcome):
    return [job["error"] for job in (outcome.report or {}).get("jobs", [])]


def write_ten(program, cwd, *words):
    """Ten of sixteen blocks in order; the others are zeroes."""
    outcome = run(program, cwd, "--rw=write", "--do_verify=0", "--number_ios=10", "--fallocate=none", *words)
    os.truncate(os.path.join(cwd, "x"), 64 << 10)
    return outcome
