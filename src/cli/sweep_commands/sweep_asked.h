// What `fathom sweep` is asked for on its command line, and what that makes of it once the job has been read: every point
// is tried on the job's own reader first, so that a mistake in the last of fifty is told before the first is run.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "job/command.h"
#include "options/live.h"
#include "options/manual.h"
#include "sweep/job_facts.h"
#include "sweep/next.h"
#include "sweep/sweep.h"

namespace fathom::cli::sweep_commands {

struct SweepAsked {
  std::vector<std::string> over, set, run_options;
  std::string slo, metric, steady, results = "sweep-results", output, report, formats = "text";
  std::vector<options::Live> live;
  job::Eta eta = job::Eta::automatic;
  std::uint64_t repeat = 3, refine = 2;
  double width_percent = 3;
  bool plot = true, dry_run = false, force = false;
};

struct SweepPlan {
  std::string job;
  sweep::Asked asked;
  std::vector<std::string> words;         // of `fathom run`, for every run, before those of its point
  std::vector<std::string> named;         // what makes it this sweep and no other
  sweep::JobFacts facts;                  // of its points: the longest, the most
  bool seeds = false, sim_seeds = false;  // each run is given a randseed, a sim_seed of its own
};

std::span<const options::Group> sweep_options();
// Errors: usage, with the place where the job has one.
base::Expected<SweepPlan> plan_of(const SweepAsked& given, const std::vector<std::string>& arguments);
// What a run of that point is started with, beside where its report goes.
std::vector<std::string> words_of(const SweepPlan& plan, const sweep::Step& step, std::uint64_t randseed);
// Words of runs in which each value of each axis is there once.
std::vector<std::vector<std::string>> words_of_values(const SweepPlan& plan);
// What would try the loads that this sweep's answer is missing, with new results; the same words besides.
std::string command_for(const sweep::Next& next, const SweepAsked& given, const SweepPlan& plan);
std::string minutes_text(double seconds);  // "45 s", "7 min", "1.5 h"; rounded up
// What is going to happen, before it does: how many runs, how long, what they write. One sentence a line.
std::vector<std::string> told_before(const SweepPlan& plan, std::size_t runs);

}  // namespace fathom::cli::sweep_commands
