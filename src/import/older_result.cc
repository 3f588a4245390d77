// Until schema 7 fathom's half had what fio has no place for, and no more: options, CPU time, depths, samples, and in
// plain json the latencies stood in fio's half alone. So fio's half is read for what fathom's lacks. The rest of what a
// newer file says follows from what there is (a run time in ms, the number of calls behind the shares of depths, the
// section of a job), or it is not known: then its path stays in JsonDocument::lacking(), is null in a new file and
// named in a finding. A histogram cannot be made from percentiles; these are kept as they are.
#include "import/older_result.h"

#include <algorithm>

#include "import/older_parts.h"
#include "stats/repeat.h"

namespace fathom::import {
namespace {

using result::Direction;
using result::Job;
using result::kDirs;

// Parts of a run of jobs that are in its file or not by what it was, and the schema that brought them.
constexpr struct {
  const char* path;
  int since;
} kParts[] = {{"audit", 4},
              {"end_epoch_ms", 7},
              {"jobs[].own_cost", 2},
              {"jobs[].process_io", 4},
              {"jobs[].read/write/trim.start_delay", 2}};

// Clones stand one after the other, with the same options.
void number_sections(Filled& fill, std::vector<Job>& jobs) {
  if (!fill.wants("section")) return;
  for (std::size_t i = 1; i < jobs.size(); ++i)
    jobs[i].section =
        jobs[i - 1].section + (jobs[i].name == jobs[i - 1].name && jobs[i].options == jobs[i - 1].options ? 0 : 1);
  fill.mark("section", true);
}

std::uint64_t rounded_ms(std::uint64_t ns) {
  return ns == 0 ? 0 : std::max<std::uint64_t>(1, ns / 1'000'000 + (ns % 1'000'000 >= 500'000 ? 1 : 0));
}

// What of a job's queue pairs follows: they counted all that was completed.
void count_queue(Filled& fill, Job& job) {
  if (!job.queue) return;
  const result::KeyPath::Inside inside(fill.in().path(), "queue", false);
  std::uint64_t ios = job.sync_ios;
  for (const auto& dir : job.dirs) ios += dir.ios + dir.error_ios;
  fill.set("ios", job.queue->ios, ios);
}

// What another job of the same section says.
void take_of_section(Filled& fill, Job& job, const Job& of) {
  count_queue(fill, job);
  const bool same = job.name == of.name;
  fill.set("percentile_list", job.percentile_list, of.percentile_list);
  fill.set("slat_percentiles", job.slat_percentiles, of.slat_percentiles);
  fill.set("clat_percentiles", job.clat_percentiles, of.clat_percentiles);
  fill.set("lat_percentiles", job.lat_percentiles, of.lat_percentiles);
  fill.set("unified", job.unified, of.unified);
  fill.set("has_slat", job.has_slat, of.has_slat);
  if (same && fill.wants("options")) job.options = of.options;
  if (same && fill.wants("description")) job.description = of.description;
  if (same && fill.wants("section")) job.section = of.section;
  if (same && fill.wants("bs_min_bytes")) {
    std::copy(std::begin(of.bs_min), std::end(of.bs_min), std::begin(job.bs_min));
    std::copy(std::begin(of.bs_max), std::end(of.bs_max), std::begin(job.bs_max));
  }
  for (const char* key : {"options", "description", "section"}) fill.mark(key, same);
  for (const char* key : {"bs_min_bytes", "bs_max_bytes"}) fill.mark(key, same && of.bs_max[0] > 0);
  for (std::size_t d = 0; d < kDirs; ++d) {
    const result::KeyPath::Inside inside(fill.in().path(), result::kDirKeys[d], false);
    if (job.dirs[d] != Direction{}) fill.set("runtime_ms", job.dirs[d].runtime_ms, rounded_ms(job.dirs[d].runtime_ns));
  }
}

void take_members(Filled& fill, const std::vector<Job>& sums, std::vector<Job>& members) {
  const result::KeyPath::Inside inside(fill.in().path(), "group_members", true);
  std::size_t next = 0;
  for (const auto& sum : sums)
    for (int i = 0; sum.members > 1 && i < sum.members && next < members.size(); ++i)
      take_of_section(fill, members[next++], sum);
}

void take_repetitions(Filled& fill, result::Run& run) {
  const result::KeyPath::Inside inside(fill.in().path(), "repetitions", true);
  fill.mark("shown", true);  // none was left out
  for (auto& repetition : run.repetitions) {
    {
      const result::KeyPath::Inside jobs(fill.in().path(), "jobs", true);
      for (std::size_t i = 0; i < std::min(repetition.jobs.size(), run.jobs.size()); ++i)
        take_of_section(fill, repetition.jobs[i], run.jobs[i]);
    }
    take_members(fill, repetition.jobs, repetition.group_members);
    fill.set("global_options", repetition.global_options, run.global_options);
  }
}

void take_jobs(Filled& fill, const JsonNode& document, result::Run& run) {
  const auto* jobs = document.member("jobs");
  if (run.jobs.empty()) return;
  if (!jobs || jobs->children.size() != run.jobs.size())
    return fill.in().fail(
        jobs ? *jobs : document,
        fmt::format("fio's half has {} jobs, fathom's {}", jobs ? jobs->children.size() : 0, run.jobs.size()),
        "a damaged file");
  const result::KeyPath::Inside inside(fill.in().path(), "jobs", true);
  for (std::size_t i = 0; i < run.jobs.size(); ++i) {
    take_fio_job(fill, jobs->children[i], run, run.jobs[i]);
    count_queue(fill, run.jobs[i]);
  }
  number_sections(fill, run.jobs);
}

// "layouts, run_id; jobs[]: clock (13 keys), delivery": what members of a group lack as their jobs do is said once.
std::string lacking_text(const std::vector<std::string>& lacks) {
  constexpr std::size_t kMostNamed = 3;
  std::map<std::string, std::map<std::string, std::vector<std::string>>> parts;
  const std::set<std::string> all(lacks.begin(), lacks.end());
  for (const auto& path : lacks) {
    const auto list = path.rfind("[].");
    const auto begin = list == path.npos ? 0 : list + 3;
    const auto owner = path.substr(0, begin == 0 ? 0 : begin - 1), name = path.substr(begin);
    const bool said = owner != "jobs[]" && !owner.empty() && all.contains("jobs[]." + name);
    if (!said && !name.ends_with(".histogram_ns")) parts[owner][name.substr(0, name.find('.'))].push_back(name);
  }
  std::string text;
  for (const auto& [owner, objects] : parts) {
    std::vector<std::string> names;
    for (const auto& [object, keys] : objects)
      if (keys.size() <= kMostNamed)
        names.insert(names.end(), keys.begin(), keys.end());
      else
        names.push_back(fmt::format("{} ({} keys)", object, keys.size()));
    text += fmt::format("{}{}{}{}", text.empty() ? "" : "; ", owner, owner.empty() ? "" : ": ", fmt::join(names, ", "));
  }
  return text;
}

// Of two values there was an interval, of which nothing is known: their range is.
void set_ranges(std::vector<result::RepeatedMetric>& metrics) {
  for (auto& metric : metrics) {
    if (metric.values.empty() || metric.values.size() >= stats::kFewestForInterval) continue;
    const auto [low, high] = std::minmax_element(metric.values.begin(), metric.values.end());
    metric.ci95_low = *low, metric.ci95_high = *high;
  }
}

}  // namespace

void complete_older(JsonDocument& in, const JsonNode& document, result::Run& run) {
  for (const auto& part : kParts)
    if (in.schema() < part.since && !run.jobs.empty()) in.lacking().insert(part.path);
  Filled fill(in);
  take_fio_head(fill, document, run);
  take_jobs(fill, document, run);
  take_members(fill, run.jobs, run.group_members);
  take_repetitions(fill, run);
  set_ranges(run.repeated);
}

result::Finding older_finding(int schema, const result::Run& run) {
  constexpr std::string_view kHistogram = ".histogram_ns";
  const bool histograms = std::any_of(run.lacks.begin(), run.lacks.end(),
                                      [&](const std::string& path) { return path.ends_with(kHistogram); });
  const auto text = lacking_text(run.lacks);
  result::Finding finding;
  finding.id = "import.older_schema";
  finding.evidence = fmt::format("read from a result of schema {}, which has no {}{}", schema,
                                 text.empty() ? "more than is shown" : text,
                                 histograms ? "; of latencies it has percentiles and shares, but no histograms" : "");
  finding.remedy = "what it does not have is null in JSON, and texts are without it";
  return finding;
}

}  // namespace fathom::import
