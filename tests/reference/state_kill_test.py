# label: kills
# timeout: 600
# cost: 60
"""SIGKILL of everybody at random moments: by what the killed run has left (its live state) nobody is accused afterwards, and a loss that is planted
then is always told. Only the processes die, so whatever was acknowledged has to be there.

STATE_KILLS=N: how many (default 24; scripts/check state-kills: 200). FATHOM_SOAK_OUT: where the counts go as JSON.
Before each run the file holds an older version of every block. What is planted is that version, or zeroes, in a block whose write was acknowledged:
of jobs that write each place once by the numbers in the live state, which are read here again; of others in any block, and then it counts as told
or as one that was not demanded by its number before either."""
import collections
import json
import os
import random
import shutil
import struct
import subprocess
import time

import compare

KILLS = int(os.environ.get("STATE_KILLS", "24"))
SEED = int(os.environ.get("STATE_SEED", "0")) or int(time.time())
BLOCK = 4096
COMMON = ["--name=j", "--filename=x", "--bs=4k", "--verify=crc32c", "--output-format=json", "--do_verify=0"]
# name: (words, each place is written once, bytes). Some run as fast as they can, some are slow enough to be killed early.
WAYS = {
    "write": (["--rw=write", "--ioengine=psync", "--size=16m", "--rate_iops=8000"], True),
    "write, fast": (["--rw=write", "--ioengine=psync", "--size=64m", "--loops=200"], False),
    "write, in fio 3.33's format": (["--rw=write", "--ioengine=libaio", "--iodepth=8", "--size=16m", "--rate_iops=8000", "--verify_format=fio-3.33"], True),
    "randwrite, libaio": (["--rw=randwrite", "--ioengine=libaio", "--iodepth=8", "--direct=1", "--size=16m", "--rate_iops=8000"], True),
    "randwrite, io_uring": (["--rw=randwrite", "--ioengine=io_uring", "--iodepth=8", "--direct=1", "--size=16m", "--rate_iops=8000"], True),
    "norandommap, libaio": (["--rw=randwrite", "--norandommap=1", "--ioengine=libaio", "--iodepth=8", "--direct=1", "--size=1m", "--time_based",
                             "--runtime=60"], False),
    "norandommap, io_uring": (["--rw=randwrite", "--norandommap=1", "--ioengine=io_uring", "--iodepth=8", "--size=1m", "--time_based", "--runtime=60"], False),
    "norandommap, a thread": (["--rw=randwrite", "--norandommap=1", "--ioengine=io_uring", "--iodepth=8", "--size=4m", "--time_based", "--runtime=60",
                               "--thread=1"], False),
}
LIVE = "local-j-0-verify.live"


def live_words(cwd):
    with open(os.path.join(cwd, LIVE), "rb") as f:
        data = f.read()
    return struct.unpack(f"<{len(data) // 8}Q", data)


def in_flight(words):
    """(how many were issued, the numbers of those that had not ended): src/verify/state/state_live.cc."""
    depth = words[5]
    return words[16], {number for number in words[21:21 + depth] if number != 2**64 - 1}


def killed(cwd, words, wait_s):
    """Starts the job in a process group of its own and kills all of it after so long."""
    child = subprocess.Popen([compare.FATHOM, *COMMON, *words], cwd=cwd, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
                             start_new_session=True)
    deadline = time.monotonic() + 30
    while time.monotonic() < deadline and child.poll() is None:
        if os.path.exists(os.path.join(cwd, LIVE)) and live_words(cwd)[16] > 0:
            break
        time.sleep(0.002)
    time.sleep(wait_s)
    running = child.poll() is None
    compare.kill_group(child.pid)
    child.wait()
    return running


def later(cwd, words):
    """(errors as a set of offsets, exit status, bytes by kind, the outcome)"""
    outcome = compare.execute([compare.FATHOM, *COMMON, *words, "--verify_only", "--verify_state_load=1", "--continue_on_error=verify",
                               "--rate_iops=0"], cwd)
    if not outcome.report:
        return None, outcome.rc, {}, outcome
    return outcome.report["jobs"][0]["error"], outcome.rc, outcome.report["fathom"]["jobs"][0]["verified"], outcome


