"""How a run begins and ends where something is in its way: an interrupt in the layout, a limit on workers, descriptors or space, a worker
that is killed, a mapped file that is cut short, a parent that is killed. Each says what, with its numbers and a remedy, and invents no
error; what was measured is kept."""
# label: kills
# timeout: 200
import ctypes
import json
import os
import re
import resource
import signal
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.environ["FATHOM_SOURCE"], "tests", "house"))
from attempts import until_clean, wait_until  # noqa: E402

FATHOM = os.environ["FATHOM"]
FIO = os.path.join(os.path.dirname(FATHOM), "fio")
NATIVE, AS_FIO = [FATHOM, "run"], [FIO]
LONG = ["--name=t", "--ioengine=null", "--size=1g", "--time_based", "--runtime=60"]
NOBODY = 65534


def check(condition, what, failures, shown=""):
    print(("ok   " if condition else "FAIL ") + what)
    if not condition:
        print(str(shown)[-2000:])
        failures.append(what)


def children(pid):
    with open(f"/proc/{pid}/task/{pid}/children", encoding="ascii") as f:
        return [int(word) for word in f.read().split()]


def start(argv, cwd, **more):
    return subprocess.Popen(argv, cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)


def fathom_part(out):
    """fathom's own object, of JSON that may stand behind a text."""
    return json.JSONDecoder().raw_decode(out[out.index("{\n"):])[0]["fathom"]


def finding(out, name):
    return [f for f in fathom_part(out)["findings"] if f["id"] == name]


def interrupt_in_the_layout(failures):
    for head, sig, status in ((NATIVE, signal.SIGINT, 130), (AS_FIO, signal.SIGINT, 128), (NATIVE, signal.SIGTERM, 143), (NATIVE, signal.SIGHUP, 129),
                              (NATIVE, signal.SIGQUIT, 131), (AS_FIO, signal.SIGHUP, 128)):
        what = f"{os.path.basename(head[0])}, {sig.name} in the layout"
        with tempfile.TemporaryDirectory(dir="/var/tmp") as cwd:
            run = start(head + ["--name=t", "--rw=randread", "--size=64g", "--filename=big", "--fallocate=none", "--output-format=json"], cwd)
            wait_until(lambda: os.path.exists(f"{cwd}/big") and os.path.getsize(f"{cwd}/big") > 1 << 20)
            run.send_signal(sig)
            out, err = run.communicate()
            report = json.loads(out)
            check(run.returncode == status, f"{what}: exit status {run.returncode}", failures, err)
            check("interrupted while laying out `big`; nothing was measured" in err, f"{what}: it is said", failures, err)
            check("No such file" not in out + err and "err=" not in err, f"{what}: no invented error", failures, out + err)
            check(report["jobs"][0]["error"] == 0 and report["fathom"]["errors"] == [], f"{what}: none in the JSON", failures, out)
            check(report["fathom"]["interrupted"] is True, f"{what}: and it is marked as interrupted", failures)
            check(finding(out, "run.interrupted_in_layout"), f"{what}: with a finding", failures, report["fathom"]["findings"])
            check(not os.path.exists(f"{cwd}/big"), f"{what}: the half file is gone", failures)


def few_tasks(failures):
    """RLIMIT_NPROC holds for an unprivileged user only; a test that is root becomes one."""
    if os.geteuid() != 0:
        print("     left out: needs root, to become a user without processes")
        return

    def nobody():
        os.setgid(NOBODY)
        resource.setrlimit(resource.RLIMIT_NPROC, (6, 6))
        os.setuid(NOBODY)

    for head in (NATIVE, AS_FIO):
        for words, how in (([], "processes"), (["--thread"], "threads")):
            argv = head + ["--name=t", "--ioengine=null", "--size=1m", "--numjobs=8", *words, "--output-format=json,normal"]
            run = start(argv, "/", preexec_fn=nobody)
            out, err = run.communicate()
            what = f"{os.path.basename(head[0])}, too few tasks for {how}"
            told = out + err
            check(run.returncode != 0, f"{what}: it fails", failures, told)
            check(re.search(r"\d of 8 workers started; RLIMIT_NPROC \(ulimit -u\) 6, 6 in use \(reached\)", told), f"{what}: how many, and the limit",
                  failures, told)
            check("numjobs=" in told and "thread=1" in told, f"{what}: a remedy", failures, told)
            check(finding(out, "run.workers_missing"), f"{what}: a finding", failures)


def few_descriptors(failures):
    for head in (NATIVE, AS_FIO):
        with tempfile.TemporaryDirectory(dir="/var/tmp") as cwd:
            argv = head + ["--name=t", "--rw=randread", "--nrfiles=40", "--size=1m", "--output-format=json,normal"]
            run = start(argv, cwd, preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_NOFILE, (30, 30)))
            told = "".join(run.communicate())
            what = f"{os.path.basename(head[0])}, too many open files"
            check("30 descriptors" in told and "40 files" in told, f"{what}: the limit and the need", failures, told)
            check("ulimit -n" in told, f"{what}: a remedy", failures, told)


