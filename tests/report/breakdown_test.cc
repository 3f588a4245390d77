// The split in the text: rows, a part that is not covered, shares that add up, and a cause where there is none.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/normal_parts.h"

namespace fathom::report {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

result::PartLatency part(std::uint64_t ns) {
  result::PartLatency p;
  p.covered = true;
  for (int i = 0; i < 10; ++i) {
    p.moments_ns.add(ns);
    p.histogram_ns.add(ns);
  }
  return p;
}

result::Run bios() {
  result::Breakdown b;
  b.asked = true;
  b.devices = {"zram0 (bios)"};
  b.tracepoints = {"block:block_bio_queue"};
  b.events_by = "BPF programs";
  b.one_in = 27;
  b.seen_share = 0.09;
  result::BreakdownClass c;
  c.job = "t";
  c.direction = "read";
  c.ios = 13;
  c.matched = 10;
  c.contested = 2;
  c.lost = 1;
  c.parts[0] = part(1000);
  c.parts[2] = part(2000);
  c.parts[3] = part(1000);
  c.whole = c.sum = part(4000);
  b.classes.push_back(c);
  result::Run run;
  run.breakdown = b;
  return run;
}

TEST(BreakdownLines, ATableADirection) {
  const auto text = breakdown_lines(bios());
  EXPECT_THAT(text, HasSubstr("breakdown t read: 13 I/Os looked at, 10 matched, 2 beside another I/O"));
  EXPECT_THAT(text, HasSubstr("    device             2.00        2.0"));
  EXPECT_THAT(text, HasSubstr("    50.0%\n"));
  EXPECT_THAT(text, HasSubstr("    queue                 -           -           -         -\n"));
  EXPECT_THAT(text, HasSubstr("breakdown by block:block_bio_queue (BPF programs) on zram0 (bios)"));
  EXPECT_THAT(text, HasSubstr("one I/O in 27"));
  EXPECT_THAT(text, Not(HasSubstr("uncovered")));
  EXPECT_THAT(text, Not(HasSubstr("breakdown lost")));
}

TEST(BreakdownLines, LossesAreSaid) {
  auto run = bios();
  run.breakdown->events_lost = 5;
  run.breakdown->lost_at_s = 1.25;
  const auto text = breakdown_lines(run);
  EXPECT_THAT(text, HasSubstr("breakdown lost: 5 events, 0 stamps"));
  EXPECT_THAT(text, HasSubstr("gone after 1.2 s"));
}

TEST(BreakdownLines, WhatIsNeitherMatchedNorLostHasItsName) {
  auto run = bios();
  auto& c = run.breakdown->classes[0];
  c.unplaced = 4;
  c.cut = 3;
  c.outside = 2;
  c.outside_max_ns = 1500;
  const auto text = breakdown_lines(run);
  EXPECT_THAT(text, HasSubstr("4 of which it is not known where they lie, 3 still under way when tracing was"));
  EXPECT_THAT(text, HasSubstr("1 with events missing"));
  EXPECT_THAT(text, HasSubstr("of 2 I/Os events lie before the issue or after the reap, by 1.50 us at most"));
}

TEST(BreakdownLines, WithoutOneTheCause) {
  result::Run run;
  EXPECT_EQ(breakdown_lines(run), "");
  run.breakdown.emplace();
  run.breakdown->asked = true;
  run.breakdown->cause = "tracefs is not mounted";
  EXPECT_EQ(breakdown_lines(run), "  breakdown: none: tracefs is not mounted\n");
}

}  // namespace
}  // namespace fathom::report
