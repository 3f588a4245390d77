// Which replays are unfaithful, and that a faithful one has no finding.
#include <gtest/gtest.h>

#include <string>

#include "audit/checks.h"
#include "stats/histogram.h"

namespace fathom::audit {
namespace {

// 10,000 I/Os at their time.
result::Job faithful() {
  result::Job job;
  job.name = "r";
  auto& r = job.replay.emplace();
  r.trace = "log";
  r.format = "iolog-3";
  r.pace = "recorded times";
  r.wanted_ios = r.replayed_ios = 10'000;
  r.trace_ios = 10'000;
  r.to_the_end = true;
  r.recorded_ns = r.replayed_ns = 5'000'000'000;
  r.lateness.moments_ns.add_many(2000, 10'000);
  return job;
}

std::string ids_of(const result::Job& job) {
  Findings found;
  check_replay({}, job, found);
  std::string ids;
  for (const auto& finding : found) ids += (ids.empty() ? "" : " ") + finding.id;
  return ids;
}

TEST(ReplayFindings, AClosedLoopIsLateAgainstItsCompletions) {
  auto job = faithful();
  job.replay->late_ios = 500;
  job.replay->pace = "closed loop";
  Findings found;
  check_replay({}, job, found);
  ASSERT_EQ(found.size(), 1u);
  EXPECT_NE(found[0].evidence.find("after they could"), std::string::npos) << found[0].evidence;
}

TEST(ReplayFindings, AFaithfulReplayHasNone) {
  auto job = faithful();
  EXPECT_EQ(ids_of(job), "");
  job.replay->late_ios = 100;  // 1 %: a busy machine
  job.replay->skipped = {{"reads, by replay_skip", 7, ""}};
  job.replay->ended_out_of_order = 40;
  job.replay->recorded_depth = 1;
  EXPECT_EQ(ids_of(job), "");
  EXPECT_EQ(ids_of({}), "");
}

TEST(ReplayFindings, LateIosAreSeen) {
  auto job = faithful();
  job.replay->late_ios = 101;
  EXPECT_EQ(ids_of(job), "replay.late");
  job.replay->late_ios = 1;
  EXPECT_EQ(ids_of(job), "");
  job.replay->last_late_ns = 20'000'000;
  EXPECT_EQ(ids_of(job), "replay.late");
}

TEST(ReplayFindings, EachLossIsSeen) {
  auto job = faithful();
  auto& r = *job.replay;
  r.started_out_of_order = 1;
  r.skipped = {{"zero length", 3, "line 7"}, {"trims, by replay_skip", 1, ""}};
  r.to_the_end = false;
  r.reader_waits = 2;
  r.times_back = 4;
  r.recorded_depth = 8;
  EXPECT_EQ(ids_of(job),
            "replay.skipped replay.order replay.unfinished replay.reader_waits replay.times_back replay.depth");
  Findings found;
  check_replay({}, job, found);
  EXPECT_EQ(found[0].evidence, "3 records: zero length; first: line 7");
  EXPECT_EQ(found[2].evidence, "10000 of 10000 I/Os were replayed");
}

TEST(ReplayFindings, AStoppedOrFailedJobIsNotCalledUnfinished) {
  auto job = faithful();
  job.replay->to_the_end = false;
  job.interrupted = true;
  EXPECT_EQ(ids_of(job), "");
  job.interrupted = false;
  job.error = 5;
  EXPECT_EQ(ids_of(job), "");
}

TEST(ReplayFindings, ATraceWithoutTimesIsNamed) {
  auto job = faithful();
  job.replay->pace = "no times";
  EXPECT_EQ(ids_of(job), "replay.no_times");
}

}  // namespace
}  // namespace fathom::audit
