// A log of HdrHistogram, version 1.3, as Java's HistogramLogWriter 2.1.11 writes it. Each latency of each job and
// direction is an interval, and its tag has the name. Values are in ns. Interval_Max is the exact maximum in ms: Java's
// writer divides by 1,000,000. If a bucket of the result contains the exact minimum or maximum, one sample is placed at
// that value. The other samples are placed in the middle of the bucket. Readers print the upper edges of their buckets,
// so a comment has the exact maximum in ns.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "base/text/base64.h"
#include "base/text/printable.h"
#include "report/formats.h"
#include "report/rows/hdr_encoding.h"
#include "report/rows/run_rows.h"

namespace fathom::report {
namespace rows {
namespace {

// Neither a comma nor a space is valid in a tag.
std::string tag_of(const JobRows& job, const DirectionRow& direction, const LatencyRow& latency) {
  std::string out = base::text::printable(job.name);
  std::replace_if(
      out.begin(), out.end(), [](char c) { return c == ',' || c == ' '; }, '_');
  out += fmt::format("/{}", job.number);
  if (job.repetition > 0) out += fmt::format("/{}", job.repetition);
  return out + fmt::format("/{}/{}", direction.name, latency.of->name);
}

std::vector<HdrCount> counts_of(const result::Latency& latency) {
  const auto& seen = latency.moments_ns;
  std::vector<HdrCount> counts;
  for (const auto& bin : latency.histogram_ns.bins()) {
    std::uint64_t rest = bin.count;
    const bool has_min = stats::bucket_of(seen.min()) == bin.bucket && rest > 0;
    if (has_min) counts.push_back({seen.min(), 1}), --rest;
    const bool has_max = stats::bucket_of(seen.max) == bin.bucket && rest > 0;
    if (has_max) --rest;
    if (rest > 0) counts.push_back({std::clamp(stats::bucket_value(bin.bucket), seen.min(), seen.max), rest});
    if (has_max) counts.push_back({seen.max, 1});
  }
  return counts;
}

// Why a latency has no interval. Empty: it has one.
std::string_view hdr_obstacle(const result::Latency& latency) {
  const auto& seen = latency.moments_ns;
  if (latency.histogram_ns.empty()) return "no interval: the result has no histogram of it";
  if (seen.min() > seen.max || latency.histogram_ns.total() != seen.n) return "no interval: its counts differ";
  return seen.max > kMostHdrValue || seen.n > kMostHdrValue ? "no interval: the format has 63 bits per number" : "";
}

std::string interval(const RunRows& run, const JobRows& job, const DirectionRow& direction, const LatencyRow& latency) {
  const auto& seen = latency.latency.moments_ns;
  const auto name = tag_of(job, direction, latency);
  std::string out = fmt::format("#[{}: {} samples, maximum {} ns]\n", name, seen.n, seen.max);
  if (const auto obstacle = hdr_obstacle(latency.latency); !obstacle.empty())
    return out + fmt::format("#[{}: {}]\n", name, obstacle);
  const auto counts = counts_of(latency.latency);
  const auto is_long = [](const HdrCount& each) { return each.count > std::numeric_limits<std::uint32_t>::max(); };
  if (std::any_of(counts.begin(), counts.end(), is_long))
    out += fmt::format("#[{}: a bucket has more than 4294967295 samples, which a reader in JavaScript cuts]\n", name);
  const std::uint64_t first_ms = run.jobs.front().begin_epoch_ms;
  const double begin_s = (static_cast<double>(job.begin_epoch_ms) - static_cast<double>(first_ms)) / 1e3 +
                         static_cast<double>(direction.begin_ns.value_or(0)) / 1e9;
  return out + fmt::format("Tag={},{:.3f},{:.3f},{:.3f},{}\n", name, begin_s,
                           static_cast<double>(direction.length_ns) / 1e9, static_cast<double>(seen.max) / 1e6,
                           base::text::base64(hdr_compressed(hdr_encoded(counts))));
}

std::string hdr_head(const RunRows& run, const result::Program& program) {
  std::string out = fmt::format("#[fathom {}; checks: {}", base::text::printable(program.version), run.checks);
  if (!run.run_id.empty()) out += fmt::format("; run {}", base::text::printable(run.run_id));
  if (!run.host.empty()) out += fmt::format("; host {}", base::text::printable(run.host));
  out += "]\n#[values in ns; Interval_Max in ms; begin and length of an interval in s]\n";
  out += "#[Histogram log format version 1.3]\n";
  const std::uint64_t begin_ms = run.jobs.empty() ? 0 : run.jobs.front().begin_epoch_ms;
  for (const auto* const word : {"StartTime", "BaseTime"})
    if (begin_ms > 0)
      out += fmt::format("#[{}: {}.{:03} (seconds since epoch)]\n", word, begin_ms / 1000, begin_ms % 1000);
  return out + "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n";
}

}  // namespace
}  // namespace rows

std::string hdr_log(const result::Run& run) {
  const auto all = rows::rows_of(run);
  std::string out = rows::hdr_head(all, run.program);
  for (const auto& job : all.jobs)
    for (const auto& direction : job.directions)
      for (const auto& latency : direction.latencies) out += rows::interval(all, job, direction, latency);
  return out;
}

}  // namespace fathom::report
