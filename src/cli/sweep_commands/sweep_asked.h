// The command line of `fathom sweep`, and the plan made from it after the job was read. The job parser checks every
// point first, so that an error in the last of fifty is reported before the first run.
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
  std::vector<std::string> words;         // arguments of `fathom run`, for every run, before those of its point
  std::vector<std::string> named;         // what identifies this sweep
  sweep::JobFacts facts;                  // over its points: the longest, the most
  bool seeds = false, sim_seeds = false;  // each run gets its own randseed, sim_seed
};

std::span<const options::Group> sweep_options();
// Errors: usage, with the place if the job has one.
base::Expected<SweepPlan> plan_of(const SweepAsked& given, const std::vector<std::string>& arguments);
// Arguments for a run of that point, except the destination of its report.
std::vector<std::string> words_of(const SweepPlan& plan, const sweep::Step& step, std::uint64_t randseed);
// Arguments of runs that together use each value of each axis once.
std::vector<std::vector<std::string>> words_of_values(const SweepPlan& plan);
// The command that would run the loads missing from this sweep's answer, with a new results directory and otherwise the
// same arguments. next.longer: four times the runtime, or the repetitions if the runtime is unknown.
std::string command_for(const sweep::Next& next, const SweepAsked& given, const SweepPlan& plan);
// The announcement before the sweep: how many runs, how long, what they write. One sentence per line.
std::vector<std::string> told_before(const SweepPlan& plan, std::size_t runs);

}  // namespace fathom::cli::sweep_commands
