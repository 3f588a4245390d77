// An environment that lies in memory, and short ways to parse.
#pragma once
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "job/command.h"

namespace fathom::job {

struct World {
  std::map<std::string, std::string> files, variables;
  Environment env() const {
    Environment e;
    e.getenv = [v = variables](const std::string& name) -> std::optional<std::string> {
      const auto it = v.find(name);
      if (it == v.end()) return std::nullopt;
      return it->second;
    };
    e.read_file = [f = files](const std::string& path) -> base::Expected<std::string> {
      const auto it = f.find(path);
      if (it != f.end()) return it->second;
      base::Error error = base::system_error("job file " + path, ENOENT);
      error.kind = base::ErrorKind::usage;
      return error;
    };
    e.ncpus = 4;
    e.memory_mib = 1000;
    return e;
  }
};

inline base::Expected<Command> command(const std::vector<std::string>& args, const World& world = {}) {
  return parse_command(args, world.env());
}

// The jobs of a command line or a text that must be right.
inline std::vector<Job> jobs(const std::vector<std::string>& args, const World& world = {}) {
  auto c = command(args, world);
  if (!c) {
    ADD_FAILURE() << c.error().what << " / " << c.error().cause;
    return {};
  }
  return c->jobs.jobs;
}
inline std::vector<Job> text_jobs(const std::string& text, const World& world = {}) {
  auto set = parse_job_text(text, "t.fio", world.env());
  if (!set) {
    ADD_FAILURE() << text << ": " << set.error().what << " / " << set.error().cause;
    return {};
  }
  return set->jobs;
}
// One job with these lines.
inline Job one_job(const std::string& lines, const World& world = {}) {
  const auto all = text_jobs("[a]\n" + lines + "\n", world);
  return all.empty() ? Job{} : all.front();
}
// What is said of one job with these lines, if anything is wrong with them.
inline std::string mistake(const std::string& lines) {
  auto set = parse_job_text("[a]\nsize=1m\n" + lines + "\n", "t.fio", World{}.env());
  return set ? "" : set.error().what + ": " + set.error().cause;
}

using Pairs = std::vector<std::pair<std::string, std::string>>;

}  // namespace fathom::job
