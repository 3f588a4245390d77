# lock: paging
"""User instructions an access: what the loop of `fathom paging` spends beside the access itself may not pass the ceiling (pmbench 0.9: 114.6).
Counted by callgrind in the measuring process, as the difference of two runs that differ in the number of accesses, so that begin and end
cancel out. Within the loop nothing is allocated, and no function is called but the refill of a block and what is slow.
"""
# label: quick
# timeout: 600
import os
import re
import shutil
import subprocess
import sys
import tempfile

FATHOM = os.environ["FATHOM"]
FEW, MANY = 20000, 60000
THE_ACCESS = 1
# title, ceiling besides the access, options. Under valgrind everything is slow: where slow accesses are looked up, their bound is set by hand.
# One above what an idle machine gives: 59.0, 54.8, 35.3. Accesses that something interrupts cost more, with rdtscp up to three in all; the touch
# loop stamps blocks and gives the same to the unit. An attempt among several that is within the ceiling is one that was left alone.
# valgrind has rdtscp only where the CPU's flags tell of it, which some virtual machines hide although it is there; to the program it tells of it
# all the same.
HAS_RDTSCP = re.search(r"^flags\s*:.*\brdtscp\b", open("/proc/cpuinfo", encoding="ascii").read(), re.M) is not None
CASES = [
    ("fenced, histogram, classes, uniform", 60, ["--slow-above=1s"]),
    ("rdtscp, histogram, no classes, uniform", 58, ["--stamps=rdtscp", "--no-classify"]),
    ("touch, uniform", 36, ["--access=touch"]),  # its blocks are stamped too
]
FORBIDDEN = re.compile(r"malloc|operator new|calloc|realloc|pthread_mutex|printf|write")
LOOP = "fathom::paging::*Loop*::run*"


def loop_cost(accesses, words, folder):
    """(instructions within the loop, names of all functions that ran in it)."""
    out = os.path.join(folder, "callgrind")
    argv = ["valgrind", "--tool=callgrind", f"--callgrind-out-file={out}.%p", f"--toggle-collect={LOOP}", FATHOM, "paging", "--map=4M", "--set=4M",
            "--duration=200", "--cold", "--audit=off", f"--accesses={accesses}", "--output=/dev/null", *words]
    run = subprocess.run(argv, capture_output=True, text=True)
    counts = [int(n) for n in re.findall(r"Collected : (\d+)", run.stderr)]
    if run.returncode != 0 or not any(counts):
        sys.exit(f"{' '.join(argv)}: exit status {run.returncode}\n{run.stderr[-2000:]}")
    names = set()
    for file in os.listdir(folder):
        with open(os.path.join(folder, file), encoding="utf-8", errors="replace") as f:
            names |= set(re.findall(r"^c?fn=\(\d+\) (\S.*)$", f.read(), re.M))
        os.remove(os.path.join(folder, file))
    return max(counts), names


def cost(words, folder):
    many, names = loop_cost(MANY, words, folder)
    few, _ = loop_cost(FEW, words, folder)
    return (many - few) / (MANY - FEW) - THE_ACCESS, names


def main():
    if os.environ.get("FATHOM_SANITIZE"):
        print("skipped: a sanitizer's instructions are not fathom's")
        return 77
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return 77
    if not HAS_RDTSCP:
        print("skipped: this CPU's flags do not tell of rdtscp, so valgrind has it not")
        return 77
    failed = 0
    with tempfile.TemporaryDirectory() as folder:
        for title, ceiling, words in CASES:
            for _ in range(8):  # once in many runs callgrind begins to collect too early
                each, names = cost(words, folder)
                if 10 <= each <= ceiling:
                    break
            bad = sorted(n for n in names if FORBIDDEN.search(n))
            failed += each > ceiling or bool(bad)
            print(f"{'FAIL' if each > ceiling or bad else 'ok  '} {title}: {each:.1f} besides the access, ceiling {ceiling}; {len(names)} functions {bad}")
            if each < 10 or not any("refill" in n for n in names):
                sys.exit("so little cannot be the loop: the runs were not what they should be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
