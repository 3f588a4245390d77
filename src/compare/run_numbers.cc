// Clones of a job (numjobs) are one part: their rates are added, their latencies merged. The whole run is merged from
// all its parts in the same way. Latencies that are stored only as percentiles cannot be merged.
#include "compare/run_numbers.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "result/sums/main_latency.h"
#include "result/sums/paging_sums.h"
#include "result/sums/percentiles.h"
#include "result/sums/rates.h"

namespace fathom::compare {
namespace {

using result::kDirs;

constexpr const char* kDirNames[kDirs] = {"read", "write", "trim"};

// The common fields of latencies of jobs and of accesses.
struct Latency {
  stats::Moments moments_ns;
  stats::Histogram histogram_ns;
  stats::PercentileTable percentiles_ns;
  bool partly = false;  // some merged parts have no histogram
};

struct Sums {
  std::string of, key, job, direction;
  result::sums::RateSum rate;
  std::optional<double> accesses_per_s;  // for `fathom paging`
  double iops() const { return accesses_per_s ? *accesses_per_s : rate.iops().value_or(0); }
  double bytes_per_s() const { return rate.bytes_per_s().value_or(0); }
  double rate_resolution = 0;
  double step_ns = 0;             // of the clock
  double bin_share = 0;           // bin width as a share of the value, if the buckets are not fathom's
  double lowest_ns = 0;           // smaller values are only known to be smaller
  std::optional<double> mean_ns;  // of accesses, if it differs from the histogram's
  std::map<std::string, Latency> latencies;
  bool any_due = false;  // some I/O has an intended start
};
constexpr const char* kMain = "main";  // per I/O, the latency that result/sums/main_latency.h selects

void put_together(Latency& sum, const auto& part) {
  if (part.moments_ns.n == 0) return;
  const bool first = sum.moments_ns.n == 0;
  sum.moments_ns.merge(part.moments_ns);
  if (part.histogram_ns.empty() || (!first && sum.histogram_ns.empty())) sum.partly = sum.partly || !first;
  sum.percentiles_ns = first ? part.percentiles_ns : stats::PercentileTable{};
  sum.histogram_ns.merge(part.histogram_ns);
}

void add_direction(Sums& sums, const result::Run& run, const result::Job& job, std::size_t d) {
  const auto& dir = job.dirs[d];
  if (dir.runtime_ns > 0) {
    sums.rate.add(dir);
    // The resolution is one I/O more or less. If the run time is whole ms, as from fio, one ms is added.
    const bool whole_ms = dir.runtime_ns % 1'000'000 == 0;
    const double resolution = 1 / static_cast<double>(std::max<std::uint64_t>(dir.ios, 1)) +
                              (whole_ms ? 1e6 / static_cast<double>(dir.runtime_ns) : 0);
    sums.rate_resolution = std::max(sums.rate_resolution, resolution);
  }
  sums.step_ns = std::max(sums.step_ns, job.clock.resolution_ns);
  put_together(sums.latencies["slat"], dir.slat), put_together(sums.latencies["clat"], dir.clat);
  put_together(sums.latencies["lat"], dir.lat);
  for (const auto* part : result::sums::main_latency_parts(run, job, d)) {
    const auto main = result::sums::main_latency(*part);
    sums.any_due |= main.is_due();
    put_together(sums.latencies[kMain], *main.latency);
  }
}

// If no job was paced, lat and clat already have these values.
void name_main(Sums& sums) {
  auto main = sums.latencies.extract(kMain);
  if (main.empty() || !sums.any_due) return;
  main.key() = "intended_lat";
  sums.latencies.insert(std::move(main));
}

// The whole run, then each direction of each job.
std::vector<Sums> sums_of_jobs(const result::Run& run) {
  std::vector<Sums> parts(1);
  int section = 0;
  for (std::size_t i = 0; i < run.jobs.size(); ++i) {
    const auto& job = run.jobs[i];
    const bool clone = i > 0 && run.jobs[i - 1].name == job.name && run.jobs[i - 1].section == job.section;
    section += i > 0 && !clone ? 1 : 0;
    for (std::size_t d = 0; d < kDirs; ++d) {
      if (job.dirs[d].ios == 0) continue;
      const auto key = fmt::format("{} {}", section, d);
      const char* direction = job.unified ? "all" : kDirNames[d];
      auto part = std::find_if(parts.begin(), parts.end(), [&](const Sums& other) { return other.key == key; });
      if (part == parts.end()) {
        parts.emplace_back();
        parts.back().of = fmt::format("{} {}", job.name, direction), parts.back().key = key;
        parts.back().job = job.name, parts.back().direction = direction;
        part = parts.end() - 1;
      }
      add_direction(*part, run, job, d);
      add_direction(parts[0], run, job, d);
    }
  }
  for (auto& part : parts) name_main(part);
  if (section == 0)
    for (auto& part : parts) part.of = part.of.substr(std::min(part.of.size(), part.of.rfind(' ') + 1));
  if (parts.size() == 2) {  // a single part equals the whole run
    parts[0].job = parts[1].job, parts[0].direction = parts[1].direction;
    parts.pop_back();
  }
  return parts;
}

std::vector<Sums> sums_of_paging(const result::Paging& paging) {
  Sums whole;
  whole.direction = "access";
  whole.accesses_per_s = paging.score.accesses_per_s;
  whole.rate_resolution = 1 / static_cast<double>(std::max<std::uint64_t>(result::accesses(paging), 1));
  whole.step_ns = paging.clock.step_ns;
  put_together(whole.latencies["access"], result::of_all(paging.latency));
  if (paging.classified)
    for (const auto c : {result::AccessClass::hit, result::AccessClass::minor, result::AccessClass::major})
      put_together(whole.latencies[name(c)], result::of_class(paging.latency, c));
  if (!paging.imported) return {whole};
  whole.bin_share = 1.0 / stats::kPmbenchBinsAnOctave, whole.lowest_ns = result::kFirstBin_ns;
  double time_ns = 0, accesses = 0;
  for (const auto& worker : paging.workers) {
    time_ns += static_cast<double>(worker.wall_ns);
    accesses += static_cast<double>(worker.accesses[0]) + static_cast<double>(worker.accesses[1]);
  }
  if (accesses > 0) whole.mean_ns = time_ns / accesses;
  return {whole};
}

double bucket_share(double ns) {
  const auto bucket = stats::bucket_of(static_cast<std::uint64_t>(ns));
  return static_cast<double>(stats::bucket_end(bucket) - stats::bucket_begin(bucket)) / ns;
}

std::optional<Number> percentile(const Sums& sums, const Latency& latency, double p) {
  if (latency.partly) return std::nullopt;
  const auto value = result::percentile_of(latency, p);
  if (!value || *value == 0) return std::nullopt;
  const auto ns = static_cast<double>(*value);
  const double bin = ns < sums.lowest_ns ? 1 : std::max(bucket_share(ns), sums.bin_share);
  return Number{ns, std::max(bin, sums.step_ns / ns)};
}

std::optional<Number> number_of(const Sums& sums, const Metric& metric) {
  if (metric.latency.empty()) {
    const double value = (metric.name == "bw" ? sums.bytes_per_s() : sums.iops());
    return value > 0 && std::isfinite(value) ? std::optional(Number{value, sums.rate_resolution}) : std::nullopt;
  }
  const auto found = sums.latencies.find(metric.latency);
  if (found == sums.latencies.end() || found->second.moments_ns.n == 0) return std::nullopt;
  if (metric.percentile) return percentile(sums, found->second, *metric.percentile);
  const bool given = metric.latency == "access" && sums.mean_ns;
  const double mean = given ? *sums.mean_ns : found->second.moments_ns.mean();
  if (!(mean > 0)) return std::nullopt;
  return Number{mean, sums.step_ns / mean};
}

std::uint64_t time_of(const result::Run& run) {
  if (run.time_epoch_ms > 0) return run.time_epoch_ms;
  if (run.paging) return run.paging->start_epoch_ms;
  return run.jobs.empty() ? 0 : run.jobs[0].start_epoch_ms;
}

}  // namespace

Kind kind_of(const result::Run& run) { return run.paging ? Kind::paging : Kind::jobs; }

bool is_breakdown(const result::Run& run) { return run.paging && !run.paging->table2.empty(); }

std::string unfit(const result::Run& run) {
  if (is_breakdown(run)) return "a breakdown of several swaps, not repeated runs of one";
  if (run.interrupted || (run.paging && run.paging->interrupted)) return "the run was interrupted";
  std::uint64_t samples = run.paging ? result::accesses(*run.paging) : 0;
  for (const auto& job : run.jobs) {
    if (job.error != 0) return fmt::format("job {} ended with error {}", job.name, job.error);
    for (const auto& dir : job.dirs) samples += dir.ios;
  }
  const char* what = run.paging ? "access" : "I/O";
  if (samples == 0) return fmt::format("no {}: nothing to compare", what);
  if (samples == 1) return fmt::format("one {}: too few for a rate or a percentile", what);
  return "";
}

RunNumbers numbers_of(const result::Run& run, std::span<const Metric> metrics) {
  auto sums = run.paging ? sums_of_paging(*run.paging) : sums_of_jobs(run);
  RunNumbers out;
  out.time_epoch_ms = time_of(run);
  out.paced = std::any_of(run.jobs.begin(), run.jobs.end(), [](const auto& job) { return job.rate.paced; });
  for (const auto& part : sums) {
    out.parts.push_back({part.of, part.key, part.job, part.direction, {}});
    for (const auto& metric : metrics) out.parts.back().numbers.push_back(number_of(part, metric));
  }
  for (const char* latency : {"access", "intended_lat", "clat", "lat"}) {
    const auto found = sums[0].latencies.find(latency);
    if (!out.histogram_of.empty() || found == sums[0].latencies.end()) continue;
    if (found->second.partly || found->second.histogram_ns.empty()) continue;
    out.histogram_of = latency;
    out.histogram_ns = std::move(found->second.histogram_ns);
  }
  return out;
}

}  // namespace fathom::compare
