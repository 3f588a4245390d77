"""The unit tests of memory and its counters, on a kernel years older than most."""
import machine

PROGRAM = machine.BUILD / "test_paging"
PROGRAMS = {PROGRAM.name: PROGRAM} if PROGRAM.exists() else {}
STEPS = [("unit", "test_paging --gtest_filter='Region.*:Numa.*:FillPage.*:KernelCounts.*:SeriesSampler.*-Region.a_disk*:Region.Timed_fill_is_fast' 2>&1 | "
                  "grep -v 'OK \\]\\|RUN'\n")]


def check_all(check, texts):
    if not PROGRAMS:
        print("     test_paging is not built: its tests were not run in the guest")
        return
    check("[  PASSED  ]" in texts["unit"] and "FAILED" not in texts["unit"], "the unit tests of memory and counters pass in the guest", texts["unit"][-3000:])
