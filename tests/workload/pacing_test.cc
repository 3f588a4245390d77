// Intended start times: the exact schedule, both directions of a mix, and no drift over a long run.
#include "workload/pacing.h"

#include <gtest/gtest.h>

#include <cmath>

#include "job/fields/think.h"
#include "workload/make_job.h"

namespace fathom::workload::testing {
namespace {

TEST(Pacing, first_is_due_at_once_then_linear) {
  auto job = make_job("randread", 400 * k);
  job.rate_iops[0] = 1000;
  const auto requests = all_requests(job, make_targets(job));
  EXPECT_EQ(requests[0].due_ns, 1u);
  for (std::size_t i = 1; i < requests.size(); ++i) EXPECT_EQ(requests[i].due_ns, i * 1'000'000);
}

TEST(Pacing, bytes_per_second_follow_the_sizes) {
  auto job = make_job("read", 4096 * k);
  job.bs_max.fill(64 * k);
  job.rate_bytes_per_s[0] = 1 << 20;
  std::uint64_t bytes_before = 0;
  for (const auto& request : all_requests(job, make_targets(job))) {
    EXPECT_NEAR(static_cast<double>(request.due_ns), static_cast<double>(bytes_before) * 1e9 / (1 << 20), 2.0);
    bytes_before += request.length;
  }
}

TEST(Pacing, the_later_of_two_rates_rules) {
  auto job = make_job("read", 400 * k);
  job.rate_iops[0] = 100;
  job.rate_bytes_per_s[0] = 1 << 30;
  const auto requests = all_requests(job, make_targets(job));
  EXPECT_EQ(requests[10].due_ns, 100'000'000u);
}

TEST(Pacing, a_mix_meets_both_rates) {
  auto job = make_job("randrw", 4000 * 4 * k);
  job.rate_iops = {3000, 1000, 0};
  std::uint64_t seen[2] = {0, 0}, last_due = 0;
  for (const auto& request : all_requests(job, make_targets(job))) {
    EXPECT_GE(request.due_ns, last_due);
    last_due = request.due_ns;
    const std::uint64_t n = seen[io::index(request.dir)]++;
    EXPECT_NEAR(static_cast<double>(request.due_ns),
                static_cast<double>(n) * 1e9 / job.rate_iops[io::index(request.dir)], 2.0);
  }
  EXPECT_NEAR(static_cast<double>(seen[0]), 3000, 2);
}

TEST(Pacing, an_unpaced_direction_is_due_never) {
  auto job = make_job("randrw", 400 * k);
  job.rate_iops[1] = 1000;
  std::uint64_t writes = 0;
  for (const auto& request : all_requests(job, make_targets(job))) {
    if (request.dir == io::Dir::read) {
      EXPECT_EQ(request.due_ns, 0u);
    } else {
      EXPECT_EQ(request.due_ns, std::max<std::uint64_t>(1, writes++ * 1'000'000));
    }
  }
}

TEST(Pacing, a_sync_is_due_with_the_write_before_it) {
  auto job = make_job("write", 64 * k);
  job.fsync_every = 2;
  job.rate_iops[1] = 1000;
  std::uint64_t last = 0;
  for (const auto& request : all_requests(job, make_targets(job))) {
    if (request.dir == io::Dir::sync) {
      EXPECT_EQ(request.due_ns, last);
    }
    last = request.due_ns;
  }
}

TEST(Pacing, the_schedule_goes_on_over_passes) {
  auto job = make_job("read", 16 * k);
  job.loops = 3;
  job.rate_iops[0] = 1000;
  const auto requests = all_requests(job, make_targets(job));
  ASSERT_EQ(requests.size(), 12u);
  EXPECT_EQ(requests[11].due_ns, 11'000'000u);
}

TEST(Pacing, drifts_less_than_a_microsecond_an_hour) {
  auto job = make_job("read", 4 * k);
  job.rate_iops[0] = 300'000;
  Pacing pacing(job);
  constexpr std::uint64_t kSteps = 3'000'000;  // ten seconds
  for (std::uint64_t i = 0; i < kSteps; ++i) pacing.take(io::Dir::read, 4096);
  EXPECT_NEAR(static_cast<double>(pacing.take(io::Dir::read, 4096)), 1e10, 2);
}

// Of exponential intervals 1 - 1/e are shorter than the mean, and their deviation is the mean.
// effect: rate_process=poisson
TEST(Pacing, poisson_draws_exponential_intervals_around_the_rate) {
  auto job = make_job("read", 4 * k);
  job.rate_iops[0] = 1000;
  job.own.get<job::fields::Think>().process = job::fields::RateProcess::poisson;  // rate_process=poisson
  Pacing pacing(job, 7), same(job, 7), other(job, 8);
  constexpr int kSteps = 100'000;
  std::uint64_t last = pacing.take(io::Dir::read, 4096);
  double sum = 0, squares = 0;
  int shorter = 0;
  for (int i = 0; i < kSteps; ++i) {
    const std::uint64_t due = pacing.take(io::Dir::read, 4096);
    const auto step = static_cast<double>(due - last) / 1e6;
    last = due;
    sum += step, squares += step * step, shorter += step < 1 ? 1 : 0;
  }
  EXPECT_NEAR(sum / kSteps, 1, 0.015);
  EXPECT_NEAR(squares / kSteps, 2, 0.06);
  EXPECT_NEAR(static_cast<double>(shorter) / kSteps, 1 - std::exp(-1), 0.007);
  for (int i = 0; i < kSteps; ++i) same.take(io::Dir::read, 4096), other.take(io::Dir::read, 4096);
  EXPECT_EQ(same.take(io::Dir::read, 4096), last) << "reproducible";
  EXPECT_NE(other.take(io::Dir::read, 4096), last);
}

TEST(Pacing, poisson_holds_bytes_a_second_whatever_the_sizes) {
  auto job = make_job("read", 4 * k);
  job.rate_bytes_per_s[0] = 1'000'000;
  job.own.get<job::fields::Think>().process = job::fields::RateProcess::poisson;
  Pacing pacing(job);
  std::uint64_t bytes = 0, last = 0;
  for (std::uint32_t i = 0; i < 100'000; ++i) {
    const std::uint32_t length = i % 2 == 0 ? 1000 : 3000;
    last = pacing.take(io::Dir::read, length);
    bytes += length;
  }
  EXPECT_NEAR(static_cast<double>(bytes) * 1e9 / static_cast<double>(last), 1e6, 2e4);
}

}  // namespace
}  // namespace fathom::workload::testing
