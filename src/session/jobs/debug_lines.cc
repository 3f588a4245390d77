// The lines of --debug= that are known before the run.
#include "session/jobs/debug_lines.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <utility>

#include "base/prng.h"
#include "job/fields/steady.h"
#include "workload/seed.h"

namespace fathom::session::jobs {
namespace {

std::string line(const char* category, const std::string& text) {
  return fmt::format("{:<8} {:<5} {}\n", category, ::getpid(), text);
}

// fio prints the seeds of its 24 streams. fathom derives the seeds of a job's streams one after the other from the seed
// of the job, which is the first one here: mix of directions, then one per file (workload/stream.cc).
constexpr int kShownSeeds = 24;

std::string random_lines(job::Command& command) {
  std::string out = line("random", fmt::format("FIO_RAND_NR_OFFS={}", kShownSeeds));
  auto& jobs = command.jobs.jobs;
  for (std::uint32_t i = 0; i < jobs.size(); ++i) {
    if (!command.debug_jobs.empty() &&
        std::find(command.debug_jobs.begin(), command.debug_jobs.end(), i) == command.debug_jobs.end())
      continue;
    auto& job = jobs[i];
    if (!job.randrepeat && job.randseed == 0) job.randseed = workload::job_seed(job, i) | 1;
    std::uint64_t state = workload::job_seed(job, i), seed = state;
    for (int stream = 0; stream < kShownSeeds; ++stream, seed = base::splitmix64(state))
      out += line("random", fmt::format("rand_seeds[{}]={}", stream, seed));
  }
  return out;
}

// fio's words, which fio prints under `parse`.
std::string limit_of(const job::fields::Steady& rule) {
  if (rule.percent) return fmt::format("set steady state threshold to {:f}%", rule.limit);
  if (rule.of == job::fields::SteadyOf::iops) return fmt::format("set steady state IOPS threshold to {:f}", rule.limit);
  const auto whole = static_cast<long long>(rule.limit);
  if (rule.of == job::fields::SteadyOf::bw) return fmt::format("set steady state BW threshold to {}", whole);
  return fmt::format("set steady state latency threshold to {} nsec", whole);
}

// One line for each section with steadystate=.
std::string steady_lines(const job::Command& command, const char* category) {
  const auto named = [](const auto& options) {
    return std::any_of(options.begin(), options.end(),
                       [](const auto& option) { return option.first == "steadystate"; });
  };
  std::string out;
  int section = -1;
  for (const auto& job : command.jobs.jobs) {
    if (job.section == section) continue;
    section = job.section;
    if (named(job.echo) || named(command.jobs.global_echo))
      out += line(category, limit_of(job.of<job::fields::Steady>()));
  }
  return out;
}

}  // namespace

bool debugs(const job::Command& command, const char* category) {
  const auto& all = command.debug;
  return std::any_of(all.begin(), all.end(), [&](const auto& c) { return c == category || c == "all"; });
}

DebugLines debug_lines(job::Command& command, bool fio_mode) {
  DebugLines all;
  for (const auto& category : command.debug)
    if (fio_mode) all.choice += fmt::format("fio: set debug option {}\n", category);
  for (const auto job : command.debug_jobs)
    if (fio_mode) all.choice += fmt::format("fio: set debug jobno {}\n", job);
  std::string& out = all.facts;
  for (const auto& text : command.debug_lines) out += fio_mode ? line("parse", text) : text + "\n";
  for (const char* category : {"parse", "steadystate"})
    if (debugs(command, category)) {
      out += steady_lines(command, category);
      break;
    }
  if (debugs(command, "random")) out += random_lines(command);
  return all;
}

}  // namespace fathom::session::jobs
