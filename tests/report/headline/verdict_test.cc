// The six lines that a report of fathom's own opens with.
#include "report/headline/verdict.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <sstream>

#include "base/text/unit_text.h"
#include "report/formats.h"
#include "report/normal.h"
#include "report/sample_run.h"
#include "result/sums/rates.h"

namespace fathom::report::headline {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

result::Run quiet() {
  auto run = simple_run();
  run.findings.clear();
  run.repeated.clear();
  return run;
}

void repeat(result::Run& run, const char* metric, const char* unit, double low, double high) {
  run.repeated.push_back({"t", "read", metric, unit, {low, low, high, high, high}, 0, 0, 0, low, high});
}

void find(result::Run& run, const char* id, result::Severity severity, const char* remedy = "") {
  run.findings.push_back({id, severity, "", "evidence of " + std::string(id), remedy});
}

void expect_columns(const std::string& text) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST(Verdict, SaysWhatWasMeasuredHowFastItWasAndWhatToDoNext) {
  auto run = quiet();
  const auto text = verdict(run);
  EXPECT_THAT(text, StartsWith("  measured randrw, 4 KiB, libaio, iodepth 8"));
  EXPECT_THAT(text, HasSubstr("\n  read     1.00k IOPS, 3.91 MiB/s; p50 "));
  EXPECT_THAT(text, HasSubstr("\n  write    500 IOPS, 1.95 MiB/s; p50 "));
  EXPECT_THAT(text, HasSubstr("\n  checks   passed: achieved as requested; "));
  EXPECT_THAT(text, HasSubstr("\n  next     --repeat=5 "));
  EXPECT_THAT(text, Not(HasSubstr("runs)")));
  expect_columns(text);
}

TEST(Verdict, OfARunWhoseEveryIoFailedSaysSo) {
  auto run = quiet();
  for (auto& dir : run.jobs[0].dirs) dir = {};
  EXPECT_EQ(verdict(run), "") << "nothing was measured, and nothing failed";
  run.jobs[0].error_count = 12, run.jobs[0].first_io_error = 5;
  find(run, "run.io_errors", result::Severity::error, "read the list");
  const auto text = verdict(run);
  EXPECT_THAT(text, StartsWith("  measured nothing: every I/O failed\n  checks   FAILED: I/Os failed; delivery 1"));
  EXPECT_THAT(text, HasSubstr("\n  error    evidence of run.io_errors"));
}

TEST(Verdict, OfUnifiedJobsIsMixedAndOfBothIsEachDirection) {
  auto run = quiet();
  run.jobs[0].unified = true;
  EXPECT_THAT(verdict(run), HasSubstr("\n  mixed    "));
  run.jobs[0].reporting.both = true;
  EXPECT_THAT(verdict(run), Not(HasSubstr("mixed ")));
  EXPECT_THAT(verdict(run), HasSubstr("\n  read     1.00k IOPS"));
}

// cpuio: its turns have latencies, and neither bytes nor a time of I/O.
TEST(Verdict, OfWhatIsNoIoHasNoRate) {
  auto run = quiet();
  run.host.devices.clear();
  run.jobs[0].engine = "cpuio", run.jobs[0].iodepth = 1;
  run.jobs[0].dirs[1] = {};
  auto& turns = run.jobs[0].dirs[0];
  turns.bytes = turns.runtime_ns = turns.runtime_ms = 0;
  run.jobs[0].job_runtime_ms = 1000;
  EXPECT_THAT(verdict(run), StartsWith("  measured cpuio, 1 s\n  checks "));
}

TEST(Verdict, FailsWhereARepetitionThatIsNotShownFailed) {
  auto run = quiet();
  std::vector<result::Run> repetitions{quiet(), quiet()};
  find(repetitions[1], "audit.holes", result::Severity::error, "fill the file");
  const auto text = verdict(run, 200, repetitions);
  EXPECT_THAT(text, HasSubstr("\n  checks   FAILED: repetition 2; "));
  EXPECT_THAT(text, HasSubstr("\n  error    repetition 2: evidence of audit.holes"));
}

TEST(Verdict, HasTheIntervalOfRepetitions) {
  auto run = quiet();
  repeat(run, "iops", "1/s", 950, 1050);
  repeat(run, "lat_p50", "ns", 90'000, 110'000);
  repeat(run, "lat_p99", "ns", 19'000'000, 21'000'000);
  const auto text = verdict(run);
  EXPECT_THAT(text, HasSubstr("950-1.05k IOPS; p50 90.0-110 us, p99 19.0-21.0 ms (95 %, 5 runs)\n"));
  EXPECT_THAT(text, Not(HasSubstr("--repeat")));
  expect_columns(text);
}

// Each area and each failure that decided the outcome, in a terminal of any width.
TEST(Verdict, NeverCutsTheReasonOfItsChecks) {
  auto run = quiet();
  run.interrupted = true;
  run.jobs[0].first_io_error = 5;
  for (const char* id : {"rate.not_kept", "audit.holes", "clock.coarse", "memory.max"})
    find(run, id, result::Severity::warning);
  for (const std::size_t columns : {40u, 60u, 80u}) {
    std::istringstream words(verdict(run, columns));
    std::string text;
    for (std::string word; words >> word;) text += (text.empty() ? "" : " ") + word;
    EXPECT_THAT(text, HasSubstr("interrupted; I/Os failed; delivery 1, audit 1, clock 1, machine 1; bytes explained"))
        << columns;
  }
}

TEST(Verdict, NamesTheWorstDoubtAndItsRemedy) {
  auto run = quiet();
  find(run, "memory.max", result::Severity::note, "a note's");
  find(run, "clock.coarse", result::Severity::warning, "another clock");
  EXPECT_THAT(verdict(run), HasSubstr("\n  checks   1 warning: clock 1; "));
  EXPECT_THAT(verdict(run),
              HasSubstr("\n  warning  evidence of clock.coarse [clock.coarse]\n  next     another clock\n"));
  find(run, "rate.not_kept", result::Severity::error,
       "nothing behind it says it once more, whatever it is that is said at such length");
  const auto text = verdict(run);
  EXPECT_THAT(text, HasSubstr("\n  checks   FAILED: delivery 1, clock 1; "));
  EXPECT_THAT(text, HasSubstr("\n  error    evidence of rate.not_kept"));
  EXPECT_THAT(
      text,
      HasSubstr(
          "\n  next     nothing behind it says it once more, whatever it is that is said at\n      such length\n"));
  expect_columns(text);
  EXPECT_THAT(verdict(run, 120), HasSubstr("that is said at such length\n"));
  EXPECT_EQ(opening(run), text) << "what is to be done is never cut";
}

TEST(Verdict, NamesTheWorstFindingOnly) {
  auto run = quiet();
  find(run, "clock.coarse", result::Severity::warning, "another clock");
  find(run, "run.too_short", result::Severity::note, "a longer run");
  EXPECT_THAT(opening(run), HasSubstr("\n  warning  evidence of clock.coarse [clock.coarse]\n"));
  EXPECT_EQ(brief(run), opening(run));
}

TEST(Verdict, AWitnessThatDisagreesFailsWhateverTheFindingsSay) {
  auto run = quiet();
  run.audit.emplace().verdict = result::Verdict::disagrees;
  EXPECT_THAT(verdict(run), HasSubstr("checks   FAILED: bytes disagree\n"));
}

// unified_rw_reporting=1 of our own run, whose directions stay apart in the result.
TEST(Verdict, OneRowHasAllDirectionsOfAUnifiedJob) {
  auto run = quiet();
  auto& job = run.jobs[0];
  job.unified = true;
  job.dirs[1] = job.dirs[0];
  const auto text = verdict(run);
  EXPECT_THAT(text, HasSubstr("\n  mixed "));
  EXPECT_THAT(text, Not(HasSubstr("\n  write ")));
  EXPECT_THAT(text, Not(HasSubstr("\n  read ")));
  result::sums::RateSum both;
  both.add(job.dirs[0]), both.add(job.dirs[1]);
  EXPECT_THAT(text, HasSubstr(base::text::unit_text(*both.iops(), base::text::kRateLive) + " IOPS"));
}

// A log on a full disk, a file that is not there.
TEST(Verdict, AJobThatFailedByNoIoIsCalledThat) {
  auto run = quiet();
  run.jobs[0].error_count = 1;
  run.errors.emplace_back();
  run.errors[0].op = "setup", run.errors[0].message = "the log a_lat.1.log cannot be written";
  EXPECT_THAT(verdict(run), HasSubstr("checks   FAILED: a job failed; "));
  for (auto& dir : run.jobs[0].dirs) dir = {};
  EXPECT_THAT(verdict(run), StartsWith("  measured nothing: a job failed\n"));
}

TEST(Verdict, SaysThatIosFailedWhereNoFindingDoes) {
  auto run = quiet();
  run.jobs[0].error_count = 1;
  run.errors.emplace_back();
  run.errors[0].op = "read";
  run.audit.reset();
  EXPECT_THAT(verdict(run), HasSubstr("checks   FAILED: I/Os failed; bytes not audited\n"));
  EXPECT_THAT(verdict(run), HasSubstr("\n  error    read\n  next     the report lists the failed I/Os"));
  run.interrupted = true;
  EXPECT_THAT(verdict(run), HasSubstr("checks   FAILED: interrupted; I/Os failed; "));
  find(run, "clock.coarse", result::Severity::warning, "another clock");
  run.errors[0].message = "io_u error on file /x";
  run.errors[0].remedy = "look at /x";
  EXPECT_THAT(verdict(run), HasSubstr("\n  error    io_u error on file /x\n  next     look at /x\n"))
      << "before a warning";
}

TEST(Verdict, AddsUpJobsThatRanTogetherAndNoOthers) {
  auto run = quiet();
  run.jobs.push_back(run.jobs[0]);
  EXPECT_THAT(verdict(run), HasSubstr("\n  read     2.00k IOPS"));
  run.jobs[1].group_id = 1;
  run.jobs[1].name = "u";
  const auto text = verdict(run);
  EXPECT_THAT(text, HasSubstr("\n  t read   1.00k IOPS"));
  EXPECT_THAT(text, HasSubstr("\n  u write  500 IOPS"));
}

// A sum's interval is of the sums of the repetitions, not of any job's.
TEST(Verdict, JobsThatRanTogetherHaveTheIntervalOfTheirSum) {
  auto run = quiet();
  run.jobs.push_back(run.jobs[0]);
  run.jobs[1].name = "u";
  repeat(run, "iops", "1/s", 1, 2);
  run.repetitions = {run, run, run};
  run.repetitions[0].jobs[0].dirs[0].ios = 900;
  run.repetitions[2].jobs[0].dirs[0].ios = 1100;
  const auto text = brief(run, 80);
  EXPECT_THAT(text, HasSubstr("\n  read     2.00k IOPS"));
  EXPECT_THAT(text, HasSubstr("\n           1.76k-2.26k IOPS; p50 "));
  EXPECT_THAT(text, HasSubstr("(95 %, 3 runs)\n"));
  EXPECT_THAT(text, HasSubstr("\n           1.00k-1.00k IOPS")) << "of the writes";
  EXPECT_EQ(brief(run, 80).substr(0, 100), opening(run).substr(0, 100));
  for (auto& one : run.repetitions) one.jobs[1].dirs[0].clat = one.jobs[1].dirs[0].lat = {};
  EXPECT_THAT(brief(run, 80), HasSubstr("1.76k-2.26k IOPS (95 %, 3 runs)\n")) << "no percentiles of some of the jobs";
  for (auto* one : {&run, &run.repetitions[0], &run.repetitions[1], &run.repetitions[2]}) one->jobs[1].group_id = 1;
  EXPECT_THAT(brief(run, 80), HasSubstr("\n  u read   1.00k IOPS, 3.91 MiB/s; p50"));
  EXPECT_THAT(brief(run, 80), HasSubstr("\n           1.00k-1.00k IOPS (95 %, 3 runs)\n"));
}

TEST(Verdict, ARateIsToTheNanosecondAndAShortTimeInMilliseconds) {
  auto run = quiet();
  for (auto& d : run.jobs[0].dirs)
    if (d.ios > 0) d.runtime_ms = 101, d.runtime_ns = 100'600'000, d.ios = 2000;
  const auto text = verdict(run);
  EXPECT_THAT(text, HasSubstr(", 101 ms\n"));
  EXPECT_THAT(text, HasSubstr("\n  read     19.9k IOPS"));
}

TEST(Verdict, ARateOfSeveralJobsIsOverTheirWholeTime) {
  auto run = quiet();
  run.jobs.push_back(run.jobs[0]);
  const auto times = [&](std::size_t job, std::uint64_t begin_ns, std::uint64_t end_ns) {
    auto& dir = run.jobs[job].dirs[0];
    dir.begin_ns = begin_ns, dir.end_ns = end_ns;
    dir.runtime_ns = end_ns - begin_ns, dir.runtime_ms = dir.runtime_ns / 1'000'000;
  };
  times(0, 0, 1'000'000'000), times(1, 1'000'000'000, 2'000'000'000);
  EXPECT_THAT(verdict(run), HasSubstr("\n  read     1.00k IOPS, 3.91 MiB/s"));
  EXPECT_THAT(normal(run), HasSubstr("\n  rates of reads in group 0: over 2.00 s from the first start to the last end; "
                                     "fio's line divides by the longest run time, 1.00 s\n"));
  times(1, 0, 1'000'000'000);
  EXPECT_THAT(verdict(run), HasSubstr("\n  read     2.00k IOPS, 7.81 MiB/s"));
  EXPECT_THAT(normal(run), Not(HasSubstr("rates of reads")));
  run.jobs[0].dirs[0].runtime_ns = run.jobs[0].dirs[0].runtime_ms = 0;
  run.jobs[0].dirs[0].begin_ns = run.jobs[0].dirs[0].end_ns = std::nullopt;
  run.jobs.pop_back();
  EXPECT_THAT(verdict(run), HasSubstr("\n  read     rate not known: no run time"));
}

void pace(result::Direction& d) { d.intended_lat = latency_of({600'000'000}, d.ios); }

// Stalls of a second at 1,000 IOPS: what was served in 100 us had waited for 600 ms.
TEST(Verdict, OfAPacedJobTheLatencyIsFromTheIntendedStart) {
  auto run = quiet();
  pace(run.jobs[0].dirs[0]);
  const auto text = verdict(run);
  EXPECT_THAT(
      text,
      HasSubstr("\n  read     1.00k IOPS, 3.91 MiB/s\n           p50 600 ms, p99 600 ms from the intended start\n"));
  EXPECT_THAT(text, HasSubstr("\n  write    500 IOPS, 1.95 MiB/s; p50 96.8 us, p99 20.3 ms\n"))
      << "it has no rate to keep";
  expect_columns(text);
  repeat(run, "iops", "1/s", 950, 1050);
  repeat(run, "lat_p99", "ns", 90'000, 110'000);
  repeat(run, "intended_lat_p99", "ns", 590'000'000, 610'000'000);
  EXPECT_THAT(verdict(run), HasSubstr("950-1.05k IOPS, p99 590-610 ms (95 %, 5 runs)\n"));
}

TEST(Verdict, WhereOneJobIsPacedAndAnotherIsNotEachIoHasItsOwnLatency) {
  auto run = quiet();
  run.jobs.push_back(run.jobs[0]);
  for (auto& job : run.jobs) job.dirs[1] = {};
  pace(run.jobs[1].dirs[0]);
  EXPECT_THAT(verdict(run),
              HasSubstr("\n           p50 20.3 ms, p99 600 ms from the intended start (unpaced: submission)\n"));
  // The same two under group_reporting.
  auto sum = run;
  sum.group_members = run.jobs;
  sum.jobs.pop_back();
  auto& job = sum.jobs[0];
  job.members = 2;
  auto& d = job.dirs[0];
  d.ios *= 2, d.bytes *= 2;
  for (auto* latency : {&d.lat, &d.clat}) latency->moments_ns.merge(latency->moments_ns);
  d.intended_lat = run.jobs[1].dirs[0].intended_lat;
  EXPECT_THAT(verdict(sum),
              HasSubstr("\n           p50 20.3 ms, p99 600 ms from the intended start (unpaced: submission)\n"));
}

TEST(Verdict, SaysWhereAnotherProgramsResultLeavesTheWaitOut) {
  auto run = quiet();
  run.jobs[0].rate.paced = true;
  EXPECT_THAT(verdict(run),
              HasSubstr("\n           p50 96.8 us, p99 20.3 ms from the submission (no intended start)\n"));
}

TEST(Verdict, FsyncsHaveARow) {
  auto run = quiet();
  auto& job = run.jobs[0];
  job.sync_ios = 250;
  job.sync_lat = latency_of({2'000'000}, 250);
  EXPECT_THAT(verdict(run), HasSubstr("\n  sync     250 per second; p50 2.00 ms, p99 2.00 ms\n"));
  run.jobs.push_back(job);
  EXPECT_THAT(verdict(run), HasSubstr("\n  sync     500 per second; "));
  run.jobs[1].group_id = 1;
  EXPECT_THAT(verdict(run), HasSubstr("\n  t sync   250 per second; "));
}

TEST(Verdict, OfASumOfJobsTheTimeIsThatOfOne) {
  auto run = quiet();
  run.jobs[0].members = 4;
  run.jobs[0].job_runtime_ms = 4000;
  EXPECT_THAT(verdict(run), HasSubstr(", 4 jobs, /tmp/t.0.0, 1 s\n"));
}

TEST(Verdict, IsOfFathomsOwnReportsOnly) {
  auto run = quiet();
  EXPECT_EQ(normal(run), verdict(run) + preamble(run) + results(run));
  EXPECT_EQ(report_again_in({}, run), verdict(run) + results(run));
  run.program.fio_mode = true;
  EXPECT_EQ(normal(run), preamble(run) + results(run));
}

TEST(Verdict, AloneIsTheFormatBrief) {
  auto run = quiet();
  run.jobs[0].engine = "a\nb";
  EXPECT_EQ(brief(run), opening(run));
  EXPECT_THAT(brief(run), HasSubstr("4 KiB, a\\nb, iodepth"));
  run.program.fio_mode = true;
  EXPECT_THAT(brief(run), StartsWith("  measured "));
}

TEST(Verdict, OfNothingThereIsNone) {
  auto run = quiet();
  for (auto& d : run.jobs[0].dirs) d = {};
  EXPECT_EQ(verdict(run), "");
}

}  // namespace
}  // namespace fathom::report::headline
