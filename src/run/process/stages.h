// Which jobs start together: a stage lasts until the next stonewall. And what those that come before a job make of its
// files.
#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "run/files/targets.h"

namespace fathom::run::process {

// The first job of a stage; before: the one that is written before it.
inline bool begins_stage(const job::Job& job, const job::Job& before) {
  return job.stonewall && job.section != before.section;
}

// One past the last plan that starts together with `first`.
inline std::size_t stage_end(const std::vector<files::Plan>& plans, std::size_t first) {
  std::size_t i = first + 1;
  while (i < plans.size() && !begins_stage(plans[i].job, plans[i - 1].job)) ++i;
  return i;
}

// A file's one name, whatever links lead to it, whether it is there or not.
std::string own_name(const std::string& path);

// Jobs in the order of the file. As in fio each lays its files out before the next one is looked at, whether they start
// together or not.
class EarlierJobs {
 public:
  // Before the job is planned.
  void next(const job::Job& job);
  files::MadeBefore of(const std::string& path) const;
  // It is planned.
  void add(const files::Plan& plan);

 private:
  struct Made {
    std::uint64_t size = 0;
    bool writes = false, removes = false, open_ended = false;
    int section = 0;
    std::size_t stage = 0;
  };
  bool is_over(const Made& made) const { return made.stage < stage_ || over_.contains(made.section); }
  std::map<std::string, std::vector<Made>> made_;  // by the file's own name, whatever link leads to it
  std::map<int, std::set<int>> waits_;             // of each section: those that are over when it begins (wait_for)
  std::set<int> over_;
  int section_ = -1;
  std::size_t stage_ = 0;
};

}  // namespace fathom::run::process
