// The reason that is shown first is the largest thing that is wrong: of every planted situation alone, and of every two.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "audit/machine/limit_checks.h"
#include "result/sums/checks.h"
#include "sound_run.h"

namespace fathom::audit {
namespace {

// What part of the result it makes wrong, as it is planted: of the time, of the bytes, or of a latency.
struct Planted {
  const char* id;
  const char* where;  // two of one place cannot be planted together
  double share;
  bool fails;
  std::function<void(result::Run&)> plant;
};

void read_points(result::Run& run, const std::vector<std::pair<std::uint64_t, int>>& levels) {
  auto& job = run.jobs[0];
  job.series_width_ms = 500;
  std::uint64_t at_ms = 0;
  for (const auto& [ios, points] : levels)
    for (int i = 0; i < points; ++i) {
      auto& point = job.dirs[0].series.emplace_back();
      point.time_ms = at_ms += 500, point.interval_ms = 500, point.ios = ios;
    }
}

void explain(result::Run& run, const char* term, double share) {
  if (!run.audit) run.audit.emplace();
  auto& witness = run.audit->witnesses.emplace_back();
  witness.source = "process", witness.direction = "read", witness.verdict = result::Verdict::explained;
  witness.expected_bytes = 100.0 * kMiB;
  witness.explained.push_back({term, -share * witness.expected_bytes, ""});
}

void add_limits(result::Run& run, double stopped_share, bool io) {
  constexpr double kRun_ns = 2e9;
  std::vector<host::CpuQuota> quotas(stopped_share > 0 ? 1 : 0);
  for (auto& quota : quotas)
    quota.limit = "cpu.max of /a", quota.cpus = 1, quota.times = 9,
    quota.stopped_ns = static_cast<std::uint64_t>(stopped_share * kRun_ns);
  std::vector<machine::SeenLimit> limits(io ? 1 : 0);
  for (auto& seen : limits) seen.limit.text = "io.max of /a", seen.limit.iops[0] = 12800;
  for (auto& finding : machine::limit_findings(quotas, limits, kRun_ns, {.iops = {12800, 0}}))
    run.findings.push_back(std::move(finding));
}

const std::vector<Planted>& planted() {
  static const std::vector<Planted> all = {
      {"run.no_medium", "device", 1, true,
       [](auto& run) { run.jobs[0].queue.emplace().devices = {{.name = "soft:ideal", .keeps_data = false}}; }},
      {"audit.unwritten", "audit", 0.9, true, [](auto& run) { explain(run, "unwritten extents", 0.9); }},
      {"audit.holes", "audit", 0.8, true, [](auto& run) { explain(run, "holes", 0.8); }},
      {"audit.page_cache", "audit", 0.95, false, [](auto& run) { explain(run, "page-cache hits", 0.95); }},
      {"run.changed", "series", 1.0 / 3, false,
       [](auto& run) {
         read_points(run, {{5000, 20}, {1500, 10}});
       }},
      {"run.stopped", "series", 0.25, false,
       [](auto& run) {
         read_points(run, {{5000, 15}, {0, 10}, {5000, 15}});
       }},
      {"run.two_modes", "latency", 0.4, false,
       [](auto& run) {
         auto& job = run.jobs[0];
         job.bs_min[0] = job.bs_max[0] = 4096;
         for (int i = 0; i < 3000; ++i) job.dirs[0].clat.histogram_ns.add(i % 5 < 2 ? 2'000 : 100'000);
       }},
      {"cpu.wait", "cpu", 0.45, false,
       [](auto& run) { run.jobs[0].job_runtime_ms = 2000, run.jobs[0].cpu_wait_percent = 45; }},
      {"rate.not_kept", "rate", 0.5, false,
       [](auto& run) { run.jobs[0].rate.paced = true, run.jobs[0].rate.asked_iops[0] = 25600; }},
      {"delivery.direct_ignored", "cache", 1, false,
       [](auto& run) { run.jobs[0].delivery.direct_ignored = "`f` lies on tmpfs, which is memory"; }},
      {"delivery.depth", "depth", 0.6, false,
       [](auto& run) { run.jobs[0].delivery.asked_depth = 50, run.jobs[0].delivery.mean_depth = 20; }},
      {"delivery.synchronous", "depth", 0.75, false,
       [](auto& run) { run.jobs[0].delivery.synchronous = true, run.jobs[0].iodepth = 4; }},
      {"delivery.window", "window", 0.85, false,
       [](auto& run) {
         run.jobs[0].delivery.asked_size_bytes = 100 * kMiB, run.jobs[0].delivery.window_bytes = 15 * kMiB;
       }},
      {"delivery.mix", "mix", 0.2, false, [](auto& run) { run.jobs[0].delivery.asked_read_percent = 80; }},
      {"delivery.sizes", "sizes", 0.07, false,
       [](auto& run) {
         run.jobs[0].delivery.sizes[0] = {{4096, 4096, 50, 57000}, {65536, 65536, 50, 43000}};
       }},
      {"delivery.unsynced", "cache", 1, false, [](auto& run) { run.jobs[0].delivery.unsynced_bytes = 100 * kMiB; }},
      {"clock.fell_back", "clock", 0.12, false,
       [](auto& run) {
         auto& clock = run.jobs[0].clock;
         clock.fell_back = true, clock.fit = false, clock.read_cost_ns = 0.06 * 2e9 / 25600;
       }},
      {"clock.coarse", "clock", 0.55, false, [](auto& run) { run.jobs[0].clock.resolution_ns = 100'000; }},
      {"clock.drift", "clock", 0.001, false,
       [](auto& run) { run.jobs[0].clock.drift_ppm = 1000, run.jobs[0].clock.drift_bound_ppm = 1; }},
      {"io.limit", "io", 0.9, false, [](auto& run) { add_limits(run, 0, true); }},
      {"cpu.max", "cpu", 0.3, false, [](auto& run) { add_limits(run, 0.3, false); }},
  };
  return all;
}

std::string reason_of(const std::vector<const Planted*>& what) {
  auto run = sound_run();
  for (const auto* each : what) each->plant(run);
  for (auto& finding : run_findings(run)) run.findings.push_back(std::move(finding));
  const auto checks = result::sums::checks_of(run);
  return checks.worst == nullptr ? "none" : checks.worst->id;
}

TEST(Reasons, OfOneSituationIsIt) {
  for (const auto& one : planted()) EXPECT_EQ(reason_of({&one}), one.id);
}

// The wait is the limit's, which is named; what is left of the wait is said where it is much.
TEST(Reasons, AWaitThatACpuLimitMadeIsSaidOnce) {
  auto run = sound_run();
  add_limits(run, 0.6, false);
  run.jobs[0].job_runtime_ms = 2000, run.jobs[0].cpu_wait_percent = 65;
  EXPECT_TRUE(run_findings(run).empty());
  run.jobs[0].cpu_wait_percent = 75;
  EXPECT_EQ(run_findings(run).at(0).id, "cpu.wait");
  for (auto& finding : run_findings(run)) run.findings.push_back(std::move(finding));
  EXPECT_EQ(result::sums::checks_of(run).worst->id, "cpu.max") << "a fifth of the wait is beyond it";
}

// A paced job that was stopped for a quarter of its time does less than it should: the stop is what can be changed.
TEST(Reasons, ACauseIsShownBeforeWhatItCaused) {
  auto run = sound_run();
  read_points(run, {{5000, 15}, {0, 10}, {5000, 15}});
  run.jobs[0].rate.paced = true, run.jobs[0].rate.asked_iops[0] = 12'800 / (1 - 0.3);
  for (auto& finding : run_findings(run)) run.findings.push_back(std::move(finding));
  EXPECT_EQ(result::sums::checks_of(run).worst->id, "run.stopped");
  run.findings.clear();
  run.jobs[0].rate.asked_iops[0] = 12'800 / (1 - 0.6);
  for (auto& finding : run_findings(run)) run.findings.push_back(std::move(finding));
  EXPECT_EQ(result::sums::checks_of(run).worst->id, "rate.not_kept") << "most of what is missing has another cause";
}

// By rates of memory nobody can see what a CPU did to them.
TEST(Reasons, OfTwoThatAreAsLargeIsTheOneByWhichNoDeviceWasMeasured) {
  auto run = sound_run();
  run.jobs[0].job_runtime_ms = 2000, run.jobs[0].cpu_wait_percent = 100;
  run.jobs[0].delivery.unsynced_bytes = 100 * kMiB;
  for (auto& finding : run_findings(run)) run.findings.push_back(std::move(finding));
  EXPECT_EQ(result::sums::checks_of(run).worst->id, "delivery.unsynced");
}

TEST(Reasons, OfTwoSituationsIsTheOneThatFailsOrHasTheLargerShare) {
  const auto& all = planted();
  unsigned pairs = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    for (std::size_t j = i + 1; j < all.size(); ++j) {
      const Planted &a = all[i], &b = all[j];
      if (std::string_view(a.where) == b.where) continue;
      const auto is = [&](const char* cause, const char* effect) {  // a cause comes before its effect
        return (std::string_view(a.id) == cause && std::string_view(b.id) == effect) ||
               (std::string_view(b.id) == cause && std::string_view(a.id) == effect);
      };
      if (is("cpu.wait", "rate.not_kept") || is("cpu.wait", "delivery.depth") || is("cpu.max", "delivery.depth") ||
          is("cpu.wait", "run.two_modes"))
        continue;
      ++pairs;
      const bool first = a.fails != b.fails ? a.fails : a.share >= b.share;
      const auto reason = reason_of({&a, &b});
      if (a.share == b.share && a.fails == b.fails)
        EXPECT_TRUE(reason == a.id || reason == b.id) << a.id << " and " << b.id << ": " << reason;
      else
        EXPECT_EQ(reason, first ? a.id : b.id) << a.id << " and " << b.id;
    }
  EXPECT_GT(pairs, 190u);
}

}  // namespace
}  // namespace fathom::audit
