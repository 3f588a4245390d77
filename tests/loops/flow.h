// A whole run from job text, without the command line: parse, plan, run. For flows on the sim engine, whose answers are
// known.
#pragma once
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "base/system/shared_memory.h"
#include "engine/engine.h"
#include "job/command.h"
#include "loops/table.h"
#include "run/runner.h"

namespace fathom::loops {

inline constexpr std::uint64_t kMs = 1'000'000;

// How a job is done.
struct Way {
  const char* engine;
  int depth;
};

inline job::Environment test_environment() {
  job::Environment env;
  env.getenv = [](const std::string&) { return std::nullopt; };
  env.read_file = [](const std::string&) -> base::Expected<std::string> { return base::Error{}; };
  return env;
}

inline job::JobSet parse_jobs(const std::string& text) {
  auto jobs = job::parse_job_text(text, "flow.fio", test_environment());
  EXPECT_TRUE(jobs.ok()) << (jobs.ok() ? "" : jobs.error().what);
  return jobs.ok() ? *jobs : job::JobSet{};
}

struct FlowOptions {
  bool fio_stamps = false;
  std::uint32_t stop = 0;
  std::vector<base::Error>* said = nullptr;  // set-up errors, as they were told
};

inline result::Run run_text(const std::string& text, FlowOptions flow = {}) {
  auto jobs = parse_jobs(text);
  for (auto& job : jobs.jobs) job.fio_stamps = flow.fio_stamps;
  auto plans = run::plan_jobs(jobs);
  EXPECT_TRUE(plans.ok()) << (plans.ok() ? "" : plans.error().what + ": " + plans.error().cause);
  if (!plans.ok()) return {};
  base::system::SharedArray<std::atomic<std::uint32_t>> stop(1);
  stop[0].store(flow.stop);
  run::RunOptions options;
  options.find_loop = find_loop;
  options.stop = &stop[0];
  options.on_error = [&](const base::Error& error) {
    if (flow.said != nullptr) flow.said->push_back(error);
  };
  return run::run_jobs(*plans, jobs, options);
}

// In memory, where that can be: an fsync of a disk takes as long as whatever others have written to it.
inline std::string quick_folder() {
  std::string name = (::access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/var/tmp") + std::string("/fathom-flow-XXXXXX");
  EXPECT_NE(::mkdtemp(name.data()), nullptr);
  return name;
}

// One job a text, all at once, each on a file of its own: FILE0, FILE1 ...
inline std::vector<result::Job> run_sections(const std::string& common, const std::string& file,
                                             const std::vector<std::string>& texts) {
  std::string all = "[global]\n" + common;
  for (std::size_t i = 0; i < texts.size(); ++i) {
    const std::string number = std::to_string(i);
    all += "[v" + number + "]\nfilename=" + file + number + "\n" + texts[i] + "\n";
  }
  return run_text(all).jobs;
}

// Of its only job.
inline const result::Direction& reads(const result::Run& run) { return run.jobs.at(0).dirs[0]; }

}  // namespace fathom::loops
