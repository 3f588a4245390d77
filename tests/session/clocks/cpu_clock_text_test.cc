// The lines of fio's --cpuclock-test, of findings that are known.
#include "session/clocks/cpu_clock_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "clock/made_entries.h"

namespace fathom::session::clocks {
namespace {

// fio 3.33's of the same kind: S is the deviation through the number, the trimmed mean that of those within one
// deviation.
TEST(CpuClockText, FiosLinesOfTheCalibration) {
  CpuClockCalibration found;
  found.pid = 4242;
  found.ticks_per_ms = {1000, 1002, 1001, 1001, 1096};
  found.calibration.method = "made up";
  found.calibration.conversion = {1ull << 63, 1};
  found.start_ticks = 77;
  EXPECT_EQ(calibration_text(found),
            "time     4242  cycles[0]=1000\n"
            "time     4242  cycles[1]=1002\n"
            "time     4242  cycles[2]=1001\n"
            "time     4242  cycles[3]=1001\n"
            "time     4242  cycles[4]=1096\n"
            "time     4242  min=1000, max=1096, mean=1020.000000, S=8.498235, N=5\n"
            "time     4242  trimmed mean=1001, N=4\n"
            "time     4242  clock_shift=63, clock_mult=9223372036854775808\n"
            "time     4242  calibrated by made up\n"
            "time     4242  cycles_start=77\n");
}

TEST(CpuClockText, FiosLinesColumnForColumn) {
  clock::cores::TestRun run;
  run.findings = clock::cores::analyse(
      std::vector<std::vector<clock::cores::Entry>>{{{0, 3, 1000}, {2, 3, 1010}}, {{1, 12, 900}}, {{3, 104, 1020}}});
  EXPECT_EQ(cpuclock_text(run),
            "cs: cpu  3: 10 clocks seen, first 1000\n"
            "cs: cpu 12: 0 clocks seen, first 900\n"
            "cs: cpu104: 0 clocks seen, first 1020\n"
            "cs: CPU clock mismatch (diff=100):\n"
            "\t CPU  3: TSC=1000, SEQ=0\n"
            "\t CPU 12: TSC=900, SEQ=1\n"
            "cs: Failed: 1\n");
  run.findings = clock::cores::analyse(clock::MadeTest{.cpus = {{0}, {1}}}.record());
  EXPECT_THAT(cpuclock_text(run), testing::EndsWith("\ncs: Pass!\n"));
}

}  // namespace
}  // namespace fathom::session::clocks
