"""The reference comparison's scripts, some rounds after each other (scripts/check reference): how many checks each made, and what failed in which round."""
import json
import os
import pathlib
import re
import subprocess
import sys

HERE = pathlib.Path(__file__).resolve().parent
SCRIPTS = ("counts_test.py", "offsets_test.py", "mixes_test.py", "mixed_sizes_test.py", "windows_test.py", "random_test.py")


def one(script):
    done = subprocess.run([sys.executable, str(HERE / script)], capture_output=True, text=True, timeout=3600)
    checks = re.search(r"^(\d+) of (\d+) checks passed", done.stdout, re.M)
    return {"status": done.returncode, "checks": int(checks[2]) if checks else 0, "failed": re.findall(r"^FAIL ([^:\n]*(?:: [^:\n]*)?)", done.stdout, re.M)[:20]}


def main():
    rounds = int(sys.argv[1])
    result = {script: [one(script) for _ in range(rounds)] for script in SCRIPTS}
    print(json.dumps(result, indent=1))
    if out := os.environ.get("FATHOM_SOAK_OUT"):
        pathlib.Path(out).write_text(json.dumps({"rounds": rounds, **result}, indent=1) + "\n")
    return 1 if any(r["status"] not in (0, 77) for all_rounds in result.values() for r in all_rounds) else 0


if __name__ == "__main__":
    sys.exit(main())
