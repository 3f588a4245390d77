"""The clock's verdict reaches a run's text and JSON, for a sound clock and for one that failed its test; and `fathom doctor`.

A clock that failed is had from the cache of this boot: a real verdict is stored in a folder of our own and then made a failed one."""
# label: timing
# timeout: 400
import glob
import json
import os
import pwd
import re
import shutil
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], "tests", "house"))
from attempts import until_clean  # noqa: E402

FATHOM = os.environ["FATHOM"]
FIO = os.path.join(os.path.dirname(FATHOM), "fio")
TINY = ["--name=t", "--ioengine=null", "--size=4k"]
LONG = ["--name=t", "--ioengine=null", "--size=1g", "--time_based", "--runtime=0.3"]


def check(condition, what, failures):
    print(("ok   " if condition else "FAIL ") + what)
    if not condition:
        failures.append(what)


def run(argv, **how):
    return subprocess.run(argv, capture_output=True, text=True, timeout=60, **how)


def result(argv, **how):
    done = run([*argv, "--output-format=normal,json"], **how)
    begin, end = done.stdout.index("{\n"), done.stdout.rindex("\n}\n")
    return done.stdout[:begin] + done.stdout[end:], json.loads(done.stdout[begin : end + 3])["fathom"]


def findings(document):
    return {f["id"]: f for f in document["findings"]}


def clock_of(document):
    """Of the first job; what all jobs have alike stands once."""
    return {**document.get("every_job", {}), **document["jobs"][0]}["clock"]


def sound(failures):
    text, document = result([FATHOM, "run", *TINY])
    clock = clock_of(document)
    tested = clock["verdict"] == "passed" or "clock.not_tested" in findings(document) or clock["fell_back"]
    check(tested, f"a run says how the CPU clock did: {clock['verdict']}, {clock['test']}", failures)
    check(re.search(r"^  clock t: " + clock["source"], text, re.M), "the text names the clock", failures)
    check(clock["read_cost_ns"] > 0 and clock["resolution_ns"] > 0, "what a reading costs and tells apart", failures)
    check("own_cost" not in document["jobs"][0], "a tiny run spends no time on fathom's own cost", failures)
    text, document = result([FATHOM, "run", *TINY, "--clock-check=full"])
    clock = clock_of(document)
    check(clock["fell_back"] or (clock["test"] == "long" and not clock["test_cached"]), "--clock-check=full makes the long test", failures)


def skipped(failures):
    for argv in ([FATHOM, "run", "--clock-check=skip", *TINY], [FIO, "--clock-check=skip", *TINY]):
        text, document = result(argv)
        clock = clock_of(document)
        if clock["fell_back"]:
            continue
        check(clock["check_skipped"] and clock["test"] == "none" and clock["verdict"] == "not tested", "skip: not tested", failures)
        check("clock.check_skipped" in findings(document) and "[clock.check_skipped]" in text, "and a finding in text and JSON", failures)
    wrong = run([FATHOM, "run", "--clock-check=never", *TINY])
    check(wrong.returncode == 2 and "cached, full, skip" in wrong.stderr, "another value is refused", failures)


# effect: clocksource
def coarse(failures):
    text, document = result([FATHOM, "run", *LONG, "--clocksource=gettimeofday"])
    check(clock_of(document)["source"] == "gettimeofday" and clock_of(document)["resolution_ns"] >= 1000, "gettimeofday counts microseconds", failures)
    check("clock.coarse" in findings(document) and "[clock.coarse]" in text, "null on gettimeofday: the resolution is a finding", failures)
    check("drift_ppm" not in clock_of(document), "no drift of a clock that needs no conversion", failures)


def costs(failures):
    text, document = result([FATHOM, "run", *LONG])
    job = document["jobs"][0]
    check(job["own_cost"]["loop_ns_per_io"] > job["own_cost"]["record_ns"] > 0, "own cost of a longer run", failures)
    check("cost.large" in findings(document) and re.search(r"^  own cost t: ", text, re.M), "which on null is the whole cost", failures)
    if clock_of(document)["source"] == "cpu":
        check(abs(clock_of(document)["drift_ppm"]) <= 100 and clock_of(document)["drift_bound_ppm"] > 0, "the drift over the run, with its bound", failures)
    _, document = result([FATHOM, "run", "--name=t", "--ioengine=sim", "--sim_latency=fixed:100us", "--size=64m"])
    job = document["jobs"][0]
    check(clock_of(document)["source"] == "sim" and "own_cost" not in job, "a scripted clock has no verdict and no cost", failures)
    check(not [i for i in findings(document) if i.startswith(("clock.", "cost."))], "and no doubt", failures)


