// The status line against fio's form.
#include "live/status_line.h"

#include <gtest/gtest.h>

namespace fathom::live {
namespace {

TEST(StatusLine, MatchesFiosForm) {
  run::Progress s;
  s.jobs_running = 1;
  s.open_files = 1;
  s.states = "R";
  s.bytes_per_s[0] = 32.9 * 1024 * 1024 * 1024;
  s.ios_per_s[0] = 8'622'000;
  s.done_share = 1;
  s.eta_known = true;
  EXPECT_EQ(status_line(s), "Jobs: 1 (f=1): [R(1)][100.0%][r=32.9GiB/s][r=8.62M IOPS][eta 00m:00s]");
}

TEST(StatusLine, ShowsBothDirectionsAndAnUnknownEta) {
  run::Progress s;
  s.jobs_running = 2;
  s.open_files = 4;
  s.states = "mm_";
  s.bytes_per_s[0] = 1024 * 1024;
  s.bytes_per_s[1] = 512;
  s.ios_per_s[0] = 256;
  s.ios_per_s[1] = 1;
  EXPECT_EQ(status_line(s), "Jobs: 2 (f=4): [m(2),_(1)][0.0%][r=1.00MiB/s,w=512B/s][r=256,w=1 IOPS][eta --]");
}

TEST(StatusLine, ShowsHoursOnlyWhenNeeded) {
  run::Progress s;
  s.eta_known = true;
  s.eta_s = 3 * 3600 + 125;
  EXPECT_NE(status_line(s).find("[eta 03h:02m:05s]"), std::string::npos);
}

TEST(LayoutLine, FilesAndHowFarTheyAre) {
  run::files::LayoutProgress p{.job = "a", .path = "", .files = 1, .total_bytes = 8u << 20, .done_bytes = 2u << 20};
  EXPECT_EQ(layout_line(p), "a: Laying out IO file (1 file / 8MiB) 25%");
  p.files = 3;
  p.total_bytes = p.done_bytes = 0;
  EXPECT_EQ(layout_line(p), "a: Laying out IO files (3 files / 0MiB) 100%");
}

}  // namespace
}  // namespace fathom::live
