// The element `fathom` of our own files: classes with all their bins and exact sums, threads, what was asked for by our
// names. What it says stands over what pmbench's elements could say.
#include <algorithm>
#include <charconv>

#include "import/pmbench_parts.h"

namespace fathom::import {
namespace {

using result::PagingThread;

template <class Enum>
std::optional<std::size_t> index_of(std::string_view word, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i)
    if (word == name(static_cast<Enum>(i))) return i;
  return std::nullopt;
}

std::optional<unsigned __int128> to_wide(std::string_view text) {
  if (text.empty() || text.size() > 39) return std::nullopt;
  unsigned __int128 value = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return std::nullopt;
    value = value * 10 + static_cast<unsigned>(c - '0');
  }
  return value;
}

// "value:count value:count".
bool read_bins(std::string_view text, stats::Histogram& histogram) {
  while (!text.empty()) {
    const auto end = std::min(text.find(' '), text.size());
    const auto word = text.substr(0, end);
    const auto colon = word.find(':');
    if (colon == std::string_view::npos) return false;
    const auto value = to_count(word.substr(0, colon)), count = to_count(word.substr(colon + 1));
    if (!value || !count) return false;
    histogram.add(*value, *count);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return true;
}

void read_class(XmlReader& in, pugi::xml_node node, result::AccessLatencies& latencies) {
  const auto c = index_of<result::AccessClass>(node.attribute("name").value(), result::kAccessClasses);
  const auto d = index_of<result::AccessDir>(node.attribute("type").value(), result::kAccessDirs);
  if (!c || !d)
    return in.fail(node, "a <class> without a name or a type that is known", "hit, minor, major; read, write");
  auto& latency = latencies[*c][*d];
  latency.moments_ns.n = in.count(node, "count");
  latency.moments_ns.sum = in.count(node, "sum_ns");
  latency.moments_ns.max = in.count(node, "max_ns");
  latency.moments_ns.min_inverted = ~in.count(node, "min_ns");
  const auto squares = to_wide(in.text(node, "sum_squares_ns2"));
  if (!squares || !read_bins(in.text(node, "bins_ns"), latency.histogram_ns))
    return in.fail(node, "a <class> whose sum_squares_ns2 or bins_ns cannot be read", "pairs value:count");
  latency.moments_ns.sum_squares = *squares;
  if (latency.histogram_ns.total() != latency.moments_ns.n)
    in.fail(node, "a <class> whose bins do not add up to its count", "a damaged file");
}

void read_thread(XmlReader& in, pugi::xml_node node, PagingThread& worker) {
  struct Field {
    const char* name;
    std::uint64_t PagingThread::*member;
  };
  constexpr Field kFields[] = {
      {"wall_ns", &PagingThread::wall_ns},           {"warmup_ns", &PagingThread::warmup_ns},
      {"kernel_minor", &PagingThread::kernel_minor}, {"kernel_major", &PagingThread::kernel_major},
      {"lookups", &PagingThread::lookups},           {"slow_hits", &PagingThread::slow_hits},
      {"extra_faults", &PagingThread::extra_faults}, {"own_faults", &PagingThread::own_faults}};
  for (const auto& field : kFields) worker.*field.member = in.count(node, field.name);
  worker.process = static_cast<int>(in.count(node, "process"));
  worker.thread = static_cast<int>(in.count(node, "thread"));
  worker.tid = static_cast<int>(in.count(node, "tid"));
  worker.accesses[0] = in.count(node, "reads");
  worker.accesses[1] = in.count(node, "writes");
  worker.overhead_ns = in.real(node, "overhead_ns");
}

void read_asked(XmlReader& in, pugi::xml_node fathom, result::Paging& paging) {
  paging.duration_s = std::max(0.0, in.real(fathom, "duration_s"));
  paging.pattern = in.text(fathom, "pattern");
  paging.shape = in.real(fathom, "shape");
  paging.read_percent = std::clamp(in.real(fathom, "read_percent"), -1.0, 100.0);
  paging.memory = in.text(fathom, "memory");
  paging.fill = in.text(fathom, "fill");
  paging.map_bytes = in.count(fathom, "map_bytes");
  paging.set_bytes = in.count(fathom, "set_bytes");
  paging.page_bytes = in.count(fathom, "page_bytes");
  paging.threads = static_cast<int>(in.count(fathom, "threads_a_process"));
  paging.processes = static_cast<int>(in.count(fathom, "processes"));
  paging.seed = in.count(fathom, "seed");
  paging.classified = in.flag(fathom, "classified");
  paging.start_epoch_ms = in.count(fathom, "start_epoch_ms");
  paging.window_ns = in.count(fathom, "window_ns");
  paging.setup_ns = in.count(fathom, "setup_ns");
  paging.measurement_bytes_per_thread = in.count(fathom, "measurement_bytes_per_thread");
  paging.locked_bytes_per_thread = in.count(fathom, "locked_bytes_per_thread");
  paging.locked = in.flag(fathom, "locked");
  for (const auto condition : fathom.child("conditions").children("condition"))
    paging.conditions.emplace_back(condition.attribute("name").value(), condition.child_value());
  read_pressure(in, fathom, paging.pressure);
  auto& clock = paging.clock;
  clock.ticks_per_second = in.real(fathom, "ticks_per_second");
  clock.calibration = in.text(fathom, "calibration");
  clock.calibration_error_ppm = in.real(fathom, "calibration_error_ppm");
  clock.step_ns = in.real(fathom, "step_ns");
  clock.floor_ns = in.real(fathom, "floor_ns");
  clock.floor_ns_p99 = in.real(fathom, "floor_ns_p99");
  clock.floor_mean_ns = in.real(fathom, "floor_mean_ns");
  clock.cached_load_ns = in.real(fathom, "cached_load_ns");
  clock.cached_load_mean_ns = in.real(fathom, "cached_load_mean_ns");
  clock.slow_ns = in.count(fathom, "slow_ns");
  clock.lookup_ns = in.real(fathom, "lookup_ns");
  const auto score = in.need(fathom, "score");
  paging.score = {in.real(score, "accesses_per_s"), in.real(score, "low"), in.real(score, "high"),
                  in.real(score, "confidence"), in.text(score, "how")};
}

void read_findings(XmlReader& in, pugi::xml_node fathom, std::vector<result::Finding>& findings) {
  for (const auto node : fathom.child("findings").children("finding")) {
    result::Finding finding;
    finding.id = node.attribute("id").value();
    const auto severity = index_of<result::Severity>(node.attribute("severity").value(), 3);
    finding.severity = severity ? static_cast<result::Severity>(*severity) : result::Severity::note;
    finding.evidence = in.text(node, "evidence");
    finding.remedy = in.text(node, "remedy");
    findings.push_back(std::move(finding));
  }
}

}  // namespace

