// The exit status of `fathom paging`: what failed in any repetition is in it.
#include "cli/paging_commands/paging_report.h"

#include <gtest/gtest.h>

#include "cli/exit_codes.h"
#include "session/paging_run.h"

namespace fathom::cli::paging_commands {
namespace {

result::Run run_of(double accesses_per_s) {
  result::Run run;
  auto& p = run.paging.emplace();
  p.score.accesses_per_s = accesses_per_s;
  p.window_ns = 1'000'000'000;
  result::PagingThread thread;
  thread.accesses[0] = static_cast<std::uint64_t>(accesses_per_s);
  thread.wall_ns = p.window_ns;
  p.workers.push_back(thread);
  return run;
}

result::Run killed(result::Run run) {
  run.paging->workers[0].error = 12;
  run.findings.push_back({"paging.worker_killed", result::Severity::error, "", "killed", ""});
  return run;
}

TEST(PagingExitStatus, OfARepetitionThatWasKilled) {
  EXPECT_EQ(paging_exit_status(session::summarize_paging({run_of(100), killed(run_of(9000)), run_of(300)})), kIoError);
  EXPECT_EQ(paging_exit_status(session::summarize_paging({killed(run_of(100)), killed(run_of(300))})), kIoError);
}

TEST(PagingExitStatus, OfARepetitionThatWasNotRestored) {
  auto one = run_of(100), two = run_of(200), three = run_of(300);
  EXPECT_EQ(paging_exit_status(session::summarize_paging({one, two, three})), kOk);
  three.findings.push_back({"paging.not_restored", result::Severity::error, "", "swap", ""});
  EXPECT_EQ(paging_exit_status(session::summarize_paging({one, two, three})), kIoError);
}

TEST(PagingExitStatus, OfARepetitionThatCouldNotBeMade) {
  auto run = run_of(100);
  EXPECT_EQ(paging_exit_status(run), kOk);
  run.findings.push_back({"paging.repetition_failed", result::Severity::error, "", "no zram", ""});
  EXPECT_EQ(paging_exit_status(run), kIoError);
  run.interrupted = true;
  EXPECT_EQ(paging_exit_status(run), kInterrupted);
}

}  // namespace
}  // namespace fathom::cli::paging_commands
