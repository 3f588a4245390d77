# label: test
# cost: 4
# timeout: 900
"""Ten thousand random job files (random_jobs.py): fathom takes those that Debian's fio takes, and refuses those that it refuses, but for kinds of
differences that stand in EXCUSES with their reasons. What fio says is in random_verdicts.txt. Every fifth of the first 1,000 is asked here; with
FATHOM_FIO=live all of them, and fio itself of 200 of them; scripts/check verdicts asks both of all.
"""
import collections
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import random_jobs

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "reference"))
import recorded  # noqa: E402

FIO = recorded.FIO
FATHOM = os.environ.get("FATHOM", "")
SKIP = 77
# What fathom says of a job that fio takes -> why that is right. "not built" is no difference of opinion, and is counted.
EXCUSES = [
    (r"not built in fathom yet", "not built yet"),
    (r"(numjobs|loops|nrfiles|thinktime_blocks|iopsavgtime|bwavgtime)=0: out of range", "a count of zero, of which fio makes no job, one, or an endless one"),
    (r"rw=\w+:0: out of range", "a sequencer of zero"),
    (r"rw=\w+:[^:]*: (not a sequencer|out of range)", "a sequencer that fio's mode does not have"),
    (r"=4x: not a size", "fio reads 4x as 4 bytes"),
    (r"=2: not 0 or 1", "fio reads 2 as 1 where a bare word would do"),
    (r"percentages above 100", "shares of a split that fio cuts off in silence"),
    (r"zonemode=strided without zonesize", "fio says that it must be given, and runs without zones"),
    (r"unknown engine|there is no CPU \d+", "fio says so when it runs, or leaves the CPU out in silence"),
    (r"nothing to do|less than one block|larger than|no(t a)? multiple|has no size", "fio says so when it runs"),
    (r"cpus_allowed=x: not a list of CPUs", "fio reads what is not a number as CPU 0"),
    (r"cannot be verified", "fio checks nothing there, or says so when it runs"),
    (r"dedupe_percentage=\d+ and dedupe_working_set_percentage=\d+ are more than 100", "fio says so when it runs"),
    (r"numa_mem_policy=x: not a memory policy", "fio takes any word"),
    (r"a zone of \d+ bytes is smaller than a block", "fio makes no I/O of it"),
    (r"atomic=1 with ioengine=", "an engine whose calls have no flag for it; fio up to 3.37 takes it and does nothing"),
    (r"with io_submit_mode=offload", "refused together with offload, whose threads have a queue each; fio takes it"),
    (r"mem=mmapshared: the file is missing", "to be taken: fio maps anonymous memory"),
]
# What a job has in it that fio refuses and fathom takes.
TAKEN = [
    (r"^(verify_dump=2|verify_offset=0)$", "an option of verification in a job that does not verify"),
]


BATCH = 40


def ask_file(program, numbers, folder):
    """One file with a section for each job: (all are taken, what was said)."""
    path = os.path.join(folder, f"{numbers[0]}-{len(numbers)}.fio")
    with open(path, "w") as f:
        f.write("".join(random_jobs.job(n, f"j{n}") for n in numbers))
    done = subprocess.run([program, "--parse-only", path], capture_output=True, text=True, errors="replace", stdin=subprocess.DEVNULL, timeout=100, cwd=folder)
    os.unlink(path)
    said = done.stdout + done.stderr
    return done.returncode == 0 and "dropped" not in said, said


def ask_some(program, numbers, folder, singly):
    """[(taken, said)] of each. Debian's fio starts slowly, stops at the first job that it refuses and names it, so it is asked of many at once."""
    if singly:
        return [ask_file(program, [n], folder) for n in numbers]
    answers, rest = [], list(numbers)
    while rest:
        taken, said = ask_file(program, rest, folder)
        named = re.search(r"^fio: job j(\d+) dropped", said, re.M)
        if taken:
            return answers + [(True, "")] * len(rest)
        if named and int(named[1]) in rest:
            at = rest.index(int(named[1]))
            answers += [(True, "")] * at + [(False, said)]
            rest = rest[at + 1:]
        elif len(rest) == 1:
            return answers + [(False, said)]
        else:
            half = len(rest) // 2
            return answers + ask_some(program, rest[:half], folder, False) + ask_some(program, rest[half:], folder, False)
    return answers


def ask_all(program, numbers, singly=False):
    numbers = list(numbers)
    with tempfile.TemporaryDirectory(prefix="fathom-verdicts-") as folder, ThreadPoolExecutor(2 * (os.cpu_count() or 1)) as pool:
        parts = [numbers[at:at + BATCH] for at in range(0, len(numbers), BATCH)]
        return [answer for part in pool.map(lambda some: ask_some(program, some, folder, singly), parts) for answer in part]


def excuse(by_fio, said, text):
    rules, where = (EXCUSES, said) if by_fio else (TAKEN, text)
    return next((reason for pattern, reason in rules if re.search(pattern, where, re.M)), None)


def compare(numbers, by_fio):
    """(kinds of excused differences with their counts, differences without a reason)."""
    excused, wrong = collections.Counter(), []
    for n, (taken, said) in zip(numbers, ask_all(fio_name(), numbers, singly=True)):
        if taken == by_fio[n]:
            excused["equal"] += 1
        elif reason := excuse(by_fio[n], said, random_jobs.job(n)):
            excused[reason] += 1
        else:
            wrong.append(f"job {n}: fio {'takes' if by_fio[n] else 'refuses'} it, fathom does not agree: {said.strip()[:400]}\n{random_jobs.job(n)}")
    return excused, wrong


def fio_name():
    link = pathlib.Path(FATHOM).parent / "fio"
    return str(link if link.exists() else FATHOM)


def main():
    with_fio = recorded.LIVE or "live" in sys.argv
    if not os.access(FATHOM, os.X_OK) or (with_fio and not os.access(FIO, os.X_OK)):
        print("skipped: needs FATHOM, and Debian's fio where it is asked")
        return SKIP
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 1000
    if os.environ.get("FATHOM_WRITE_VERDICTS"):
        random_jobs.write_golden([taken for taken, _ in ask_all(FIO, range(random_jobs.COUNT))])
    digest, by_fio = random_jobs.golden()
    if digest != random_jobs.digest():
        print("random_jobs.py draws other jobs than those of random_verdicts.txt: FATHOM_WRITE_VERDICTS=1 asks Debian's fio anew")
        return 1
    live = range(0, count if with_fio else 0, 1 if "live" in sys.argv else max(1, count // 200))
    changed = [n for n, (taken, _) in zip(live, ask_all(FIO, live)) if taken != by_fio[n]]
    asked = range(0, count, 1 if with_fio else 5)
    excused, wrong = compare(asked, by_fio)
    print("\n".join(wrong[:40] + [f"job {n}: the golden verdict is not what this fio says" for n in changed[:5]]))
    result = {"jobs": len(asked), "taken by fio": sum(by_fio[n] for n in asked), "asked of fio itself": len(live), "without a reason": len(wrong), **dict(sorted(excused.items()))}
    print(json.dumps(result, indent=1))
    if out := os.environ.get("FATHOM_SOAK_OUT"):
        pathlib.Path(out).write_text(json.dumps(result, indent=1) + "\n")
    return 1 if wrong or changed else 0


if __name__ == "__main__":
    sys.exit(main())
