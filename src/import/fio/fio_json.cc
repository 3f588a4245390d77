// A sum over all clients is omitted, because the file also has its terms. Clones of a job have the same name and follow
// each other.
#include "import/fio/fio_json.h"

#include <algorithm>
#include <cmath>

#include "base/text/parse.h"
#include "import/fio/controls.h"
#include "import/fio/documents.h"
#include "import/fio/job_parts.h"
#include "import/fio/latency.h"
#include "import/fio/reported.h"
#include "import/fio/version.h"
#include "import/json_fields.h"
#include "import/json_tree.h"
#include "import/result_json.h"

namespace fathom::import::fio {
namespace {

using result::Direction;
using result::Job;
using result::kDirs;

constexpr std::string_view kAllClients = "All clients";

// Properties of the numbers that depend on the file's version.
struct Form {
  Version version;
  bool kib = false;  // before 2.99 io_bytes are KiB; 2.99 added io_kbytes
};

void read_direction(JsonDocument& in, const JsonNode& node, const Form& form, Direction& dir) {
  JsonReader fio(in, node);
  get(fio, "io_bytes", dir.bytes), get(fio, "runtime", dir.runtime_ms);
  get(fio, "short_ios", dir.short_ios), get(fio, "drop_ios", dir.dropped_ios);
  constexpr std::uint64_t kMost_ms = std::uint64_t{1} << 43;  // 278 years
  if (dir.runtime_ms > kMost_ms) in.fail(node, "\"runtime\" is out of range", "ms");
  if (form.kib && !fio.there("io_kbytes", false)) dir.bytes *= 1024;
  if (fio.there("total_ios", false)) {
    fio.field("total_ios", dir.ios);
  } else {  // 2.1: computed from rate and run time
    double iops = 0;
    get(fio, "iops", iops);
    dir.ios = static_cast<std::uint64_t>(std::llround(std::max(0.0, iops) * static_cast<double>(dir.runtime_ms) / 1e3));
  }
  dir.issued = dir.ios;
  dir.runtime_ns = dir.runtime_ms * 1'000'000;
  std::vector<double> ignored;
  read_latency(in, node, "slat", dir.ios, dir.slat, ignored),
      read_latency(in, node, "clat", dir.ios, dir.clat, ignored);
  read_latency(in, node, "lat", dir.ios, dir.lat, ignored);
}

// fsync and similar calls, since 3.0.
void read_syncs(JsonDocument& in, const JsonNode& node, Job& job) {
  const auto* syncs = node.member("sync");
  if (!syncs || !syncs->is(JsonNode::Kind::object)) return;
  JsonReader fio(in, *syncs);
  get(fio, "total_ios", job.sync_ios);
  read_latency(in, *syncs, "lat", job.sync_ios, job.sync_lat, job.percentile_list);
  job.sync_ios = std::max(job.sync_ios, job.sync_lat.moments_ns.n);
}

// A missing option gets fio's default. Without ioengine=, the engine is unknown: fio does not report its choice.
void take_options(const result::Run& run, Job& job) {
  const auto text = [&](const char* name, const char* other) {
    const auto* value = option_of(run, job, name);
    return value ? *value : std::string(other);
  };
  job.engine = text("ioengine", "");
  if (job.options.empty() && run.global_options.empty()) return take_what_it_did(job);
  job.rw = text("rw", text("readwrite", "read").c_str());
  const auto depth = base::text::parse_int(text("iodepth", "1"));
  job.iodepth = depth && *depth > 0 ? static_cast<std::uint64_t>(*depth) : 1;
  for (const char* name : {"rate", "rate_iops"}) job.rate.paced = job.rate.paced || option_of(run, job, name);
}

// From fio's job_start (3.34 and later), in the time of a clock that the job selects.
struct Start {
  std::uint64_t ms = 0;  // 0: unknown
  std::string clock, host;
};

Start start_of(JsonReader& fio, const result::Run& run, Job& job) {
  Start start;
  constexpr std::uint64_t kMost_ms = std::uint64_t{1} << 43;
  if (fio.there("job_start", false)) get(fio, "job_start", start.ms);
  if (fio.there("hostname", false)) get(fio, "hostname", start.host);
  if (start.ms > kMost_ms) start.ms = 0;
  const auto* clock = option_of(run, job, "job_start_clock_id");
  if (clock && *clock != "0") start.clock = *clock;
  if (start.clock.empty()) job.start_epoch_ms = start.ms;
  return start;
}

// 0: the option is missing. nullopt: not a single duration, for example a range for fio's random delay.
std::optional<std::uint64_t> duration_ns(const result::Run& run, const Job& job, const char* option) {
  constexpr std::uint64_t kSecond_ns = 1'000'000'000;
  const auto* text = option_of(run, job, option);
  const auto ns = text ? base::text::parse_duration_ns(*text, kSecond_ns) : base::Expected<std::uint64_t>(0);
  return ns ? std::optional(*ns) : std::nullopt;
}

// From startdelay=, for files without job_start; nullopt: no job has a delay, or a job waits for others.
std::optional<std::vector<std::uint64_t>> delays_ns(const result::Run& run) {
  std::vector<std::uint64_t> delays;
  bool any = false;
  for (const auto& job : run.jobs) {
    const auto delay_ns = duration_ns(run, job, "startdelay");
    if (!delay_ns || option_of(run, job, "stonewall") || option_of(run, job, "wait_for")) return std::nullopt;
    any = any || *delay_ns > 0;
    delays.push_back(*delay_ns);
  }
  return any ? std::optional(delays) : std::nullopt;
}

// Sets begin and end of each direction, relative to the first begin. Starts by several clocks or hosts cannot be
// compared, and some starts are unknown. Then no begin is set, and all jobs count as started together.
void take_begins(const std::vector<Start>& starts, result::Run& run) {
  const auto without = [](const Start& start) { return start.ms == 0; };
  const auto delays = std::all_of(starts.begin(), starts.end(), without) ? delays_ns(run) : std::nullopt;
  std::uint64_t first_ns = ~std::uint64_t{0};
  std::vector<std::uint64_t> begins_ns;
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const auto& start = starts[i];
    if (start.clock != starts[0].clock || start.host != starts[0].host || (start.ms == 0 && !delays)) return;
    begins_ns.push_back((delays ? (*delays)[i] : start.ms * 1'000'000) +
                        duration_ns(run, run.jobs[i], "ramp_time").value_or(0));
    first_ns = std::min(first_ns, begins_ns.back());
  }
  for (std::size_t i = 0; i < starts.size(); ++i)
    for (auto& dir : run.jobs[i].dirs)
      if (dir.runtime_ns > 0) dir.begin_ns = begins_ns[i] - first_ns, dir.end_ns = *dir.begin_ns + dir.runtime_ns;
}

Start read_job(JsonDocument& in, const JsonNode& node, const Form& form, result::Run& run) {
  JsonReader fio(in, node);
  auto& job = run.jobs.emplace_back();
  get(fio, "jobname", job.name), get(fio, "groupid", job.group_id), get(fio, "error", job.error);
  get(fio, "total_err", job.error_count);
  for (std::size_t d = 0; d < kDirs; ++d)
    if (const auto* direction = node.member(result::kDirKeys[d])) read_direction(in, *direction, form, job.dirs[d]);
  if (const auto* mixed = node.member("mixed"); mixed && job.dirs == std::array<Direction, kDirs>{}) {
    job.unified = true;
    read_direction(in, *mixed, form, job.dirs[0]);
  }
  read_syncs(in, node, job);
  read_controls(in, node, form.version, job);
  take_job(in, node, run, job);
  for (double* percent : {&job.usr_cpu_percent, &job.sys_cpu_percent})
    if (std::isnan(*percent)) *percent = 0;
  take_options(run, job);
  const std::size_t jobs = run.jobs.size();
  job.section = jobs == 1 ? 0 : run.jobs[jobs - 2].section + (run.jobs[jobs - 2].name == job.name ? 0 : 1);
  return start_of(fio, run, job);
}

void read_head(JsonDocument& in, const JsonNode& document, result::Run& run) {
  JsonReader fio(in, document);
  std::string version;
  std::uint64_t epoch_s = 0;
  get(fio, "fio version", version), get(fio, "timestamp", epoch_s), get(fio, "timestamp_ms", run.time_epoch_ms);
  if (run.time_epoch_ms == 0 && epoch_s < (std::uint64_t{1} << 40)) run.time_epoch_ms = epoch_s * 1000;
  take_head(in, document, run);
  run.program.name = "fio";
  run.program.version = version.starts_with("fio-") ? version.substr(4) : version;
}

}  // namespace

