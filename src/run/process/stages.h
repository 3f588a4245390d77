// The stages of a run: jobs of a stage start together, and the next stonewall ends it. Also: the effect of earlier jobs
// on a job's files.
#pragma once
#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "run/files/targets.h"

namespace fathom::run::process {

// The first job of a stage; before: the job before it in the text.
inline bool begins_stage(const job::Job& job, const job::Job& before) {
  return job.stonewall && job.section != before.section;
}

// One past the last plan that starts together with `first`.
inline std::size_t stage_end(const std::vector<files::Plan>& plans, std::size_t first) {
  std::size_t i = first + 1;
  while (i < plans.size() && !begins_stage(plans[i].job, plans[i - 1].job)) ++i;
  return i;
}

// The unique name of a file, independent of links to it and of whether it exists.
std::string own_name(const std::string& path);

// The jobs in the order of the job file. As in fio, each job lays out its files before the next one is considered,
// whether or not they start together.
class EarlierJobs {
 public:
  // Call it before the job is planned.
  void next(const job::Job& job);
  files::MadeBefore of(const std::string& path) const;
  // Call it when the job is planned.
  void add(const files::Plan& plan);

 private:
  struct Made {
    std::uint64_t size = 0;
    bool writes = false, removes = false, open_ended = false;
    int section = 0;
    std::size_t stage = 0;
  };
  bool is_over(const Made& made) const { return made.stage < stage_ || over_.contains(made.section); }
  std::map<std::string, std::vector<Made>> made_;  // by own_name()
  std::map<int, std::set<int>> waits_;             // by section: the sections that have ended when it begins (wait_for)
  std::set<int> over_;
  int section_ = -1;
  std::size_t stage_ = 0;
};

}  // namespace fathom::run::process