def best_known_drift(failures):
    """A short run alone bounds the drift loosely: it prints what a longer run of this boot knows."""
    result([FATHOM, "run", *LONG[:-1], "--runtime=1.2"])
    text, document = result([FATHOM, "run", *LONG[:-1], "--runtime=30ms"])
    clock = clock_of(document)
    if clock["source"] != "cpu":
        return
    known = clock.get("boot_drift_bound_ppm", clock["drift_bound_ppm"])
    check(known < clock["drift_bound_ppm"] < 100, f"a run of 30 ms knows {clock['drift_bound_ppm']:.2g} ppm, this boot {known:.2g}", failures)
    check(re.search(r"; drift [^;]*, the value stored for this boot \(a run of [\d.]+ s; over this run alone ", text), "and the text says so", failures)
    check(clock.get("boot_drift_over_s", 0) > 1, "with the length of that run", failures)


def doctor(failures):
    done = run([FATHOM, "doctor"])
    names = re.findall(r"^  (?:ok     |note   |warning)  (\S.*?)  ", done.stdout, re.M)
    check(done.returncode == 0 and len(names) >= 9, f"doctor: a line a check ({len(names)})", failures)
    problems = re.findall(r"^  (?:note   |warning)  ", done.stdout, re.M)
    check(len(problems) == done.stdout.count("  help: "), "a remedy for each problem", failures)
    can = re.findall(r"^  (yes|no )      (\S.*)\n(?:           (because) )?", done.stdout, re.M)
    check(len(can) >= 9 and all((word == "no ") == (because == "because") for word, _, because in can), "what can be measured, or why not", failures)
    done = run([FATHOM, "doctor", "--json"])
    document = json.loads(done.stdout)
    checks = {c["name"]: c for c in document["checks"]}
    check(len(document["abilities"]) == len(can) and all(a["can"] == (a["cause"] == "") for a in document["abilities"]), "the abilities as JSON", failures)
    check(all(("severity" in c) == (not c["ok"]) and c["heading"] for c in checks.values()), "a severity for each problem, a heading for each check", failures)
    check(done.returncode == 0 and all(c["ok"] == (c["remedy"] == "") for c in checks.values()), "the same as JSON", failures)
    check(all(checks[f"loop at depth {d}"]["value"] > 0 for d in (1, 128)), "what the loop costs", failures)
    check(run([FATHOM, "doctor", "--all"]).returncode == 2, "another option is refused", failures)


def without_root():
    """How to run as a user whose cache is a folder of its own, or None."""
    if os.geteuid() != 0:
        return {}
    nobody = pwd.getpwnam("nobody")
    return {"user": nobody.pw_uid, "group": nobody.pw_gid, "extra_groups": []}


def unfit(failures):
    who = without_root()
    folder = tempfile.mkdtemp()
    try:
        os.chmod(folder, 0o755)
        if who:
            os.chown(folder, who["user"], who["group"])
        how = {**who, "env": {**os.environ, "XDG_RUNTIME_DIR": folder}, "cwd": folder}
        try:
            tested = run([FATHOM, "clock", "test"], **how)
        except PermissionError:
            print("the program cannot be run by another user here: the failed verdict was not tried")
            return
        stored = glob.glob(os.path.join(folder, "fathom", "clock-verdict-*"))
        check(len(stored) == 1, f"`fathom clock test` stores its verdict (exit {tested.returncode})", failures)
        if not stored:
            return
        with open(stored[0], "r+", encoding="ascii") as file:
            text = re.sub(r"^outcome .*$", "outcome failed", file.read(), flags=re.M)
            text = re.sub(r"^mismatches .*$", "mismatches 17", text, flags=re.M)
            text = re.sub(r"^stored_at_ns (\d+)$", r"stored_at_ns 9\1", text, flags=re.M)
            text = re.sub(r"^words .*$", "words time ran backwards between CPUs 0 and 1", text, flags=re.M)
            file.seek(0)
            file.truncate()
            file.write(text)
        text, document = result([FATHOM, "run", *TINY], **how)
        clock = clock_of(document)
        check(clock["source"] == "clock_gettime" and clock["fell_back"] and not clock["fit"], "a failed clock is not taken", failures)
        check(clock["verdict"] == "failed" and clock["mismatches"] == 17 and clock["test_cached"], "its verdict is in the JSON", failures)
        check("clock.fell_back" in findings(document), "with a finding", failures)
        line = r"clock t: clock_gettime instead of the CPU clock \[clock.fell_back\]; failed the cross-core test 17 times"
        check(re.search(line, text), "and in the text", failures)
        text, document = result([FATHOM, "run", *TINY, "--clocksource=cpu"], **how)
        clock = clock_of(document)
        check(clock["source"] == "cpu" and not clock["fit"], "asked for, it is taken", failures)
        check("clock.unfit" in findings(document) and "warning [clock.unfit]" in text, "and called unfit in text and JSON", failures)
        done = run([FATHOM, "doctor"], **how)
        check(re.search(r"warning +cross-core test", done.stdout) and done.returncode == 0, "doctor doubts it", failures)
    finally:
        shutil.rmtree(folder)


def main():
    failures = []
    for part in (sound, skipped, coarse, costs, best_known_drift, doctor, unfit):
        until_clean(failures, part, failures, most=3)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
