// What a command's result holds beside what was measured: whose it is, and each finding once.
#include "session/paging_command.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "base/system/shared_memory.h"

namespace fathom::session {
namespace {

TEST(PagingCommand, WhatComesBackIsComplete) {
  PagingListener listener;
  listener.on_state = [](const std::string&) {};
  listener.on_measured = [] {};
  listener.progress = [](double, const std::string&) { return std::function<void(const paging::Progress&)>(); };
  CheckedPaging checked{paging_job::Action::run, {}, {}};
  auto& request = checked.request;
  request.plan.region.map_bytes = request.plan.region.set_bytes = std::uint64_t{1} << 20;
  request.plan.duration_s = 0.05;
  request.pressure.swap.kind = paging::SwapPlan::Kind::none;
  request.audit = false;
  request.quiet = true;
  request.shown_shape = 1.5;
  checked.findings = {{"of.the_line", result::Severity::note, "", "said", ""},
                      {"of.the_line", result::Severity::note, "", "said", ""}};
  PagingOrigin origin;
  origin.program.argv = {"paging", "--map=1M"};
  base::system::SharedArray<std::atomic<std::uint32_t>> stop(1);
  PagingSession session{{}, listener, stop[0], {}};
  const auto run = measure_as_asked(checked, origin, session);
  ASSERT_TRUE(run.ok()) << run.error().what;
  EXPECT_EQ(run->program.argv, origin.program.argv);
  EXPECT_FALSE(run->run_id.empty());
  EXPECT_EQ(run->time_epoch_ms, run->paging->start_epoch_ms);
  EXPECT_EQ(
      std::count_if(run->findings.begin(), run->findings.end(), [](const auto& f) { return f.id == "of.the_line"; }),
      1);
  EXPECT_TRUE(run->paging->quiet);
  EXPECT_EQ(run->paging->shape, 1.5);
  EXPECT_FALSE(run->paging->clock.stamps.empty());
}

}  // namespace
}  // namespace fathom::session
