// The options of a job as the user wrote them: its own, and those of the [global] that holds for it. A job file may have
// several [global], and a run several job files, so the run's last one may belong to other jobs.
// Thread rule: pure functions, any thread.
#pragma once
#include <string>
#include <string_view>

#include "result/result.h"

namespace fathom::result {

inline const Options& globals_of(const Run& run, const Job& job) {
  return job.global_options ? *job.global_options : run.global_options;
}

// nullptr: not written. Of an option that was written twice, the last value.
inline const std::string* option_of(const Run& run, const Job& job, std::string_view name) {
  for (const auto* options : {&job.options, &globals_of(run, job)})
    for (auto option = options->rbegin(); option != options->rend(); ++option)
      if (option->first == name) return &option->second;
  return nullptr;
}

}  // namespace fathom::result
