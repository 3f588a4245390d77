// The walk over a run. Facts that are the same in all jobs are written once.
#include "report/fathom_json.h"

#include <algorithm>

#include "report/parts/json_fields.h"

namespace fathom::report {
void parts::JsonFields::every_job(const result::Run& run) {
  same_in_all_ = false;
  if (run.jobs.empty()) return;
  const auto text = [&](const result::Job& job) {
    parts::JsonWriter w;
    parts::JsonFields fields(w, exact_);
    w.begin_object();
    walk_common(fields, job);
    w.end_object();
    return w.take();
  };
  const std::string first = text(run.jobs[0]);
  const auto same = [&](const std::vector<result::Job>& jobs) {
    return std::all_of(jobs.begin(), jobs.end(), [&](const result::Job& job) { return text(job) == first; });
  };
  if (!same(run.jobs) || !same(run.group_members)) return;
  group(result::kEveryJob, [&](JsonFields& in) { walk_common(in, run.jobs[0]); });
  same_in_all_ = true;
}

void write_fathom(parts::JsonWriter& w, const result::Run& run) {
  parts::JsonFields fields(w, true);
  w.begin_object("fathom");
  walk(fields, run);
  w.end_object();
}

}  // namespace fathom::report