bool is_fio_json(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  return first != text.npos && text.find("\"fio version\"") != text.npos;
}

base::Expected<result::Run> read_fio_json(std::string_view text, const std::string& file_name) {
  const auto repaired = without_nan(text);
  if (repaired) text = repaired->text;
  const auto documents = documents_in(text);
  if (documents.empty())
    return JsonTree(text, file_name).error(0, "not a result of fio", "no line begins a JSON document");
  const Source source{documents.size(), repaired ? repaired->not_numbers : 0, true};
  JsonTree tree(documents.back(), text, file_name);
  if (auto ok = tree.parse(); !ok) return unreadable(tree, documents.back(), ok.error());
  const auto* jobs = tree.root().member("jobs");
  if (!jobs) jobs = tree.root().member("client_stats");
  if (!jobs || !jobs->is(JsonNode::Kind::array))
    return tree.error(0, "not a result of fio", "neither \"jobs\" nor \"client_stats\" found");
  JsonDocument in(tree, Unknown::absent);
  result::Run run;
  read_head(in, tree.root(), run);
  const auto version = version_of(run.program.version);
  const Form form{version, version.before(2, 99)};
  std::vector<Start> starts;
  for (const auto& node : jobs->children) {
    const auto* name = node.member("jobname");
    if (!in.failed() && !(name && name->text == kAllClients)) starts.push_back(read_job(in, node, form, run));
  }
  if (in.failed()) return in.error();
  take_begins(starts, run);
  complete_reported(run, source);
  return run;
}

}  // namespace fathom::import::fio
