// fathom's half of the document is read; from schema 8 on fio's half follows from it. Where the file has text around the document
// (several formats in one report), the document is what stands between a line that is "{" and one that is "}", as
// scripts cut it out.
#include "import/result_json.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "import/json_fields.h"
#include "import/json_tree.h"
#include "import/older_parts.h"
#include "result/findings/rows.h"
#include "result/stored.h"
#include "stats/repeat.h"

namespace fathom::import {
namespace {

// Documents (result/documents.h) from their JSON.

// The kind that its "format" names. Errors: usage, with file:line:column.
base::Expected<result::Stored> read_document(const JsonTree& tree, const JsonNode& format);

// What `fathom pmu stat -I` prints as JSON: a line an interval, and the document as the last line.
bool begins_with_interval(std::string_view text);
base::Expected<result::Stored> read_interval_lines(std::string_view text, const std::string& file_name);

using Read = base::Expected<result::Stored>;

template <class T>
base::Expected<T> read_fields(const JsonTree& tree) {
  JsonDocument in(tree, result::fields_of<T>());
  JsonReader reader(in, tree.root());
  T result;
  if (!in.failed()) walk(reader, result);
  if (in.failed()) return in.error();
  if (!in.lacking().empty())
    return tree.error(0, fmt::format("no \"{}\"", *in.lacking().begin()),
                      "a damaged file, or one that an older fathom wrote, which stored less");
  return result;
}

template <class T>
Read read(const JsonTree& tree) {
  for (const auto& child : tree.root().children)
    if (child.name == "format_version" && !(child.is(JsonNode::Kind::count) && child.count == result::kFormatVersion))
      return tree.error(child.offset, "a file of another format_version",
                        fmt::format("this fathom reads {}", result::kFormatVersion));
  auto result = read_fields<T>(tree);
  if (!result) return result.error();
  return result::Stored(std::move(*result));
}

// The alternatives behind the run.
template <std::size_t... I>
std::optional<Read> read_kind(const JsonTree& tree, std::string_view format, std::index_sequence<I...>) {
  std::optional<Read> found;
  const auto look = [&]<class T>(T*) {
    if (format == T::kFormat) found.emplace(read<T>(tree));
  };
  (look(static_cast<std::variant_alternative_t<I + 1, result::Stored>*>(nullptr)), ...);
  return found;
}

Read read_document(const JsonTree& tree, const JsonNode& format) {
  constexpr auto kKinds = std::make_index_sequence<std::variant_size_v<result::Stored> - 1>();
  if (auto found = read_kind(tree, format.text, kKinds)) return *std::move(found);
  return tree.error(format.offset, fmt::format("no format \"{:.40}\" of fathom", format.text),
                    "a damaged file, or one that something else or a newer fathom wrote");
}

bool begins_with_interval(std::string_view text) { return text.starts_with("{\"time_s\""); }

Read read_interval_lines(std::string_view text, const std::string& file_name) {
  std::vector<result::PmuIntervalRows> intervals;
  for (auto rest = text; !rest.empty();) {
    const std::string_view one = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(one.size() + 1, rest.size()));
    JsonTree tree(one, text, file_name);
    if (auto ok = tree.parse(); !ok) return ok.error();
    if (!begins_with_interval(one)) {
      auto stat = read_fields<result::PmuStat>(tree);
      if (!stat) return stat.error();
      stat->intervals = std::move(intervals);
      return result::Stored(std::move(*stat));
    }
    auto rows = read_fields<result::PmuIntervalRows>(tree);
    if (!rows) return rows.error();
    intervals.push_back(std::move(*rows));
  }
  return JsonTree(text.substr(0, 0), text, file_name)
      .error(0, "intervals, and not the whole run behind them", "the command was killed before it wrote its last line");
}

// What makes a result of schema 1 to 7 whole, as far as its file allows: see older_result.cc. Nothing of fathom's half
// is changed. What is filled in is no longer in.lacking(); mistakes are in.failed().

// `document`: the file; `run`: what fathom's half gave.
void complete_older(JsonDocument& in, const JsonNode& document, result::Run& run);
// The finding that names what is lacking still.
result::Finding older_finding(int schema, const result::Run& run);

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
  auto finding = result::findings::found(
      "import.older_schema", {.variant = histograms ? "histograms" : "",
                              .values = {{"schema", schema}, {"parts", text.empty() ? "more than is shown" : text}}});
  finding.values.clear();  // findings of such a result have none
  return finding;
}

constexpr int kOldestRead = 1;

std::string_view document_in(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] == '{') return text;
  const auto begin = text.find("\n{\n"), end = text.find("\n}\n");
  return begin == std::string_view::npos || end == std::string_view::npos || end < begin
             ? text
             : text.substr(begin + 1, end + 2 - begin);
}

constexpr const char* kWanted =
    "JSON of fathom, JSON, terse lines (3 to 5) and logs of fio, and XML of pmbench can be read";

