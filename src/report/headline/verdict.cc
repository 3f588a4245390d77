// The six lines. Jobs that ran together are summed: their rates and their histograms are added, and percentiles come
// from the sum. Jobs that ran one after the other have separate lines.
#include "report/headline/verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "base/text/unit_text.h"
#include "report/headline/verdict_parts.h"
#include "report/parts/derived.h"
#include "result/job_fields.h"
#include "result/measured.h"
#include "result/sums/checks.h"
#include "result/sums/main_latency.h"
#include "result/sums/percentiles.h"
#include "result/sums/rates.h"
#include "stats/repeat.h"

namespace fathom::report::headline {
namespace {

namespace text = base::text;

constexpr std::size_t kMostRows = 4;

// "4 KiB", "4 KiB-64 KiB", or "4 KiB/16 KiB" if directions differ.
std::string sizes_of(const result::Job& job) {
  std::vector<std::string> out;
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    if (!parts::used(job.dirs[d]) || job.bs_max[d] == 0) continue;
    std::string size = text::size_text(job.bs_min[d]);
    if (job.bs_max[d] != job.bs_min[d]) size += "-" + text::size_text(job.bs_max[d]);
    if (std::find(out.begin(), out.end(), size) == out.end()) out.push_back(std::move(size));
  }
  return fmt::format("{}", fmt::join(out, "/"));
}

// A direction without bytes and without a time (cpuio) did no I/O.
bool did_io(const result::Direction& dir) { return result::has_samples(dir) && (dir.bytes > 0 || dir.runtime_ns > 0); }

// The measured time. If no direction has a time, it is the mean time of the summed jobs: job_runtime_ms is their sum.
std::uint64_t runtime_ms(const result::Job& job) {
  std::uint64_t longest = 0;
  for (const auto& d : job.dirs) longest = std::max(longest, d.runtime_ms);
  return longest > 0 ? longest : job.job_runtime_ms / static_cast<std::uint64_t>(std::max(job.members, 1));
}

std::string what_of(const result::Run& run, const result::Job& job) {
  const bool moves = std::any_of(job.dirs.begin(), job.dirs.end(), did_io);
  std::string out;
  for (const auto& more : {moves ? job.rw : "", sizes_of(job), job.engine})
    if (!more.empty()) out += (out.empty() ? "" : ", ") + more;
  if (job.iodepth > 1) out += fmt::format(", iodepth {}", job.iodepth);
  if (job.members > 1) out += fmt::format(", {} jobs", job.members);
  if (run.host.devices.size() == 1 && run.jobs.size() == 1) out += ", " + run.host.devices[0].target;
  const auto ms = runtime_ms(job);
  if (ms < 1000) return out + fmt::format(", {} ms", ms);
  if (ms < 60'000) return out + fmt::format(", {:.3g} s", static_cast<double>(ms) / 1e3);
  return out + ", " + text::duration_text(static_cast<double>(ms) * 1e6);
}

std::string measured(const result::Run& run) {
  if (run.jobs.size() == 1) return what_of(run, run.jobs[0]);
  return fmt::format("{} jobs: {} ({}), ...", run.jobs.size(), run.jobs[0].name, what_of(run, run.jobs[0]));
}

// The contents of one row.
struct Row {
  std::string name;
  result::sums::RateSum rate = {};
  result::Latency latency = {};
  bool whole = true;                 // the percentiles include every job
  std::string part = {};             // the latency, if it is not that of the whole I/O
  bool due = false, issued = false;  // latency from the intended start, from the issue
  bool lacks_due = false;            // some jobs were paced, but their due times are unknown
  bool all_due() const { return due && !issued; }
};

void add_latency(Row& row, const result::Latency& latency) {
  if (row.latency.moments_ns.n == 0) {  // a single latency may have percentiles without a histogram
    row.latency = latency;
    row.whole &= !latency.histogram_ns.empty() || !latency.percentiles_ns.empty();
    return;
  }
  row.whole &= !latency.histogram_ns.empty() && !row.latency.histogram_ns.empty();
  row.latency.moments_ns.merge(latency.moments_ns);
  row.latency.histogram_ns.merge(latency.histogram_ns);
}

void add(Row& row, const result::Run& run, const result::Job& job, std::size_t d) {
  row.rate.add(job.dirs[d]);
  row.lacks_due |= result::sums::lacks_due(job);
  for (const auto* part : result::sums::main_latency_parts(run, job, d)) {
    const auto main = result::sums::main_latency(*part);
    (main.is_due() ? row.due : row.issued) = true;
    if (result::sums::is_reported(run) && main.latency->moments_ns.n == 0) {  // from a slat log of fio
      row.part = part->slat.moments_ns.n > 0 ? "slat " : "";
      add_latency(row, part->slat);
      continue;
    }
    const std::string_view part_name = main.name == "clat" && part->lat.moments_ns.n > 0 ? "clat " : "";
    row.whole &= row.latency.moments_ns.n == 0 || row.part == part_name;
    row.part = part_name;
    add_latency(row, *main.latency);
  }
}

// fsync and similar calls: they move no bytes and have a separate latency.
void add_syncs(Row& row, const result::Job& job) {
  if (job.sync_ios == 0) return;
  row.rate.add_syncs(job);
  add_latency(row, job.sync_lat);
}

bool together(const result::Run& run) {
  std::set<int> groups;
  for (const auto& job : run.jobs) groups.insert(job.group_id);
  return groups.size() <= 1;
}

std::vector<Row> rows_of(const result::Run& run) {
  std::vector<Row> rows;
  if (run.jobs.size() > 1 && !together(run)) {
    for (const auto& job : run.jobs) {
      for (std::size_t d = 0; d < result::kDirs; ++d)
        if (did_io(job.dirs[d]))
          add(rows.emplace_back(Row{fmt::format("{} {}", job.name, parts::kDirNames[d])}), run, job, d);
      if (job.sync_ios > 0) add_syncs(rows.emplace_back(Row{job.name + " sync"}), job);
    }
    return rows;
  }
  // fio's result files store the sum as reads.
  const bool mixed =
      std::all_of(run.jobs.begin(), run.jobs.end(), [](const auto& j) { return j.unified && !j.reporting.both; });
  bool any = false;
  for (std::size_t d = 0; d < result::kDirs; ++d) {
    if (d == 0 || !mixed) rows.push_back(Row{mixed ? "mixed" : std::string(parts::kDirNames[d])}), any = false;
    for (const auto& job : run.jobs)
      if (did_io(job.dirs[d])) add(rows.back(), run, job, d), any = true;
    if (!any && (!mixed || d + 1 == result::kDirs)) rows.pop_back();
  }
  Row syncs{"sync"};
  for (const auto& job : run.jobs) add_syncs(syncs, job);
  if (syncs.rate.iops()) rows.push_back(std::move(syncs));
  return rows;
}

std::string rate_text(const Row& row) {
  const auto iops = row.rate.iops(), bytes_per_s = row.rate.bytes_per_s();
  if (!iops && !bytes_per_s) return row.rate.time_ns() == 0 ? "rate not known: no run time" : "rate not known";
  const bool has_bytes = !bytes_per_s || *bytes_per_s > 0;
  std::string out =
      iops ? text::unit_text(*iops, text::kRateLive) + (has_bytes ? " IOPS" : " per second") : "IOPS not known";
  if (!bytes_per_s) out += ", bandwidth not known";
  if (bytes_per_s && has_bytes) out += fmt::format(", {}/s", text::unit_text(*bytes_per_s, text::kBytesThree));
  return out;
}

std::string percentiles_text(const Row& row) {
  std::string out;
  for (const double p : {50.0, 99.0})
    if (const auto value = row.whole ? result::percentile_of(row.latency, p) : std::nullopt)
      out += fmt::format("{}p{} {}", out.empty() ? row.part : ", ", p, time_text(*value));
  return out;
}

// The start of the latency, for paced jobs. The wait for earlier I/Os is the larger part of a slow I/O's latency.
std::string begin_text(const Row& row) {
  if (row.all_due()) return "from the intended start";
  if (row.due) return "from the intended start (unpaced: submission)";
  return row.lacks_due ? "from the submission (no intended start)" : "";
}

// The name that summarize_repetitions() uses.
std::string metric_name(const Row& row, const std::string& name) {
  return row.all_due() && name != "iops" ? "intended_" + name : name;
}

// Computes for a row what summarize_repetitions() computes for a job. Percentiles that a repetition lacks are omitted.
std::vector<result::RepeatedMetric> repeated_of(const Row& row, std::span<const result::Run> repetitions) {
  std::vector<result::RepeatedMetric> out;
  for (const std::string name : {"iops", "lat_p50", "lat_p99"}) {
    auto& metric = out.emplace_back();
    metric.direction = row.name;
    metric.metric = metric_name(row, name);
  }
  for (const auto& run : repetitions)
    for (const auto& same : rows_of(run)) {
      if (same.name != row.name) continue;
      out[0].values.push_back(same.rate.iops().value_or(0));
      for (std::size_t i = 1; i < out.size() && same.whole; ++i)
        if (const auto value = result::percentile_of(same.latency, i == 1 ? 50 : 99))
          out[i].values.push_back(static_cast<double>(*value));
    }
  std::erase_if(out, [&](const auto& metric) { return metric.values.size() != repetitions.size(); });
  for (auto& metric : out) {
    const auto of = stats::summarize(metric.values);
    metric.ci95_low = of.ci95_low, metric.ci95_high = of.ci95_high;
  }
  return out;
}

// The interval over the repetitions. For two repetitions, it is the smaller and the larger value.
std::string interval_text(std::span<const result::RepeatedMetric> repeated, const Row& row) {
  struct Shown {
    std::string metric;
    std::string_view before, behind;
    std::span<const text::UnitStep> scale;
  };
  const Shown shown[] = {{"iops", "", " IOPS", text::kRateLive},
                         {"lat_p50", "; p50 ", "", text::kTimeLive},
                         {"lat_p99", ", p99 ", "", text::kTimeLive}};
  std::string out;
  const result::RepeatedMetric* last = nullptr;
  for (const auto& of : shown)
    for (const auto& metric : repeated) {
      if (metric.direction != row.name || metric.metric != metric_name(row, of.metric)) continue;
      last = &metric;
      out += fmt::format("{}{}{}", of.before, range_text(metric.ci95_low, metric.ci95_high, of.scale), of.behind);
    }
  if (last == nullptr) return "";
  return fmt::format("{} ({}{} runs)", out, parts::has_interval(*last) ? "95 %, " : "", last->values.size());
}

// The interval of a row's numbers. Empty: they come from one run.
std::string sure_text(const result::Run& run, std::span<const result::Run> repetitions, const Row& row) {
  const bool of_one = run.jobs.size() == 1 && !(row.due && row.issued);
  if (of_one) return interval_text(run.repeated, row);
  return repetitions.size() > 1 ? interval_text(repeated_of(row, repetitions), row) : "";
}

std::string rows(const result::Run& run, std::span<const result::Run> repetitions, const Lines& lines) {
  const auto all = rows_of(run);
  std::string out;
  for (std::size_t i = 0; i < all.size() && i < kMostRows; ++i) {
    const auto& row = all[i];
    const auto begin = begin_text(row);
    auto percentiles = percentiles_text(row);
    const auto behind = percentiles.empty() || !begin.empty() ? "" : "; " + percentiles;
    out += lines.one(row.name.size() > 8 ? row.name + ": " : row.name, rate_text(row) + behind);
    if (!begin.empty() && !percentiles.empty()) out += lines.one("", fmt::format("{} {}", percentiles, begin));
    const auto sure = sure_text(run, repetitions, row);
    if (!sure.empty()) out += lines.one("", sure);
  }
  if (all.size() > kMostRows)
    out += lines.one("", fmt::format("and {} more rows in the report", all.size() - kMostRows));
  return out;
}

NumbersOf numbers_of(const Row& row, std::string interval) {
  NumbersOf out{row.name, {}, std::move(interval)};
  const auto iops = row.rate.iops(), bytes_per_s = row.rate.bytes_per_s();
  if (iops) out.numbers.push_back({"IOPS", text::unit_text(*iops, text::kRateLive)});
  if (bytes_per_s && *bytes_per_s > 0)
    out.numbers.push_back({"bandwidth", text::unit_text(*bytes_per_s, text::kBytesThree) + "/s"});
  const auto p99 = row.whole ? result::percentile_of(row.latency, 99) : std::nullopt;
  const auto begin = begin_text(row);
  if (p99)
    out.numbers.push_back(
        {fmt::format("{}p99{}{}", row.part, begin.empty() ? "" : " ", begin), time_text(static_cast<double>(*p99))});
  return out;
}

bool has_nothing(const result::Run& run) {
  const bool some_failed =
      std::any_of(run.jobs.begin(), run.jobs.end(), [](const auto& job) { return job.error_count > 0; });
  return result::nothing_measured(run) && !some_failed;
}

std::string subject(const result::Run& run) {
  if (!result::nothing_measured(run)) return measured(run);
  return has_failed_ios(run) ? "nothing: every I/O failed" : "nothing: a job failed";
}

}  // namespace

std::optional<Pieces> pieces(const result::Run& run, std::span<const result::Run> repetitions) {
  if (has_nothing(run)) return std::nullopt;
  Pieces out;
  if (run.paging) {
    add_paging(*run.paging, out);
    add_checks(run, is_repeated(*run.paging), {}, out);
    return out;
  }
  out.measured = subject(run);
  const auto all = rows_of(run);
  for (std::size_t i = 0; i < all.size() && i < kMostRows; ++i)
    out.numbers.push_back(numbers_of(all[i], sure_text(run, repetitions, all[i])));
  out.more = all.size() - out.numbers.size();
  add_checks(run, !run.repeated.empty(), repetitions, out);
  return out;
}

std::string verdict(const result::Run& run, std::size_t columns, std::span<const result::Run> repetitions) {
  const Lines lines{columns};
  if (has_nothing(run)) return "";
  if (run.paging) return paging_verdict(run, lines);
  return lines.one("measured", subject(run)) + rows(run, repetitions, lines) +
         checks_lines(run, lines, !run.repeated.empty(), repetitions);
}

}  // namespace fathom::report::headline
