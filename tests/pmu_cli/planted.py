"""Loads that slow down while they are counted, and know themselves what they did: calls of a tenth of a microsecond, to which a tracepoint adds
more than that. Whatever `fathom pmu stat --slots` says of them has to hold the load's own number, or it has to say that it cannot tell.

  python3 tests/pmu_cli/planted.py [RUNS] [--out=FILE]     FATHOM names the program, CXX the compiler; 36 runs if not said
"""
import json
import os
import sys

sys.path[:0] = [os.path.join(os.path.dirname(os.path.abspath(__file__)), folder) for folder in ("", "../../bench", "../reference")]
from counted import FOLDER, build, events, stat  # noqa: E402

LOAD = """
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>
int main(int count, char** words) {
  const double end_s = atof(words[2]);
  const long call = count > 1 && words[1][0] == 'l' ? SYS_lseek : SYS_getppid;
  timespec first, now;
  unsigned long calls = 0;
  clock_gettime(CLOCK_MONOTONIC, &first);
  do {
    for (int i = 0; i < 1000; ++i) syscall(call, -1, 0, 0);
    calls += 1000;
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (double(now.tv_sec - first.tv_sec) + 1e-9 * double(now.tv_nsec - first.tv_nsec) < end_s);
  printf("%lu\\n", calls);
}
"""
# what is counted beside it, the call, its tracepoint
PLANTS = [("page-faults", "getppid", "syscalls:sys_enter_getppid"), ("context-switches", "lseek", "syscalls:sys_enter_lseek"),
          ("msr/tsc/,msr/tsc/", "getppid", "syscalls:sys_enter_getppid")]
SECONDS = "0.6"


def one_run(load, beside, call, name):
    """held, missed or withheld, and what was said of the truth."""
    report = os.path.join(FOLDER.name, "planted.json")
    done = stat("--slots=2", "--output-format=json", "-o", report, "-e", f"{name},{beside}", "--", load, call, SECONDS)
    if done.returncode != 0:
        return "refused", done.stderr
    with open(report) as text:
        found = events(json.load(text))[name]
    truth = float(done.stdout)
    if "low" not in found:
        return "withheld", 0
    return "held" if found["low"] <= truth <= found["high"] else "missed", found["count"] / truth


def outcomes(runs):
    load = build("planted", LOAD)
    for i in range(runs):
        beside, call, name = PLANTS[i % len(PLANTS)]
        if "msr" in beside and not os.path.exists("/sys/bus/event_source/devices/msr/events/tsc"):
            beside = "page-faults"
        yield (name, beside, *one_run(load, beside, call, name))


def main():
    runs = next((int(word) for word in sys.argv[1:] if word.isdigit()), 36)
    out = next((word.partition("=")[2] for word in sys.argv[1:] if word.startswith("--out=")), None)
    found = list(outcomes(runs))
    ends = [end for _, _, end, _ in found]
    total = {word: ends.count(word) for word in ("held", "withheld", "missed", "refused")}
    ratios = [ratio for _, _, end, ratio in found if end in ("held", "missed")]
    print(", ".join(f"{word} {number}" for word, number in total.items()), f"of {runs};",
          f"said {min(ratios):.3f} to {max(ratios):.3f} of the truth" if ratios else "nothing was said")
    if out:
        import facts
        with open(out, "w") as text:
            json.dump({"suite": "slots", "machine": facts.machine(), "runs": runs, **total, "least_share_of_truth": min(ratios, default=None),
                       "largest_share_of_truth": max(ratios, default=None)}, text, indent=1)
            text.write("\n")
    return 0 if total["held"] + total["withheld"] >= runs * 34 / 36 else 1


if __name__ == "__main__":
    sys.exit(main())
