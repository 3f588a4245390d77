// The walk over a run, and what is said once for all of its jobs.
#include "report/fathom_json.h"

#include <algorithm>

#include "report/parts/json_fields.h"

namespace fathom::report {
void parts::JsonFields::every_job(const result::Run& run) {
  same_in_all_ = false;
  if (schema_ == 7 || run.jobs.empty()) return;
  const auto text = [&](const char* list, const result::Job& job) {
    parts::JsonWriter w;
    parts::JsonFields fields(w, schema_, true);
    fields.lacks_ = lacks_, fields.path_ = path_;
    const result::KeyPath::Inside inside(fields.path_, list, true);
    w.begin_object();
    walk_common(fields, job);
    w.end_object();
    return w.take();
  };
  const std::string first = text("jobs", run.jobs[0]);
  const auto same = [&](const char* list, const std::vector<result::Job>& jobs) {
    return std::all_of(jobs.begin(), jobs.end(), [&](const result::Job& job) { return text(list, job) == first; });
  };
  if (!same("jobs", run.jobs) || !same("group_members", run.group_members)) return;
  w_.begin_object(result::kEveryJob.name);
  {
    const result::KeyPath::Inside inside(path_, "jobs", true);
    walk_common(*this, run.jobs[0]);
  }
  w_.end_object();
  same_in_all_ = true;
}

void parts::JsonFields::jobs(const result::Key& key, const std::vector<result::Job>& jobs, result::Whose whose) {
  const Detail outer = detail_;
  if (whose != result::Whose::reported) detail_ = {true, detail_.histograms, false};
  list(key, "job", jobs);
  detail_ = outer;
}

void write_fathom(parts::JsonWriter& w, const result::Run& run, bool bins) {
  parts::JsonFields fields(w, run.schema_version, bins, run.lacks);
  w.begin_object("fathom");
  walk(fields, run);
  w.end_object();
}

}  // namespace fathom::report
