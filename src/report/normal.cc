// The order of the text: what a reader of fio's report expects, line for line, then ours.
#include "report/normal.h"

#include <fmt/format.h>

#include "report/formats.h"
#include "report/normal_parts.h"
#include "report/shown.h"

namespace fathom::report {

std::string results(const result::Run& as_it_is) {
  const auto run = shown(as_it_is);
  std::string out;
  for (const auto& error : run.errors) out += error.message + "\n";
  out += "\n";
  for (const auto& job : run.jobs)
    if (!job.reporting.hidden) out += job_block(run, job);
  for (const auto& group : run.groups) out += group_block(run, group);
  out += disk_block(run) + idleness_block(run);
  out += fathom_block(run);
  return out;
}

std::string normal(const result::Run& run) { return preamble(run) + results(run); }

}  // namespace fathom::report
