// What fio says before it starts.
#include <fmt/format.h>

#include <algorithm>

#include "report/derived.h"
#include "report/normal.h"
#include "report/numbers.h"
#include "report/shown.h"

namespace fathom::report {
namespace {

std::string block_sizes(const result::Job& job) {
  constexpr char kLetters[] = {'R', 'W', 'T'};
  std::string out;
  for (std::size_t i = 0; i < result::kDirs; ++i) {
    const auto text = [](std::uint64_t bytes) {
      return bytes == 0 ? "?" : scaled(bytes, kRateDigits, Base::k1024, "B");  // 0: an older file does not say it
    };
    out += fmt::format("{}({}) {}-{}", i == 0 ? "" : ", ", kLetters[i], text(job.bs_min[i]), text(job.bs_max[i]));
  }
  return out;
}

std::string counted(std::size_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string starting(const std::vector<const result::Job*>& jobs) {
  std::size_t threads = 0;
  for (const auto* job : jobs) threads += job->thread ? 1 : 0;
  const std::size_t processes = jobs.size() - threads;
  std::string out = "Starting ";
  if (threads > 0) out += counted(threads, "thread", "threads");
  if (threads > 0 && processes > 0) out += " and ";
  if (processes > 0) out += counted(processes, "process", "processes");
  return out + "\n";
}

bool asks_for(const std::vector<std::pair<std::string, std::string>>& options, const std::string& name) {
  return std::any_of(options.begin(), options.end(), [&](const auto& option) { return option.first == name; });
}

// exec_prerun, exec_postrun: a line for each job. One that was left out has no postrun.
std::string commands(const result::Run& run, const std::vector<const result::Job*>& jobs) {
  std::string out;
  for (const std::string which : {"prerun", "postrun"})
    for (const auto* job : jobs) {
      const bool left_out = std::any_of(run.findings.begin(), run.findings.end(), [&](const auto& finding) {
        return finding.id == "run.left_out" && finding.job == job->name;
      });
      const std::string option = "exec_" + which;
      if (!asks_for(job->options, option) && !asks_for(run.global_options, option)) continue;
      if (which == "prerun" || !left_out)
        out += fmt::format("{0} : Saving output of {1} in {0}.{1}.txt\n", job->name, which);
    }
  return out;
}

bool clones(const result::Job& a, const result::Job& b) { return a.section == b.section && a.name == b.name; }

}  // namespace

std::string preamble(const result::Run& as_it_is) {
  const auto run = shown(as_it_is);
  const auto jobs = single_jobs(run);
  std::string out;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& job = *jobs[i];
    if (i > 0 && clones(*jobs[i - 1], job)) {
      const bool second = i == 1 || !clones(*jobs[i - 2], job);
      if (second) out += "...\n";
      continue;
    }
    out += fmt::format("{}: (g={}): rw={}, bs={}, ioengine={}, iodepth={}\n", job.name, job.group_id, job.rw,
                       block_sizes(job), job.engine, job.iodepth);
  }
  const auto& program = run.program;
  out += fmt::format("{}\n{} {} (commit {})\n", program.fio_version, program.name, program.version, program.commit);
  out += starting(jobs);
  for (const auto& l : run.layouts)
    out += l.files == 1
               ? fmt::format("{}: Laying out IO file (1 file / {}MiB)\n", l.job, l.bytes >> 20)
               : fmt::format("{}: Laying out IO files ({} files / total {}MiB)\n", l.job, l.files, l.bytes >> 20);
  return out + commands(run, jobs);
}

}  // namespace fathom::report