def candidates(cwd, words, before, once):
    """Blocks of this run that were acknowledged; of a job that rewrites, all of this run."""
    with open(os.path.join(cwd, "x"), "rb") as f:
        data = f.read()
    header = 40 if any("3.33" in word for word in words) else 48
    issued, flying = in_flight(live_words(cwd))
    found = []
    for block in range(len(data) // BLOCK):
        now = data[block * BLOCK:(block + 1) * BLOCK]
        if now == before[block * BLOCK:(block + 1) * BLOCK]:
            continue
        number = struct.unpack_from("<H" if header == 40 else "<Q", now, 34 if header == 40 else 32)[0]
        if not once or (number < issued and number not in flying and issued < 65536):
            found.append(block)
    return found


def plant(path, block, content):
    with open(path, "r+b") as f:
        f.seek(block * BLOCK)
        kept = f.read(BLOCK)
        f.seek(block * BLOCK)
        f.write(content)
    return kept


def one_kill(checks, counts, name, rng):
    words, once = WAYS[name]
    with compare.workspace() as cwd:
        # The older version, by the same job; another run has another number, and so other contents.
        size = next(word for word in words if word.startswith("--size"))
        compare.execute([compare.FATHOM, *COMMON, "--rw=write", "--ioengine=psync", "--verify_state_save=0", size], cwd)
        path = os.path.join(cwd, "x")
        before = open(path, "rb").read()
        running = killed(cwd, words, rng.uniform(0, 0.6))
        counts["kills"] += 1
        counts["in mid-run"] += running
        if not os.path.exists(os.path.join(cwd, LIVE)):  # it had just ended
            return
        counts["in flight"] += len(in_flight(live_words(cwd))[1])
        saved = os.path.join(os.path.dirname(cwd), "live")
        shutil.copy(os.path.join(cwd, LIVE), saved)
        error, rc, verified, outcome = later(cwd, words)
        good = (error, rc) == (0, 0)
        counts["false accusations"] += not good
        checks.check(f"{name}: nobody is accused (seed {SEED}, kill {counts['kills']})", good, outcome.stderr[:400] + outcome.stdout[-200:])
        exact = verified.get("exact_bytes", 0)
        blocks = candidates(cwd, words, before, once)
        if not blocks or not good:
            return
        checks.check(f"{name}: most is held against its very write", exact >= 0.5 * BLOCK * len(blocks), (verified, len(blocks)))
        for content in (b"", None):
            block = rng.choice(blocks)
            content = bytes(BLOCK) if content is not None else before[block * BLOCK:(block + 1) * BLOCK]
            kept = plant(path, block, content)
            error, rc, now, outcome = later(cwd, words)
            plant(path, block, kept)
            told = error != 0
            undemanded = not told and not once and now.get("exact_bytes") == exact
            counts["planted"] += not undemanded
            counts["planted where no write was demanded"] += undemanded
            counts["missed"] += not told and not undemanded
            checks.check(f"{name}: a planted loss is told (seed {SEED}, kill {counts['kills']}, block {block})", told or undemanded, (verified, now))


def main():
    compare.need_fathom()
    checks = compare.Checks()
    rng = random.Random(SEED)
    counts = collections.Counter({"false accusations": 0, "missed": 0})
    for kill in range(KILLS):
        one_kill(checks, counts, list(WAYS)[kill % len(WAYS)], rng)
    checks.note(f"seed {SEED}: {dict(counts)}")
    checks.check("enough of them in mid-run", counts["in mid-run"] >= KILLS * 0.6, dict(counts))
    checks.check("enough was planted", counts["planted"] >= KILLS * 0.8, dict(counts))
    if out := os.environ.get("FATHOM_SOAK_OUT"):
        with open(out, "w") as f:
            json.dump({"seed": SEED, **counts}, f, indent=1)
            f.write("\n")
    checks.done()


main()
