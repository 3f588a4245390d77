// Sections to jobs: options are applied to a draft, the draft is completed and checked, then multiplied by numjobs and
// put in a group. What is not built is collected, so that one reading of a job file names all of it.
#pragma once
#include <string>
#include <vector>

#include "job/command.h"
#include "job/draft.h"
#include "job/section.h"

namespace fathom::job {

inline constexpr std::size_t kMostJobs = 4096;  // fio's limit, whatever --max-jobs says

// What the command line says about all jobs.
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
  // A further job file: [global] starts anew, and its first job waits for everything before it.
  void next_file();
  // After the last section: everything that is not built, as one Error.
  base::Expected<void> finish();
  // Another mistake, after everything that is not built so far.
  base::Error failed(base::Error mistake);

  JobSet take_jobs() { return std::move(set_); }
  std::vector<std::string> take_debug_lines() { return std::move(debug_); }
  std::vector<values::Difference> take_departures() { return std::move(departures_); }
  // The first of --section that no job has; empty if all were met.
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
  std::vector<values::Difference> departures_;  // of options that were written and count for less than in fio
  std::vector<std::string> met_;
  int sections_ = 0, group_ = 0;
  bool group_used_ = false, file_stonewall_ = false;
};

}  // namespace fathom::job