base::Error no_result(const JsonTree& tree) {
  auto error = tree.error(0, "no result of fathom", "a JSON document without \"fathom\"");
  error.help = kWanted;
  return error;
}

base::Expected<int> schema_of(const JsonTree& tree, const JsonNode& fathom) {
  const auto* node = fathom.member("schema_version");
  if (!node || !node->is(JsonNode::Kind::count))
    return tree.error(fathom.offset, "no schema_version in \"fathom\"",
                      "a damaged file, or one that something else wrote");
  const auto read = fmt::format("this fathom reads schema {} to {}", kOldestRead, result::kSchemaVersion);
  if (node->count > result::kSchemaVersion)
    return tree.error(node->offset, fmt::format("a result of schema {}, newer than this program", node->count), read);
  if (node->count < kOldestRead)
    return tree.error(node->offset, fmt::format("a result of schema {}", node->count), read);
  return static_cast<int>(node->count);
}

// What a report computes with must be what a run can have.
void check(JsonDocument& in, const JsonNode& at, const result::Run& run) {
  constexpr int kMost = 1 << 20;
  if (run.paging) {
    const auto& paging = *run.paging;
    int most = std::max(paging.threads, paging.processes);
    for (const auto& worker : paging.workers) {
      most = std::max({most, worker.process, worker.thread});
      for (const int cpu : worker.cpus) most = std::max(most, cpu);
    }
    if (most > kMost)
      in.fail(at, fmt::format("a process, thread or CPU of number {}", most), fmt::format("at most {}", kMost));
    if (!(paging.read_percent >= -1 && paging.read_percent <= 100))
      in.fail(at, "\"read_percent\" is out of range", "0 to 100; absent of a trace");
    if (!(paging.duration_s >= 0)) in.fail(at, "\"duration_s\" is out of range", "from 0 on");
  }
  const auto rising = [](const result::Job& job) {
    return std::is_sorted(job.percentile_list.begin(), job.percentile_list.end()) &&
           std::all_of(job.percentile_list.begin(), job.percentile_list.end(),
                       [](double p) { return p > 0 && p <= 100; });
  };
  if (!std::all_of(run.jobs.begin(), run.jobs.end(), rising) ||
      !std::all_of(run.group_members.begin(), run.group_members.end(), rising))
    in.fail(at, "\"percentile_list\" is out of range", "rising, above 0 and up to 100");
  for (const auto& repetition : run.repetitions) check(in, at, repetition);
}

}  // namespace

base::Error unreadable(const JsonTree& tree, std::string_view document, base::Error error) {
  const auto first = document.find_first_not_of(" \t\r\n");
  const auto end = tree.error(document.size(), "", "").place;
  const auto& at = error.place;
  error.help = kWanted;
  if (first == document.npos) {
    error = tree.error(0, "an empty file", kWanted);
  } else if (document.find('\0') != document.npos) {
    error.what = "no JSON document, but a binary file";
  } else if (document[first] == '{' && at && at->line == end->line && at->column + 1 >= end->column) {
    error.what = "a file that was cut off: its JSON document does not end";
    error.help = "";
  }
  return error;
}

base::Expected<result::Stored> read_stored(std::string_view text, const std::string& file_name) {
  if (begins_with_interval(text)) return read_interval_lines(text, file_name);
  const auto document = document_in(text);
  JsonTree tree(document, text, file_name);
  if (auto ok = tree.parse(); !ok) return unreadable(tree, document, ok.error());
  if (const auto* format = tree.root().member("format")) return read_document(tree, *format);
  const auto* fathom = tree.root().member("fathom");
  if (!fathom || !fathom->is(JsonNode::Kind::object)) return no_result(tree);
  const auto schema = schema_of(tree, *fathom);
  if (!schema) return schema.error();
  JsonDocument in(tree, *schema, *schema < result::kSchemaVersion);
  JsonReader reader(in, *fathom);
  result::Run run;
  if (in.strict() && reader.there("lacks", false)) {
    reader.texts("lacks", run.lacks);
    in.lacking().insert(run.lacks.begin(), run.lacks.end());
    run.lacks.clear();
  }
  walk(reader, run);
  if (!in.failed() && !in.strict()) complete_older(in, tree.root(), run);
  if (!in.failed()) check(in, *fathom, run);
  if (in.failed()) return in.error();
  run.schema_version = result::kSchemaVersion;
  if (!in.older()) return result::Stored(std::move(run));
  run.lacks.assign(in.lacking().begin(), in.lacking().end());
  run.findings.push_back(older_finding(*schema, run));
  return result::Stored(std::move(run));
}

base::Expected<result::Run> read_result_json(std::string_view text, const std::string& file_name) {
  auto stored = read_stored(text, file_name);
  if (!stored) return stored.error();
  if (auto* run = std::get_if<result::Run>(&*stored)) return std::move(*run);
  return not_of_a_run(text, file_name);
}

base::Error not_of_a_run(std::string_view text, const std::string& file_name) {
  return JsonTree(text, file_name).error(0, "no result of a run", "its \"format\" is that of another command");
}

}  // namespace fathom::import
