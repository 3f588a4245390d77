"""scripts/bench start: what starting costs, fathom beside fio (limits: 50 ms; 3 s and 500 MiB, see tests/reference/startup_test.py)."""
import os
import statistics

import compare
import startup

# metric, unit, one measurement, whether fio is measured too (1,000 jobs take fio half a minute)
MEASURES = [
    ("empty job", "ms", lambda program, jobs: startup.empty_job_s(program) * 1000, True),
    ("many null jobs, wall", "s", startup.many_jobs_s, False),
    ("many null jobs, memory", "MiB", startup.many_jobs_mib, False),
]


def run(given):
    jobs = 100 if given.quick else 1000
    metrics = []
    for name, unit, measure, with_fio in MEASURES:
        if given.only not in name:
            continue
        for who, program in (("fathom", os.path.abspath(given.fathom)), ("fio", compare.FIO)):
            if who == "fio" and not with_fio:
                continue
            values = [measure(program, jobs) for _ in range(given.rounds)]
            row = {"metric": name, "program": who, "unit": unit, "best": min(values), "median": statistics.median(values), "values": values}
            metrics.append(row)
            print(f"{name:24} {who:7} best {row['best']:8.2f} {unit}, median {row['median']:8.2f} {unit}", flush=True)
    return {"jobs": jobs, "metrics": metrics}
