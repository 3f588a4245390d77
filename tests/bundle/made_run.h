// The result that a run of a command line would have, as far as its jobs are described (run/outcome/collect.cc).
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <vector>

#include "job/command.h"
#include "result/result.h"

namespace fathom::bundle {

using Files = std::map<std::string, std::string>;

inline job::Environment environment_with(const Files& files) {
  job::Environment env;
  env.getenv = [](const std::string& name) {
    return name == "HERE" ? std::optional<std::string>("x.dat") : std::nullopt;
  };
  env.read_file = [files](const std::string& path) -> base::Expected<std::string> {
    const auto found = files.find(path);
    if (found != files.end()) return found->second;
    return base::Error{.what = "no file " + path};
  };
  return env;
}

inline job::JobSet jobs_of(const std::vector<std::string>& args, const Files& files = {}) {
  auto command = job::parse_command(args, environment_with(files));
  EXPECT_TRUE(command.ok()) << command.error().what << "; " << command.error().cause;
  return command ? command->jobs : job::JobSet();
}

inline result::Run run_of(const job::JobSet& jobs) {
  result::Run run;
  run.run_id = "00000000-0000-4000-8000-000000000000";
  run.program.version = "0.1.0";
  run.program.argv = {"a.fio"};
  run.global_options = jobs.global_echo;
  for (const auto& job : jobs.jobs) {
    auto& out = run.jobs.emplace_back();
    out.name = job.name;
    if (job.section_name != job.name) out.section_name = job.section_name;
    out.options = job.echo;
    out.global_options = job.own_global_echo;
    out.section = job.section;
    out.group_id = job.group_id;
  }
  return run;
}

}  // namespace fathom::bundle
