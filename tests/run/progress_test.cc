// The time left, over a made-up clock and records: it counts down by the clock, ramp and delay included, and never runs
// backwards while the rate stays.
#include "run/progress.h"

#include <gtest/gtest.h>

#include <vector>

namespace fathom::run {
namespace {

constexpr std::uint64_t kSecond = 1'000'000'000, kBegin = 77 * kSecond;

files::Plan plan_of(std::uint64_t delay_s, std::uint64_t ramp_s, std::uint64_t runtime_s, std::uint64_t bytes) {
  files::Plan plan;
  plan.job.startdelay_ns = delay_s * kSecond;
  plan.job.ramp_ns = ramp_s * kSecond;
  plan.job.runtime_ns = runtime_s * kSecond;
  plan.job.time_based = bytes == 0;
  plan.job.loops = 1;
  plan.targets.resize(1);
  plan.targets[0].length = bytes == 0 ? 1 << 30 : bytes;
  return plan;
}

// What the record of a worker at `rate` bytes a second holds at a moment.
Standing at(const files::Plan& plan, std::uint64_t now_ns, std::uint64_t rate) {
  Standing s;
  s.started = true;
  const auto start = kBegin + plan.job.startdelay_ns, measured = start + plan.job.ramp_ns;
  if (now_ns < start) {
    s.phase = records::Phase::ready;
    return s;
  }
  const bool ramps = now_ns < measured;
  s.phase = ramps ? records::Phase::ramp : records::Phase::running;
  s.start_ns = ramps ? start : measured;
  s.done_bytes = (now_ns - s.start_ns) / (kSecond / 1000) * rate / 1000;
  s.ramp_bytes = ramps ? 0 : plan.job.ramp_ns / kSecond * rate;
  return s;
}

void expect_countdown(const files::Plan& plan, std::uint64_t rate, double whole_s, double tolerance_s) {
  for (std::uint64_t ms = 0; ms < static_cast<std::uint64_t>(1000 * whole_s); ms += 250) {
    const auto now = kBegin + ms * 1'000'000;
    const auto left = time_left(plan, at(plan, now, rate), kBegin, now);
    EXPECT_TRUE(left.known) << ms;
    EXPECT_NEAR(left.seconds, whole_s - static_cast<double>(ms) / 1000, tolerance_s) << "after " << ms << " ms";
  }
}

TEST(TimeLeft, TheRampIsPartOfTheTimeLeft) { expect_countdown(plan_of(0, 10, 20, 0), 1000, 30, 1e-6); }
TEST(TimeLeft, AStartDelayIsPartOfTheTimeLeft) { expect_countdown(plan_of(5, 10, 20, 0), 1000, 35, 1e-6); }

// 60 s of work in a runtime of 100 s, of which the ramp does ten.
TEST(TimeLeft, BytesMovedInTheRampCountAsDone) {
  const auto plan = plan_of(0, 10, 100, 60'000'000);
  for (std::uint64_t ms = 250; ms < 60'000; ms += 250) {
    const auto now = kBegin + ms * 1'000'000;
    EXPECT_NEAR(time_left(plan, at(plan, now, 1'000'000), kBegin, now).seconds, 60 - 1e-3 * static_cast<double>(ms),
                1e-3)
        << ms;
  }
}

TEST(TimeLeft, WithoutRuntimeAndBytesItIsUnknown) {
  auto plan = plan_of(0, 0, 0, 1 << 20);
  Standing s;
  s.started = true;
  EXPECT_FALSE(time_left(plan, s, kBegin, kBegin).known);
  s.ended = true;
  EXPECT_TRUE(time_left(plan, s, kBegin, kBegin).known);
}

TEST(TimeLeft, TimesOfLaterStagesAreAdded) {
  std::vector<files::Plan> plans;
  for (int section = 0; section < 3; ++section) {
    plans.push_back(plan_of(0, 1, 10, 0));
    plans.back().job.section = section;
    plans.back().job.stonewall = section > 0;
    plans.push_back(plans.back());
  }
  EXPECT_DOUBLE_EQ(planned_stages_s(plans, 0), 33);
  EXPECT_DOUBLE_EQ(planned_stages_s(plans, 2), 22);
  EXPECT_DOUBLE_EQ(planned_stages_s(plans, 6), 0);
}

}  // namespace
}  // namespace fathom::run
