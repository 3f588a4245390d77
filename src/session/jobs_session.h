// State that the jobs of one command share from the plan to the report. Thread rule: the main thread.
#pragma once
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "audit/act_hours.h"
#include "audit/machine/build_checks.h"
#include "host/guards/guard.h"
#include "host/placement/placement.h"
#include "job/command.h"
#include "result/result.h"
#include "run/process/clock_choice.h"
#include "run/runner.h"
#include "session/jobs.h"
#include "witness/run_split.h"
#include "witness/run_witnesses.h"

namespace fathom::session {

// Objects that take long to close. They stay open until the report is written, or until the next repetition begins:
// without the latter, each repetition would hold a descriptor for every event and CPU.
struct OpenUntilReported {
  std::unique_ptr<witness::RunSplit> split;  // null without --breakdown
  witness::Witnesses witnesses;
};

struct PreparedJobs::State {
  State(const JobsRequest& asked, std::vector<run::files::Plan> planned);
  ~State();  // shuts down the controllers that planning opened
  State(const State&) = delete;

  const JobsRequest request;
  const std::vector<run::files::Plan> plans;
  host::placement::Placements placements;  // found for the guard, and used for all later placement queries
  host::guards::WriteGuard guard;
  OpenUntilReported open;
  std::optional<audit::ActHours> act;  // profile=act
};

struct JobsSession {
  const job::Command& command;
  const result::Program& program;
  const audit::machine::BuildFacts& build;
  const std::vector<run::files::Plan>& plans;
  host::placement::Placements& placements;
  const host::guards::WriteGuard& guard;
  OpenUntilReported& open;
  std::optional<audit::ActHours>& act;
  const run::process::RunClocks& clocks;
  const Listener& listener;
  std::atomic<std::uint32_t>& stop;
  std::vector<result::WatcherCost> watching = {};  // --cost
};

}  // namespace fathom::session
