"""User instructions for one access of a source, the part of an access's ceiling that its address may take (60 in all, the loop takes the
rest). Counted by callgrind over two lengths of the same refills, so that everything else cancels out.
"""
# label: quick
# timeout: 400
import os
import re
import shutil
import subprocess
import sys

PROGRAM = os.path.join(os.environ["FATHOM_BUILD"], "test_paging")
FEW, MANY, BLOCK = 100, 400, 128
CEILINGS = {"uniform": 26, "linear": 30, "hot": 60}


def instructions(pattern, refills):
    argv = ["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", "--toggle-collect=fathom::paging::refill_counted*", PROGRAM, "--gtest_filter=AccessSourceCost.refills"]
    run = subprocess.run(argv, capture_output=True, text=True, env={**os.environ, "FATHOM_PATTERN": pattern, "FATHOM_REFILLS": str(refills)})
    found = re.search(r"Collected : (\d+)", run.stderr)
    if run.returncode != 0 or not found:
        sys.exit(f"{' '.join(argv)}: exit status {run.returncode}\n{run.stdout[-1000:]}\n{run.stderr[-2000:]}")
    return int(found.group(1))


def main():
    if os.environ.get("FATHOM_SANITIZE"):
        print("skipped: a sanitizer's instructions are not fathom's")
        return 77
    if shutil.which("valgrind") is None:
        print("skipped: valgrind is not installed")
        return 77
    failed = 0
    for pattern, ceiling in CEILINGS.items():
        for _ in range(3):  # once in many runs callgrind begins to collect too early
            each = (instructions(pattern, MANY) - instructions(pattern, FEW)) / (MANY - FEW) / BLOCK
            if 10 <= each <= ceiling:
                break
        failed += each > ceiling
        print(f"{'FAIL' if each > ceiling else 'ok  '} {pattern}: {each:.1f} an access, ceiling {ceiling}")
        if each < 10:
            sys.exit("so few instructions cannot be an access: the runs were not what they should be")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
