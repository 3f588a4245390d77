// The walk over a run, and what is said once for all of its jobs.
#include "report/fathom_json.h"

#include <algorithm>

#include "report/json_fields.h"

namespace fathom::report {
namespace {

std::string common_text(const result::Job& job, int schema) {
  JsonWriter w;
  JsonFields fields(w, schema, true);
  w.begin_object();
  walk_common(fields, job);
  w.end_object();
  return w.take();
}

}  // namespace

void JsonFields::every_job(const result::Run& run) {
  same_in_all_ = false;
  if (schema_ == 7 || run.jobs.empty()) return;
  const std::string first = common_text(run.jobs[0], schema_);
  const auto same = [&](const result::Job& job) { return common_text(job, schema_) == first; };
  if (!std::all_of(run.jobs.begin(), run.jobs.end(), same)) return;
  if (!std::all_of(run.group_members.begin(), run.group_members.end(), same)) return;
  w_.begin_object(result::kEveryJob.name);
  {
    const result::KeyPath::Inside inside(path_, "jobs", true);
    walk_common(*this, run.jobs[0]);
  }
  w_.end_object();
  same_in_all_ = true;
}

void JsonFields::jobs(const result::Key& key, const std::vector<result::Job>& jobs, result::Whose whose) {
  const Detail outer = detail_;
  if (whose != result::Whose::reported) detail_ = {true, detail_.histograms, false};
  list(key, "job", jobs);
  detail_ = outer;
}

void write_fathom(JsonWriter& w, const result::Run& run, bool bins) {
  JsonFields fields(w, run.schema_version, bins, run.lacks);
  w.begin_object("fathom");
  walk(fields, run);
  w.end_object();
}

}  // namespace fathom::report
