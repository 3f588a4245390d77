# label: kills
# timeout: 300
# cost: 30
"""Verify states in a run (Debian's fio beside us: state_fio_test.py): a job that was stopped by Ctrl-C, by a trigger or by its worker's
death is verified later without an accusation, and a state that cannot be saved or believed is told in words and loses nothing."""
import contextlib
import os
import shutil
import signal
import subprocess
import time

import compare
from state_jobs import JOB, LIVE, STATE, errors, findings, run, total, write_ten

FINDING = "verify.state_not_saved"


def in_fios_words(checks):
    """Of a state without our part, which is fio 3.42's, fio's line says where fio would end: of its command line only."""
    with compare.workspace() as cwd:
        write_ten(compare.FATHOM, cwd)
        os.truncate(os.path.join(cwd, STATE), 24 + 176)
        for head, said in (([compare.fio_link()], True), ([compare.FATHOM, "run"], False)):
            outcome = compare.execute([*head, *JOB, "--rw=read", "--verify_state_load=1"], cwd)
            checks.equal(f"fio's own state, {head[1:]}: exit status", outcome.rc, 0)
            checks.equal(f"fio's own state, {head[1:]}: its line", "Stop verify because seq 10 >= 10\n" in outcome.stdout, said)


# effect: verify_state_save=0
def none_is_kept(checks):
    with compare.workspace() as cwd:
        outcome = write_ten(compare.FATHOM, cwd, "--verify_state_save=0")
        checks.equal("verify_state_save=0: no state", (outcome.rc, sorted(outcome.files)), (0, ["x"]))
        outcome = run(compare.FATHOM, cwd, "--rw=read", job=[word for word in JOB if "verify" not in word])
        checks.equal("a job that verifies nothing: no state", (outcome.rc, sorted(outcome.files)), (0, ["x"]))
        missing = run(compare.FATHOM, cwd, "--rw=read", "--verify_state_load=1")
        checks.check("a missing one: fio's words", missing.rc == 1 and "open state file: No such file or directory" in missing.stderr and
                     f"state file: {STATE} (for_write=0)" in missing.stderr, missing.stderr)


REWRITING = ["--name=j", "--filename=x", "--rw=randwrite", "--norandommap=1", "--bs=4k", "--size=256k", "--time_based", "--runtime=60", "--iodepth=8",
             "--verify=crc32c", "--output-format=json"]


def stopped(argv, cwd, stop, **more):
    """Runs until `stop(child)` has ended it: its exit status and both outputs."""
    child = subprocess.Popen(argv, cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **more)
    deadline = time.monotonic() + 20
    while not os.path.exists(os.path.join(cwd, LIVE)) and time.monotonic() < deadline:
        time.sleep(0.02)
    time.sleep(0.4)
    stop(child)
    try:
        out, err = child.communicate(timeout=30)
    except subprocess.TimeoutExpired:
        child.kill()
        out, err = child.communicate()
        return None, out, err
    return child.returncode, out, err


def verified_later(checks, name, cwd, job):
    outcome = run(compare.FATHOM, cwd, "--verify_only", "--verify_state_load=1", job=job)
    checks.equal(f"{name}: nobody is accused", (outcome.rc, errors(outcome)), (0, [0]))
    checks.check(f"{name}: something was read", total(outcome) > 0, outcome.stdout[-300:] + outcome.stderr)
    if outcome.rc != 0:
        checks.note(outcome.stderr[:600])
    path = os.path.join(cwd, "x")
    with open(path, "r+b") as f:  # and what is lost is told, although the job had no time to look
        f.write(bytes(os.path.getsize(path)))
    outcome = run(compare.FATHOM, cwd, "--verify_only", "--verify_state_load=1", job=job)
    checks.check(f"{name}: a loss is told", outcome.rc not in (0, None), outcome.rc)


def interrupted(checks):
    for engine in ("io_uring", "libaio"):
        with compare.workspace() as cwd:
            job = [*REWRITING, f"--ioengine={engine}", "--direct=1"]
            stopped([compare.FATHOM, *job], cwd, lambda child: child.send_signal(signal.SIGINT))
            checks.equal(f"Ctrl-C, {engine}: files", sorted(os.listdir(cwd)), [STATE, "x"])
            verified_later(checks, f"Ctrl-C, {engine}", cwd, job)


def worker_killed(checks):
    """The parent lives, and saves what the worker has left."""
    def kill_worker(child):
        with open(f"/proc/{child.pid}/task/{child.pid}/children") as f:
            os.kill(int(f.read().split()[0]), signal.SIGKILL)

    with compare.workspace() as cwd:
        job = [*REWRITING, "--ioengine=psync"]
        rc, _, err = stopped([compare.FATHOM, *job], cwd, kill_worker)
        checks.check("worker killed: told", rc not in (0, None), (rc, err))
        checks.equal("worker killed: files", sorted(os.listdir(cwd)), [STATE, "x"])
        verified_later(checks, "worker killed", cwd, job)


