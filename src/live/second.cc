// Both formats are written without a library: the values contain only numbers and letters.
#include "live/second.h"

#include <fmt/format.h>

#include "live/latency_lines.h"

namespace fathom::live {
namespace {

std::string number(const std::optional<std::uint64_t>& value) { return value ? std::to_string(*value) : "null"; }

std::string direction_json(const run::Progress& p, std::size_t d) {
  const auto lat = told(p.lat[d]);
  return fmt::format(
      R"("{}":{{"ios":{},"bytes":{},"iops":{:.1f},"bytes_per_s":{:.0f},"lat_n":{},"lat_ns_p50":{},"lat_ns_p99":{},"lat_ns_p999":{}}})",
      kDirectionNames[d], p.ios[d], p.bytes[d], p.ios_per_s[d], p.bytes_per_s[d], lat.n, number(lat.p50_ns),
      number(lat.p99_ns), number(lat.p999_ns));
}

// A family of metrics; value(d): value of the line for d, "" for no line.
std::string by_direction(const char* name, const char* type, const char* help, const auto& value) {
  std::string lines;
  for (std::size_t d = 0; d < io::kDataDirs; ++d)
    if (const std::string text = value(d); !text.empty())
      lines += fmt::format("{}{{direction=\"{}\"}} {}\n", name, kDirectionNames[d], text);
  return fmt::format("# HELP {} {}\n# TYPE {} {}\n{}", name, help, name, type, lines);
}

std::string latency_metrics(const run::Progress& p) {
  constexpr const char* kName = "fathom_latency_seconds";
  std::string lines;
  for (std::size_t d = 0; d < io::kDataDirs; ++d) {
    const auto lat = told(p.lat[d]);
    const auto add = [&](const char* quantile, const std::optional<std::uint64_t>& ns) {
      if (!ns) return;
      lines += fmt::format("{}{{direction=\"{}\",quantile=\"{}\"}} {:.9f}\n", kName, kDirectionNames[d], quantile,
                           static_cast<double>(*ns) * 1e-9);
    };
    add("0.5", lat.p50_ns), add("0.99", lat.p99_ns), add("0.999", lat.p999_ns);
  }
  return fmt::format("# HELP {} Latency percentiles of the I/Os of the last second.\n# TYPE {} gauge\n{}", kName, kName,
                     lines);
}

std::string one_value(const char* name, const char* type, const char* help, const std::string& value) {
  return fmt::format("# HELP {} {}\n# TYPE {} {}\n{} {}\n", name, help, name, type, name, value);
}

}  // namespace

std::string single(const char* name, const char* help, const std::string& value) {
  return one_value(name, "gauge", help, value);
}

std::string counter(const char* name, const char* help, std::uint64_t value) {
  return one_value(name, "counter", help, std::to_string(value));
}

std::string json_line(const run::Progress& p, std::uint64_t epoch_ms) {
  return fmt::format(
      R"({{"time_epoch_ms":{},"elapsed_s":{:.3f},"jobs_running":{},"jobs_done":{},"jobs":{},"states":"{}","done_percent":{},"eta_s":{},{},{},{}}})"
      "\n",
      epoch_ms, p.elapsed_s, p.jobs_running, p.jobs_done, p.jobs_total, p.states,
      p.eta_known ? fmt::format("{:.1f}", 100 * p.done_share) : "null", p.eta_known ? std::to_string(p.eta_s) : "null",
      direction_json(p, 0), direction_json(p, 1), direction_json(p, 2));
}

std::string metrics_text(const run::Progress& p) {
  const auto used = [&](std::size_t d, const std::string& text) { return p.ios[d] > 0 ? text : std::string(); };
  std::string out;
  out += by_direction("fathom_ios_total", "counter", "I/Os completed.",
                      [&](std::size_t d) { return used(d, std::to_string(p.ios[d])); });
  out += by_direction("fathom_bytes_total", "counter", "Bytes transferred.",
                      [&](std::size_t d) { return used(d, std::to_string(p.bytes[d])); });
  out += by_direction("fathom_iops", "gauge", "I/Os per second, in the last second.",
                      [&](std::size_t d) { return used(d, fmt::format("{:.1f}", p.ios_per_s[d])); });
  out += by_direction("fathom_bytes_per_second", "gauge", "Bytes per second in the last second.",
                      [&](std::size_t d) { return used(d, fmt::format("{:.0f}", p.bytes_per_s[d])); });
  out += latency_metrics(p);
  out += single("fathom_jobs_running", "Running jobs.", std::to_string(p.jobs_running));
  out += single("fathom_elapsed_seconds", "Seconds since the first job started.", fmt::format("{:.3f}", p.elapsed_s));
  if (!p.eta_known) return out;
  out += single("fathom_done_ratio", "Completed share of the run, 0 to 1.", fmt::format("{:.4f}", p.done_share));
  return out + single("fathom_eta_seconds", "Estimated seconds until the run ends.", std::to_string(p.eta_s));
}

}  // namespace fathom::live