bool read_fathom(XmlReader& in, pugi::xml_node report, result::Run& run) {
  const auto fathom = report.child("fathom");
  if (!fathom || in.failed()) return false;
  auto& paging = *run.paging;
  run.program.version = fathom.attribute("version").value();
  run.program.commit = fathom.attribute("commit").value();
  read_asked(in, fathom, paging);
  run.time_epoch_ms = paging.start_epoch_ms;
  std::size_t index = 0;
  for (const auto node : fathom.child("threads").children("thread")) {
    if (index >= paging.workers.size()) {
      in.fail(node, "more <thread> than <result_thread>", "a damaged file");
      break;
    }
    read_thread(in, node, paging.workers[index++]);
  }
  paging.latency = {};
  for (const auto node : fathom.child("classes").children("class")) read_class(in, node, paging.latency);
  if (const auto line = in.optional_text(fathom, "audit"); !line.empty()) {
    run.audit.emplace();
    run.audit->line = line;
  }
  read_findings(in, fathom, run.findings);
  run.findings.push_back({"import.left_out", result::Severity::note, "",
                          "the file does not hold the series, device times, latencies by thread, the kernel's "
                          "counters (vmstat, memory.stat), the audit's witnesses, Table 2 and repetitions: that they "
                          "are missing here does not mean that the run had none",
                          "--output-format=json keeps everything"});
  return true;
}

}  // namespace fathom::import
