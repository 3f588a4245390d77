// Details of a job: its options, its latencies in columns, and all other stored facts.
#include <array>
#include <vector>

#include "report/details/detail_lines.h"
#include "report/parts/derived.h"
#include "result/sums/percentiles.h"

namespace fathom::report::details {
namespace {

// A column of the latency table.
struct Column {
  std::string_view name;
  const result::Latency* latency;
};

std::string cells(std::string_view name, const std::vector<Column>& columns, const auto& text) {
  std::string out = fmt::format("  {:<14}", name);
  for (const auto& column : columns) out += fmt::format("{:>11}", text(column));
  return out + "\n";
}

std::string latency_table(const result::Job& job, std::string_view of, const std::vector<Column>& all) {
  std::vector<Column> columns;
  for (const auto& column : all)
    if (column.latency->moments_ns.n > 0) columns.push_back(column);
  if (columns.empty()) return "";
  const auto row = [&](std::string_view name, const auto& ns) {
    return cells(name, columns, [&](const Column& c) { return time_text(ns(c.latency->moments_ns)); });
  };
  using Moments = stats::Moments;
  std::string out = heading(fmt::format("latencies of {}, {}", job.name, of));
  out += cells("", columns, [](const Column& c) { return std::string(c.name); });
  out += cells("samples", columns, [](const Column& c) { return std::to_string(c.latency->moments_ns.n); });
  out += row("least", [](const Moments& m) { return static_cast<double>(m.min()); });
  out += row("mean", [](const Moments& m) { return m.mean(); });
  out += row("deviation", [](const Moments& m) { return m.stddev(); });
  for (const double p : job.percentile_list)
    out += cells(fmt::format("p{:g}", p), columns, [&](const Column& c) {
      const auto ns = result::percentile_of(*c.latency, p);
      return ns ? time_text(static_cast<double>(*ns)) : std::string("-");
    });
  return out + row("most", [](const Moments& m) { return static_cast<double>(m.max); });
}

std::string latencies(const result::Job& job) {
  std::string out;
  for (std::size_t i = 0; i < result::kDirs; ++i) {
    const auto& d = job.dirs[i];
    out += latency_table(job, parts::kDirNames[i],
                         {{"slat", &d.slat},
                          {"clat", &d.clat},
                          {"lat", &d.lat},
                          {"intended", &d.intended_lat},
                          {"started late", &d.start_delay}});
    for (const auto& p : d.priorities)
      if (d.priorities.size() > 1)
        out += latency_table(job, fmt::format("{} of priority {}/{}", parts::kDirNames[i], p.io_class, p.level),
                             {{"latency", &p.latency}});
  }
  return out + latency_table(job, "sync", {{"sync", &job.sync_lat}});
}

std::string direction_facts(const result::Job& job, std::size_t i) {
  const auto& d = job.dirs[i];
  if (!parts::used(d)) return "";
  std::string out = fmt::format("{} I/Os, {}, in {}", d.ios, bytes_text(static_cast<double>(d.bytes)),
                                time_text(static_cast<double>(d.runtime_ns)));
  if (d.moved_ios != d.ios)
    out += fmt::format("; ramp and reading back included {}, {}", d.moved_ios,
                       bytes_text(static_cast<double>(d.moved_bytes)));
  if (d.error_ios > 0) out += fmt::format("; {} failed", d.error_ios);
  if (job.rate.asked_iops[i] > 0) out += fmt::format("; requested {} per second", rate_text(job.rate.asked_iops[i]));
  if (job.rate.asked_bytes_per_s[i] > 0) out += fmt::format("; asked {}/s", bytes_text(job.rate.asked_bytes_per_s[i]));
  if (d.series.size() > 1) out += fmt::format("; {} points of {} ms", d.series.size(), job.series_width_ms);
  return fact(parts::kDirNames[i], out);
}

// All classes of block sizes. The line `delivered` has at most six.
std::string size_facts(const result::Job& job) {
  std::string out;
  for (std::size_t i = 0; i < result::kDirs; ++i) {
    std::uint64_t all = job.delivery.other_ios[i];
    for (const auto& share : job.delivery.sizes[i]) all += share.ios;
    for (const auto& share : job.delivery.sizes[i])
      out += fact(
          fmt::format("{} of {}", parts::kDirNames[i],
                      share.low_bytes == share.high_bytes ? base::text::size_text(share.low_bytes)
                                                          : fmt::format("{}-{}", base::text::size_text(share.low_bytes),
                                                                        base::text::size_text(share.high_bytes))),
          fmt::format("{} I/Os, {:.1f} %, asked {:.1f}", share.ios,
                      all == 0 ? 0.0 : 100 * static_cast<double>(share.ios) / static_cast<double>(all),
                      share.asked_percent));
    if (job.delivery.other_ios[i] > 0)
      out += fact(fmt::format("{} of others", parts::kDirNames[i]), fmt::format("{} I/Os", job.delivery.other_ios[i]));
  }
  return out;
}

std::string delivery_facts(const result::Job& job) {
  const auto& d = job.delivery;
  std::string out;
  if (d.window_bytes > 0)
    out +=
        fact("could reach",
             fmt::format("{} of its targets; moved {}{}", bytes_text(static_cast<double>(d.window_bytes)),
                         bytes_text(static_cast<double>(d.done_bytes)), d.work_done ? ", all the work there was" : ""));
  if (d.mean_depth) out += fact("mean depth", fmt::format("{:.3g} of {}", *d.mean_depth, d.asked_depth));
  return out + bytes_fact("left unsynced", d.unsynced_bytes) + size_facts(job);
}

std::string process_facts(const result::Job& job) {
  const auto& io = job.process_io;
  const std::string of = job.thread ? "thread" : "process";
  std::string out = fact(
      "worker", fmt::format("{} {}, {} in all", of, job.pid, time_text(static_cast<double>(job.job_runtime_ms) * 1e6)));
  if (!io.readable) return out;
  return out + bytes_fact("rchar", io.rchar) + bytes_fact("wchar", io.wchar) + bytes_fact("read_bytes", io.read_bytes) +
         bytes_fact("write_bytes", io.write_bytes) + bytes_fact("cancelled", io.cancelled_write_bytes);
}

// A reason that is a warning is omitted: it is among the findings and in the line `clock`.
std::string clock_facts(const result::ClockFacts& c) {
  if (c.source.empty()) return "";
  std::string out = fact("clock", c.source);
  if (c.ticks_per_second > 0) out += fact("ticks", rate_text(c.ticks_per_second) + " per second");
  if (c.fit && !c.fell_back && c.verdict == "passed") out += fact("why this clock", c.reason);
  if (c.test != "none")
    out += fact("cross-core test", fmt::format("{}, {}{}", c.test, c.verdict, c.test_cached ? ", of this boot" : ""));
  return out;
}

// All error records. The normal report has only the first one.
std::string error_facts(const result::Job& job) {
  std::string out;
  for (const auto& e : job.errors) {
    std::string text = fmt::format("errno {}", e.err);
    if (!e.file.empty()) text += " of " + e.file;
    if (e.offset_bytes) text += fmt::format(" at {}", *e.offset_bytes);
    if (e.length_bytes) text += fmt::format(", {} bytes", *e.length_bytes);
    out += fact("failed " + e.op, text + (e.went_on ? "; the job continued" : ""));
  }
  return out;
}

std::string steady_facts(const result::Job& job) {
  if (!job.steady_state) return "";
  const auto& s = *job.steady_state;
  return fact("steadystate asked", fmt::format("{}{} within {:g}{}, over {} s", s.criterion, s.slope ? " slope" : "",
                                               s.limit, s.percent ? " %" : "", s.duration_s)) +
         fact("steadystate seen", fmt::format("deviation {:.3g}, slope {:.3g}", s.max_deviation, s.slope_value));
}

std::string replay_facts(const result::Job& job) {
  if (!job.replay || job.replay->recorded_ios.size() != job.replay->achieved_ios.size()) return "";
  const auto& r = *job.replay;
  std::string out;
  for (std::size_t i = 0; i < r.recorded_ios.size(); ++i)
    out += fact(fmt::format("I/Os from {} s", i * r.interval_ms / 1000),
                fmt::format("{}, recorded {}", r.achieved_ios[i], r.recorded_ios[i]));
  return out;
}

}  // namespace

std::string job_details(const result::Run& run, const result::Job& job) {
  std::string out = heading(fmt::format("details of {}", job.name)) + fact("options", options_text(job.options)) +
                    fact("drawn with", options_text(job.seeds));  // only for a repetition
  if (job.start_epoch_ms >= run.time_epoch_ms && run.time_epoch_ms > 0)
    out += fact("begun after", time_text(static_cast<double>(job.start_epoch_ms - run.time_epoch_ms) * 1e6));
  for (std::size_t i = 0; i < result::kDirs; ++i) out += direction_facts(job, i);
  out += count("late I/Os", job.rate.late_ios);
  if (job.read_back_ns > 0) out += fact("reading back", time_text(static_cast<double>(job.read_back_ns)));
  return out + delivery_facts(job) + process_facts(job) + clock_facts(job.clock) + steady_facts(job) +
         replay_facts(job) + error_facts(job) + latencies(job);
}

}  // namespace fathom::report::details
