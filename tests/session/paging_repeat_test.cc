// Several repetitions of a paging run: the median one is shown, all are kept, numbers stand side by side.
#include <gtest/gtest.h>

#include "session/paging_run.h"

namespace fathom::session {
namespace {

result::Run run_of(double accesses_per_s, std::uint64_t major_ns) {
  result::Run run;
  auto& p = run.paging.emplace();
  p.score.accesses_per_s = accesses_per_s;
  p.seed = static_cast<std::uint64_t>(accesses_per_s);
  auto& major = p.latency[static_cast<int>(result::AccessClass::major)][static_cast<int>(result::AccessDir::read)];
  for (int i = 0; i < 4; ++i) {
    major.moments_ns.add(major_ns);
    major.histogram_ns.add(major_ns);
  }
  p.window_ns = 1'000'000'000;
  result::PagingThread thread;
  thread.accesses[0] = p.seed;
  thread.wall_ns = p.window_ns;
  p.workers.push_back(thread);
  return run;
}

TEST(PagingRepeat, ASingleRunHasNoRepetitions) {
  const auto shown = summarize_paging({run_of(5, 100)});
  EXPECT_EQ(shown.paging->seed, 5u);
  EXPECT_TRUE(shown.repetitions.empty());
  EXPECT_TRUE(shown.repeated.empty());
}

TEST(PagingRepeat, TheMedianIsShownAndAllAreKept) {
  const auto shown = summarize_paging({run_of(900, 1000), run_of(100, 3000), run_of(200, 2000)});
  EXPECT_EQ(shown.paging->seed, 200u);
  ASSERT_EQ(shown.repetitions.size(), 3u);
  EXPECT_EQ(shown.repetitions[0].paging->seed, 900u);
  EXPECT_DOUBLE_EQ(shown.paging->score.accesses_per_s, 400);
  EXPECT_LT(shown.paging->score.low, 400);
  EXPECT_GT(shown.paging->score.high, 400);
}

TEST(PagingRepeat, MetricsThatAllRepetitionsHaveAreSummarized) {
  auto without = run_of(100, 1000);
  const auto some = summarize_paging({run_of(100, 1000), run_of(300, 3000)});
  const auto metric = [&](const std::string& name) {
    for (const auto& m : some.repeated)
      if (m.metric == name && (m.direction == "read" || m.direction.empty())) return m;
    return result::RepeatedMetric{};
  };
  EXPECT_EQ(metric("accesses_per_s").values, (std::vector<double>{100, 300}));
  EXPECT_EQ(metric("major_mean").values, (std::vector<double>{1000, 3000}));
  EXPECT_EQ(metric("major_mean").mean, 2000);
  EXPECT_TRUE(metric("hit_mean").values.empty());
  without.paging->latency = {};
  EXPECT_EQ(summarize_paging({run_of(100, 1000), without}).repeated.size(), 1u);
}

result::Run killed(result::Run run) {
  run.paging->workers[0].error = 12;
  run.findings.push_back({"paging.worker_killed", result::Severity::error, "", "killed", ""});
  return run;
}

TEST(PagingRepeat, AKilledRepetitionIsReportedAndExcludedFromMeans) {
  const auto shown = summarize_paging({run_of(100, 1000), killed(run_of(9000, 9000)), run_of(300, 3000)});
  EXPECT_DOUBLE_EQ(shown.paging->score.accesses_per_s, 200);
  EXPECT_NE(shown.paging->seed, 9000u) << "not the one that is shown";
  EXPECT_EQ(shown.repetitions.size(), 3u);
  for (const auto& metric : shown.repeated) EXPECT_EQ(metric.values.size(), 2u) << metric.metric;
  ASSERT_EQ(shown.findings.size(), 1u);
  EXPECT_EQ(shown.findings[0].id, "paging.worker_killed");
  EXPECT_EQ(shown.findings[0].job, "repetition 2");
}

TEST(PagingRepeat, WhereAllWereKilledThereIsStillAReport) {
  const auto shown = summarize_paging({killed(run_of(100, 1000)), killed(run_of(300, 3000))});
  EXPECT_EQ(shown.repetitions.size(), 2u);
  EXPECT_EQ(shown.findings.size(), 2u);
}

TEST(PagingRepeat, FindingsOfOtherRepetitionsAreReportedOnce) {
  auto one = run_of(100, 1000), two = run_of(200, 2000), three = run_of(300, 3000);
  const auto warn = [](result::Run& run, const char* id, const char* evidence) {
    run.findings.push_back({id, result::Severity::warning, "", evidence, ""});
  };
  for (auto* run : {&one, &two, &three}) warn(*run, "of all", "differs");
  warn(three, "of the third", "x");
  three.findings.push_back({"paging.not_restored", result::Severity::error, "", "swap", ""});
  one.findings.push_back({"a note", result::Severity::note, "", "x", ""});
  const auto shown = summarize_paging({one, two, three});
  std::vector<std::string> said;
  for (const auto& f : shown.findings) said.push_back(f.id + "/" + f.job);
  EXPECT_EQ(said,
            (std::vector<std::string>{"of all/", "of the third/repetition 3", "paging.not_restored/repetition 3"}));
}

TEST(PagingRepeat, AnErrorKeepsItsRemedyAndItsPlace) {
  base::Error error;
  error.what = "no zram";
  error.cause = "the module is not there";
  error.help = "modprobe zram";
  error.place = base::SourcePlace{"a.profile", 3, 14, "", 1};
  const auto failed = failed_repetition("repetition 2", error);
  EXPECT_EQ(failed.what, "no zram");
  EXPECT_EQ(failed.cause, error.cause);
  EXPECT_EQ(failed.remedy, error.help);
  EXPECT_EQ(failed.place, (result::Place{"a.profile", 3, 14}));
  const auto finding = finding_of(failed);
  EXPECT_EQ(finding.id, "paging.repetition_failed");
  EXPECT_EQ(finding.evidence, "repetition 2: a.profile:3:14: no zram: the module is not there");
  EXPECT_EQ(finding.remedy, error.help);
}

TEST(PagingRepeat, EachRepetitionHasItsOwnSeed) {
  paging_job::Request options;
  options.plan.pattern.seed = options.plan.region.seed = 7;
  EXPECT_EQ(repetition_of(options, 0).plan.pattern.seed, 7u);
  EXPECT_EQ(repetition_of(options, 2).plan.pattern.seed, 9u);
  EXPECT_EQ(repetition_of(options, 2).plan.region.seed, 9u);
}

}  // namespace
}  // namespace fathom::session