def no_space(failures):
    unshare = ctypes.CDLL(None, use_errno=True).unshare

    def small():
        if unshare(0x20000) != 0:  # CLONE_NEWNS
            os._exit(99)
        subprocess.run(["mount", "--make-rprivate", "/"], check=True)
        subprocess.run(["mount", "-t", "tmpfs", "-o", "size=1m", "none", cwd], check=True)

    with tempfile.TemporaryDirectory(dir="/var/tmp") as cwd:
        for head in (NATIVE, AS_FIO):
            try:
                run = start(head + ["--name=t", "--rw=randread", "--size=2m", f"--directory={cwd}", "--output-format=json,normal"], "/",
                            preexec_fn=small)
            except (subprocess.SubprocessError, OSError):
                print("     left out: needs root, to mount a small file system")
                return
            told = "".join(run.communicate())
            if run.returncode == 99:
                print("     left out: needs root, to mount a small file system")
                return
            what = f"{os.path.basename(head[0])}, no space for the layout"
            check("2097152 bytes (2.0 MiB) are needed, 1048576 bytes (1.0 MiB) were free" in told, f"{what}: needed and free", failures, told)
            check("lower size=" in told, f"{what}: a remedy", failures, told)


def killed_worker(failures):
    for head in (NATIVE, AS_FIO):
        run = start(head + LONG + ["--output-format=json,normal"], "/")
        wait_until(lambda: len(children(run.pid)) == 1)
        time.sleep(0.5)
        os.kill(children(run.pid)[0], signal.SIGKILL)
        out, err = run.communicate()
        told = out + err
        what = f"{os.path.basename(head[0])}, a killed worker"
        kept = re.search(r"killed by signal 9 \(Killed\); kept: (\d+) I/Os \(.* MiB\) in (\d\.\d\d) s", told)
        check(kept and int(kept[1]) > 1000 and float(kept[2]) > 0.2, f"{what}: the signal, and what was kept", failures, told)
        ended = finding(out, "run.worker_killed")
        check(ended and "dmesg" in ended[0]["remedy"], f"{what}: a finding with a remedy", failures)


def signalled_twice(failures):
    """The workers are killed: their time ends with the request, not where their end is seen."""
    with tempfile.TemporaryDirectory(dir="/var/tmp") as cwd:
        begun = time.monotonic()
        run = start(NATIVE + LONG + ["--output-format=json"], cwd)
        wait_until(lambda: len(children(run.pid)) >= 1)
        time.sleep(0.7)
        run.send_signal(signal.SIGINT)
        run.send_signal(signal.SIGINT)
        asked_ms = 1000 * (time.monotonic() - begun)
        out, err = run.communicate()
        runtime_ms = json.loads(out[out.index("{\n"):])["jobs"][0]["read"]["runtime"]
        check(300 < runtime_ms <= asked_ms + 20, f"two signals {asked_ms:.0f} ms after the start: {runtime_ms} ms were measured", failures, err)


def cut_file(failures):
    for head in (NATIVE, AS_FIO):
        for words, how in (([], "a process"), (["--thread"], "a thread")):
            with tempfile.TemporaryDirectory(dir="/var/tmp") as cwd:
                argv = head + ["--name=t", "--ioengine=mmap", "--rw=randread", "--size=16m", "--filename=m", "--time_based", "--runtime=60", *words,
                               "--name=other", "--ioengine=null", "--rw=read", "--size=4k", "--time_based=0", "--output-format=json,normal"]
                with open(f"{cwd}/m", "wb") as f:
                    f.write(b"x" * (16 << 20))
                run = start(argv, cwd)
                time.sleep(1.0)
                os.truncate(f"{cwd}/m", 1 << 20)
                out, err = run.communicate()
                told = out + err
                what = f"{os.path.basename(head[0])}, {how} that maps a file which is cut short"
                check(run.returncode in (1, 4), f"{what}: a failed job, no dead program (exit {run.returncode})", failures, told)
                said = re.search(r"on file m: Input/output error: .*cut short.*: it had 16777216 bytes and has 1048576;.* kept: (\d+) I/Os", told)
                check(said and int(said[1]) > 1000, f"{what}: the file, its sizes, what was kept", failures, told)


def killed_parent(failures):
    with tempfile.TemporaryDirectory(dir="/var/tmp") as cwd:
        job = ["--name=t", "--rw=randwrite", "--size=4m", "--filename=f", "--time_based", "--runtime=60", "--numjobs=3"]
        early = time.monotonic()
        for delay_s in (0, 0.01, 0.03, 0.5):
            run = start(NATIVE + job, cwd)
            wait_until(lambda: len(children(run.pid)) >= 1)
            time.sleep(delay_s)
            workers = children(run.pid)
            os.kill(run.pid, signal.SIGKILL)
            run.communicate()  # a worker that lived on would hold the pipes open until its minute is over
            gone = wait_until(lambda: not [w for w in workers if os.path.exists(f"/proc/{w}")], 2)
            check(gone and workers, f"killed {delay_s} s after the start: its {len(workers)} workers end with it", failures)
        check(time.monotonic() - early < 20, "and at once", failures)
        again = start(NATIVE + ["--name=t", "--rw=randread", "--size=4m", "--filename=f", "--output-format=json"], cwd)
        out, err = again.communicate()
        check(again.returncode == 0 and json.loads(out)["jobs"][0]["read"]["total_ios"] == 1024, "the next run is not disturbed", failures, err)


def main():
    failures = []
    for part in (interrupt_in_the_layout, few_tasks, few_descriptors, no_space, killed_worker, signalled_twice, cut_file, killed_parent):
        until_clean(failures, part, failures, most=3)
    return 1 if failures else 0


if __name__ == "__main__":
    sys.exit(main())
