# label: slow
"""Speaks for what scripts/test ran before ctest (sanitizer builds, fuzzing): FATHOM_PARTS holds "asan=ok tsan=failed ...", and one
failed part fails here, with the last lines that it printed, so that the closing lines of the run are true and say why."""
import os
import sys

LAST_LINES = 60


def failed(parts):
    return [part.split("=")[0] for part in parts.split() if not part.endswith("=ok")]


def last_lines(folder, part):
    path = os.path.join(folder, f"{part}.txt")
    if not os.path.exists(path):
        return f"{part}: {path} is not there"
    with open(path, encoding="utf-8", errors="replace") as f:
        return f"{part}, its last lines:\n" + "".join(line[:300].rstrip("\n") + "\n" for line in f.readlines()[-LAST_LINES:])


assert failed("asan=ok tsan=failed fuzz=ok") == ["tsan"] and failed("asan=ok") == []
given = os.environ.get("FATHOM_PARTS", "")
if not given:
    print("skipped: only scripts/test runs the sanitizers and the fuzzer before ctest")
    sys.exit(77)
print(given)
for name in failed(given):
    print(last_lines(os.path.join(os.environ["FATHOM_SOURCE"], "build-parts"), name))
sys.exit(f"failed before ctest: {', '.join(failed(given))}" if failed(given) else 0)
