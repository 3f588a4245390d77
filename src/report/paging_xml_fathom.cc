// What pmbench's elements have no place for: the pattern by our name, classes with percentiles and all their bins, the
// score, the threads' own counters, findings. A file read back and written again is the same file; what is not in it
// (the series, device times, latencies by thread, the audit's witnesses, the kernel's counters, repetitions) import/
// says.
#include <fmt/format.h>

#include "report/paging_view.h"
#include "report/paging_xml.h"
#include "stats/percentiles.h"

namespace fathom::report {
namespace {

constexpr std::pair<const char*, double> kPercentiles[] = {
    {"p50_ns", 50}, {"p90_ns", 90}, {"p99_ns", 99}, {"p99.9_ns", 99.9}};

// "value:count" for every bucket, the value that stands for it.
std::string bins_text(const stats::Histogram& histogram) {
  std::string text;
  for (const auto& bin : histogram.bins())
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", stats::bucket_value(bin.bucket), bin.count);
  return text;
}

void write_class(pugi::xml_node classes, result::AccessClass c, result::AccessDir dir,
                 const result::AccessLatency& latency) {
  const auto& moments = latency.moments_ns;
  if (moments.n == 0) return;
  auto node = classes.append_child("class");
  add_attribute(node, "name", name(c));
  add_attribute(node, "type", name(dir));
  add_element(node, "count", fmt::format("{}", moments.n));
  add_element(node, "sum_ns", fmt::format("{}", moments.sum));
  add_element(node, "sum_squares_ns2", fmt::format("{}", moments.sum_squares));
  add_element(node, "min_ns", fmt::format("{}", moments.min()));
  add_element(node, "max_ns", fmt::format("{}", moments.max));
  add_element(node, "mean_ns", fmt::format("{:.1f}", moments.mean()));
  for (const auto& [key, p] : kPercentiles)
    add_element(node, key, fmt::format("{}", stats::percentile_within(latency.histogram_ns, latency.moments_ns, p)));
  add_element(node, "bins_ns", bins_text(latency.histogram_ns));
}

void write_threads(pugi::xml_node fathom, const result::Paging& paging) {
  auto threads = fathom.append_child("threads");
  for (std::size_t i = 0; i < paging.workers.size(); ++i) {
    const auto& worker = paging.workers[i];
    auto node = threads.append_child("thread");
    add_attribute(node, "thread_num", fmt::format("{}", i + 1));
    const std::pair<const char*, std::uint64_t> fields[] = {{"process", worker.process},
                                                            {"thread", worker.thread},
                                                            {"tid", worker.tid},
                                                            {"reads", worker.accesses[0]},
                                                            {"writes", worker.accesses[1]},
                                                            {"wall_ns", worker.wall_ns},
                                                            {"warmup_ns", worker.warmup_ns},
                                                            {"kernel_minor", worker.kernel_minor},
                                                            {"kernel_major", worker.kernel_major},
                                                            {"lookups", worker.lookups},
                                                            {"slow_hits", worker.slow_hits},
                                                            {"extra_faults", worker.extra_faults},
                                                            {"own_faults", worker.own_faults}};
    for (const auto& [key, value] : fields) add_element(node, key, fmt::format("{}", value));
    add_element(node, "overhead_ns", fmt::format("{}", worker.overhead_ns));
  }
}

void write_findings(pugi::xml_node fathom, const result::Run& run) {
  auto findings = fathom.append_child("findings");
  for (const auto& finding : run.findings) {
    if (finding.id.starts_with("import.")) continue;  // of the reading, not of the run
    auto node = findings.append_child("finding");
    add_attribute(node, "id", finding.id);
    add_attribute(node, "severity", name(finding.severity));
    add_element(node, "evidence", finding.evidence);
    add_element(node, "remedy", finding.remedy);
  }
}

void write_named(pugi::xml_node to, const char* list, const char* each,
                 const std::vector<std::pair<std::string, std::string>>& pairs) {
  auto node = to.append_child(list);
  for (const auto& [key, value] : pairs) add_attribute(add_element(node, each, value), "name", key);
}

void write_asked(pugi::xml_node fathom, const result::Paging& paging) {
  const std::pair<const char*, std::string> fields[] = {
      {"duration_s", fmt::format("{}", paging.duration_s)},
      {"pattern", paging.pattern},
      {"shape", fmt::format("{}", paging.shape)},
      {"read_percent", fmt::format("{}", paging.read_percent)},
      {"memory", paging.memory},
      {"fill", paging.fill},
      {"map_bytes", fmt::format("{}", paging.map_bytes)},
      {"set_bytes", fmt::format("{}", paging.set_bytes)},
      {"page_bytes", fmt::format("{}", paging.page_bytes)},
      {"threads_a_process", fmt::format("{}", paging.threads)},
      {"processes", fmt::format("{}", paging.processes)},
      {"seed", fmt::format("{}", paging.seed)},
      {"classified", paging.classified ? "1" : "0"},
      {"start_epoch_ms", fmt::format("{}", paging.start_epoch_ms)},
      {"window_ns", fmt::format("{}", paging.window_ns)},
      {"setup_ns", fmt::format("{}", paging.setup_ns)},
      {"measurement_bytes_per_thread", fmt::format("{}", paging.measurement_bytes_per_thread)},
      {"locked_bytes_per_thread", fmt::format("{}", paging.locked_bytes_per_thread)},
      {"locked", paging.locked ? "1" : "0"},
      {"ticks_per_second", fmt::format("{}", paging.clock.ticks_per_second)},
      {"calibration", paging.clock.calibration},
      {"calibration_error_ppm", fmt::format("{}", paging.clock.calibration_error_ppm)},
      {"step_ns", fmt::format("{}", paging.clock.step_ns)},
      {"floor_ns", fmt::format("{}", paging.clock.floor_ns)},
      {"floor_ns_p99", fmt::format("{}", paging.clock.floor_ns_p99)},
      {"floor_mean_ns", fmt::format("{}", paging.clock.floor_mean_ns)},
      {"cached_load_ns", fmt::format("{}", paging.clock.cached_load_ns)},
      {"cached_load_mean_ns", fmt::format("{}", paging.clock.cached_load_mean_ns)},
      {"slow_ns", fmt::format("{}", paging.clock.slow_ns)},
      {"lookup_ns", fmt::format("{}", paging.clock.lookup_ns)}};
  for (const auto& [key, value] : fields) add_element(fathom, key, value);
}

}  // namespace

void xml_fathom(pugi::xml_node report, const result::Run& run) {
  const auto& paging = *run.paging;
  if (paging.imported) return;
  auto fathom = report.append_child("fathom");
  add_attribute(fathom, "version", run.program.version);
  add_attribute(fathom, "commit", run.program.commit);
  add_attribute(fathom, "schema_version", fmt::format("{}", run.schema_version));
  write_asked(fathom, paging);
  write_named(fathom, "conditions", "condition", paging.conditions);
  xml_pressure(fathom, paging.pressure);
  auto score = fathom.append_child("score");
  add_element(score, "accesses_per_s", fmt::format("{}", paging.score.accesses_per_s));
  add_element(score, "low", fmt::format("{}", paging.score.low));
  add_element(score, "high", fmt::format("{}", paging.score.high));
  add_element(score, "confidence", fmt::format("{}", paging.score.confidence));
  add_element(score, "how", paging.score.how);
  write_threads(fathom, paging);
  auto classes = fathom.append_child("classes");
  for (std::size_t c = 0; c < result::kAccessClasses; ++c)
    for (std::size_t d = 0; d < result::kAccessDirs; ++d)
      write_class(classes, static_cast<result::AccessClass>(c), static_cast<result::AccessDir>(d),
                  paging.latency[c][d]);
  if (run.audit) add_element(fathom, "audit", run.audit->line);
  write_findings(fathom, run);
}

}  // namespace fathom::report
