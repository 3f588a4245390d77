// Builds jobs from sections: applies options to a draft, completes and checks the draft, then multiplies it by numjobs
// and assigns a group. It collects unsupported options, so that one pass over a job file reports all of them.
#pragma once
#include <string>
#include <vector>

#include "job/command.h"
#include "job/draft.h"
#include "job/section.h"

namespace fathom::job {

inline constexpr std::size_t kMostJobs = 4096;  // fio's limit, regardless of --max-jobs

// Rules of the command line for all jobs.
struct BuildRules {
  bool readonly = false;
  bool fio_stamps = false;
  std::vector<std::string> sections;  // empty: all
  std::string aux_path;
};

class Builder {
 public:
  Builder(const Environment& env, BuildRules rules) : env_(env), rules_(std::move(rules)) {}

  base::Expected<void> add(const Section& section);
  // Starts a further job file: [global] is empty again, and its first job waits for everything before it.
  void next_file();
  // After the last section: returns all unsupported options as one Error.
  base::Expected<void> finish();
  // Returns all unsupported options so far, followed by another mistake.
  base::Error failed(base::Error mistake);

  JobSet take_jobs();
  std::vector<std::string> take_debug_lines() { return std::move(debug_); }
  std::vector<values::Difference> take_departures() { return std::move(departures_); }
  // The first --section name that no job has; empty: all were found.
  std::string missing_section() const;

 private:
  base::Expected<void> apply_all(Draft& draft, const std::vector<Assignment>& options);
  base::Expected<void> apply(Draft& draft, const Assignment& a);
  base::Expected<void> add_section(const Section& section);
  base::Expected<void> add_job(const Section& section);
  void check_neutral(const Draft& draft);
  void keep(const base::Error& not_built);
  base::Expected<void> expand(const Draft& draft, const Assignment& place);

  const Environment& env_;
  BuildRules rules_;
  Draft global_;
  JobSet set_;
  std::vector<base::Error> not_built_;
  std::vector<std::string> debug_;
  std::vector<values::Difference> departures_;  // written options with less effect than in fio
  std::vector<std::string> met_;
  int sections_ = 0, group_ = 0;
  bool group_used_ = false, file_stonewall_ = false;
};

}  // namespace fathom::job
