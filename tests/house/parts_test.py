# label: slow
"""Speaks for what scripts/test ran before ctest (sanitizer builds, fuzzing): FATHOM_PARTS holds "asan=ok tsan=failed ...", and one
failed part fails here, so that the closing lines of the run are true."""
import os
import sys


def failed(parts):
    return [part.split("=")[0] for part in parts.split() if not part.endswith("=ok")]


assert failed("asan=ok tsan=failed fuzz=ok") == ["tsan"] and failed("asan=ok") == []
given = os.environ.get("FATHOM_PARTS", "")
if not given:
    print("skipped: only scripts/test runs the sanitizers and the fuzzer before ctest")
    sys.exit(77)
print(given)
sys.exit(f"failed before ctest, see above: {', '.join(failed(given))}" if failed(given) else 0)