def triggers(checks):
    """--trigger-file, --trigger-timeout, --trigger and --aux-path."""
    job = [*REWRITING, "--ioengine=io_uring", "--direct=1"]
    with compare.workspace() as cwd:
        os.mkdir(os.path.join(cwd, "aux"))
        words = [f"--trigger-file={cwd}/go", "--trigger=ls aux > said; echo over >> said", "--aux-path=aux"]
        begin = time.monotonic()
        child = subprocess.Popen([compare.FATHOM, *words, *job], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not os.path.exists(os.path.join(cwd, "aux", LIVE)) and time.monotonic() - begin < 20:
            time.sleep(0.02)
        time.sleep(0.3)
        with open(os.path.join(cwd, "go"), "w"):
            pass
        out, err = child.communicate(timeout=30)
        checks.equal("trigger-file: exit status", (child.returncode, err), (0, ""))
        checks.equal("trigger-file: it is gone, the state lies in --aux-path",
                     (sorted(os.listdir(cwd)), os.listdir(os.path.join(cwd, "aux"))), (["aux", "said", "x"], [STATE]))
        with open(os.path.join(cwd, "said")) as f:
            checks.equal("trigger: runs when the state is saved", f.read(), f"{STATE}\nover\n")
        outcome = run(compare.FATHOM, cwd, "--verify_only", "--verify_state_load=1", job=["--aux-path=aux", *job])
        checks.equal("trigger-file: nobody is accused", outcome.rc, 0)
    with compare.workspace() as cwd:
        begin = time.monotonic()
        outcome = run(compare.FATHOM, cwd, "--stonewall", "--trigger-timeout=1", "--trigger=exit 3", job=[*job, "--numjobs=2"])
        seconds = time.monotonic() - begin
        checks.equal("trigger-timeout: exit status", outcome.rc, 0)
        checks.check("trigger-timeout: ends then", 1 <= seconds < 15, seconds)
        checks.check("trigger-timeout: the command's status is said", "run.trigger" in findings(outcome), findings(outcome))
        checks.check("trigger-timeout: the state is there", STATE in outcome.files, outcome.files)
    refused = compare.execute([compare.FATHOM, "--trigger-remote=x", *job], "/tmp")
    checks.check("trigger-remote: not built", refused.rc not in (0, None) and "not built" in refused.stderr, refused.stderr)


def not_saved(checks, name, outcome, asked, words):
    if asked:
        checks.check(f"{name}, asked for: the job fails", outcome.rc == 1 and errors(outcome) != [0], (outcome.rc, errors(outcome)))
        checks.check(f"{name}, asked for: it is said", all(each in outcome.stderr for each in words), outcome.stderr)
    else:
        checks.equal(f"{name}: the job does not fail", (outcome.rc, errors(outcome)), (0, [0]))
        checks.check(f"{name}: a finding says it", FINDING in findings(outcome), findings(outcome))
    checks.equal(f"{name}: the results are there", total(outcome), 10)


# effect: verify_state_save=1
def folders(checks):
    """Missing, and not to be written to even by root."""
    for folder, words in (("nowhere", ["open state file: No such file or directory", "(for_write=1)"]), ("/proc", ["cannot write", "a kernel interface"])):
        for asked in (False, True):
            with compare.workspace() as cwd:
                outcome = write_ten(compare.FATHOM, cwd, f"--aux-path={folder}", *(["--verify_state_save=1"] if asked else []))
                not_saved(checks, f"aux-path={folder}", outcome, asked, words)
                checks.equal(f"aux-path={folder}: files", sorted(outcome.files), ["x"])


@contextlib.contextmanager
def small_disk(cwd, size):
    point = os.path.join(cwd, "small")
    os.mkdir(point)
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", point], check=True)
    try:
        yield point
    finally:
        subprocess.run(["umount", point], check=True)


def full(checks):
    if os.geteuid() != 0:
        checks.note("no root: a full disk was left out")
        return
    for asked in (False, True):
        with compare.workspace() as cwd, small_disk(cwd, "4k") as point:
            with open(os.path.join(point, "fill"), "wb") as f:
                f.write(bytes(4096))
            outcome = write_ten(compare.FATHOM, cwd, f"--aux-path={point}", *(["--verify_state_save=1"] if asked else []))
            not_saved(checks, "full", outcome, asked, ["state file", "(for_write=1)"])
            checks.equal("full: nothing was left", os.listdir(point), ["fill"])
    with compare.workspace() as cwd, small_disk(cwd, "64k") as point:
        # The room is taken while the job runs: what it kept until then is not lost.
        outcome = write_ten(compare.FATHOM, cwd, f"--aux-path={point}", f"--exec_prerun=dd if=/dev/zero of={point}/fill bs=4k; true")
        not_saved(checks, "full meanwhile", outcome, False, [])
        checks.equal("full meanwhile: the live state stays", sorted(os.listdir(point)), ["fill", LIVE])
        read = run(compare.FATHOM, cwd, "--rw=read", "--verify_state_load=1", f"--aux-path={point}")
        checks.equal("full meanwhile: it is followed", (read.rc, total(read)), (0, 10))


def damaged(checks):
    """Cut off or changed anywhere: never followed, fio's words, and only this job fails."""
    with compare.workspace() as cwd:
        write_ten(compare.FATHOM, cwd)
        path = os.path.join(cwd, STATE)
        with open(path, "rb") as f:
            whole = f.read()
        own = 24 + 176
        cases = {"empty": (b"", "failed reading verify state header"), "a header alone": (whole[:24], "failed reading verity state"),
                 "cut": (whole[:100], "failed reading verity state"), "another version": (b"\x63" + whole[1:], "unsupported (99) version"),
                 "flipped": (whole[:90] + bytes([whole[90] ^ 1]) + whole[91:], "verify state is corrupt"),
                 "our part cut": (whole[:-8], "verify state is corrupt"),
                 "our part flipped": (whole[:own + 30] + bytes([whole[own + 30] ^ 1]) + whole[own + 31:], "verify state is corrupt"),
                 "noise": (os.urandom(4096), "version in verify state header")}
        for name, (content, words) in cases.items():
            with open(path, "wb") as f:
                f.write(content)
            for mode in ("--rw=read", "--rw=write --verify_only"):
                two = run(compare.FATHOM, cwd, *mode.split(), "--verify_state_load=1", "--name=other", "--rw=read", "--filename=x", "--size=64k")
                checks.check(f"{name}, {mode}: fio's words", words in two.stderr, two.stderr)
                checks.equal(f"{name}, {mode}: one job fails", (two.rc, [error != 0 for error in errors(two)]), (1, [True, False]))
        os.unlink(path)
        os.mkdir(path)
        outcome = run(compare.FATHOM, cwd, "--rw=read", "--verify_state_load=1")
        checks.check("a folder in its place", outcome.rc == 1 and "not a regular file" in outcome.stderr, outcome.stderr)


def another_jobs(checks):
    with compare.workspace() as cwd:
        write_ten(compare.FATHOM, cwd)
        for name, words, told in (("name", ["--name=k"], "belongs to job j (index 0), this is job k (index 0)"), ("depth", ["--iodepth=5"], "iodepth=4"),
                                  ("way", ["--bs=8k"], "another order of requests")):
            job = [*JOB[1:], "--rw=read", "--verify_state_load=1"]
            if name == "name":
                shutil.copy(os.path.join(cwd, STATE), os.path.join(cwd, STATE.replace("-j-", "-k-")))
                outcome = run(compare.FATHOM, cwd, job=[*words, *job])
            else:
                outcome = run(compare.FATHOM, cwd, job=[JOB[0], *job, *words])
            checks.check(f"another {name}: refused", outcome.rc == 1 and told in outcome.stderr, outcome.stderr)


def two_writers(checks):
    """Two runs at once under one name: the state is of one of them, whole, and the other says that it has none."""
    with compare.workspace() as cwd:
        job = [*REWRITING[:-2], "--verify=crc32c", "--ioengine=psync", "--output-format=json", "--runtime=6", "--do_verify=0"]
        first = subprocess.Popen([compare.FATHOM, *job], cwd=cwd, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        while not os.path.exists(os.path.join(cwd, LIVE)):
            time.sleep(0.02)
        while_it_runs = run(compare.FATHOM, cwd, "--verify_only", "--verify_state_load=1", job=job)
        checks.check("while it runs: not followed", while_it_runs.rc == 1 and "is active" in while_it_runs.stderr, while_it_runs.stderr)
        second = run(compare.FATHOM, cwd, "--runtime=1", "--filename=y", job=job)  # less than what is left of the first
        checks.equal("the second: exit status", second.rc, 0)
        checks.check("the second: it is said", FINDING in findings(second), findings(second))
        out, err = first.communicate(timeout=30)
        checks.equal("the first: exit status", (first.returncode, err), (0, ""))
        checks.equal("files", sorted(os.listdir(cwd)), [STATE, "x", "y"])
        verified_later(checks, "the first's state", cwd, job)


def main():
    compare.need_fathom()
    checks = compare.Checks()
    for step in (in_fios_words, none_is_kept, interrupted, worker_killed, triggers, folders, full, damaged, another_jobs, two_writers):
        step(checks)
    checks.done()


main()
