// fathom's own section, after all of fio's: how the numbers were stamped and by what clock, latency from the intended
// start, repetitions, the state of the machine, and every doubt with its remedy. Every line begins with two spaces and
// a word that no line of fio's begins with, so that a script's grep over fio's lines finds nothing new. Lines that
// several jobs share are printed once.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/unit_text.h"
#include "report/derived.h"
#include "report/normal_parts.h"
#include "report/numbers.h"
#include "result/measured.h"
#include "result/percentiles.h"

namespace fathom::report {
namespace {

std::string time_text(double ns) { return base::unit_text(ns, base::kTime); }

std::string width_text(const result::StampWidth& width) {
  if (width.batches == 0) return "none";
  return fmt::format("{:.2f} I/Os a reading (largest {}), width {} (largest {})",
                     static_cast<double>(width.ios) / static_cast<double>(width.batches), width.max_ios,
                     time_text(width.mean_ns), time_text(static_cast<double>(width.max_ns)));
}

std::string stamps_text(const result::Job& job) {
  return fmt::format("{} placement; submit {}; reap {}", job.stamps.placement, width_text(job.stamps.submit),
                     width_text(job.stamps.reap));
}

// Each class of block sizes; of many only the one that is farthest from what was asked.
std::string sizes_text(const result::Delivery& delivery, std::size_t d) {
  constexpr std::size_t kMost = 6;
  const auto& shares = delivery.sizes[d];
  if (shares.empty()) return "";
  std::uint64_t all = delivery.other_ios[d];
  for (const auto& share : shares) all += share.ios;
  const auto percent = [&](const result::SizeShare& share) {
    return all == 0 ? 0.0 : 100.0 * static_cast<double>(share.ios) / static_cast<double>(all);
  };
  const auto text = [&](const result::SizeShare& share) {
    const std::string last = share.high_bytes == share.low_bytes ? "" : fmt::format("-{}", share.high_bytes);
    return fmt::format("{}{} {:.1f} % of {:.1f}", share.low_bytes, last, percent(share), share.asked_percent);
  };
  std::string out;
  if (shares.size() <= kMost) {
    for (const auto& share : shares) out += (out.empty() ? "" : ", ") + text(share);
    return fmt::format("; {} sizes {}", kDirNames[d], out);
  }
  const auto off = [&](const auto& share) { return std::abs(percent(share) - share.asked_percent); };
  const auto farthest =
      std::max_element(shares.begin(), shares.end(), [&](const auto& a, const auto& b) { return off(a) < off(b); });
  return fmt::format("; {} sizes in {} classes, farthest {}", kDirNames[d], shares.size(), text(*farthest));
}

// What was delivered "of" what was asked. A job of one size, one direction and depth 1 delivers that.
std::string delivery_text(const result::Job& job) {
  const auto& delivery = job.delivery;
  std::string out;
  if (delivery.asked_depth > static_cast<std::uint64_t>(job.members) && delivery.mean_depth)
    out += fmt::format("; depth {:.1f} of {}", *delivery.mean_depth, delivery.asked_depth);
  if (delivery.asked_depth > static_cast<std::uint64_t>(job.members) && delivery.depth_samples > 0)
    out += fmt::format(", full at {:.0f} % of {} looks",
                       100.0 * static_cast<double>(delivery.full_samples) / static_cast<double>(delivery.depth_samples),
                       delivery.depth_samples);
  const double mixed = static_cast<double>(job.dirs[0].ios + job.dirs[1].ios);
  if (delivery.asked_read_percent && mixed > 0)
    out += fmt::format("; reads {:.1f} % of {:.1f}", 100 * static_cast<double>(job.dirs[0].ios) / mixed,
                       *delivery.asked_read_percent);
  for (std::size_t d = 0; d < result::kDirs; ++d) out += sizes_text(delivery, d);
  if (delivery.asked_bytes > 0)
    out += fmt::format("; bytes {:.4g} % of {}",
                       100.0 * static_cast<double>(delivery.done_bytes) / static_cast<double>(delivery.asked_bytes),
                       delivery.asked_bytes);
  return out.empty() ? "" : out.substr(2);
}

// Of what verify= looked at: bytes, and against what they were held.
std::string verified_text(const result::Job& job) {
  const auto& v = job.verified;
  const std::pair<std::uint64_t, const char*> parts[] = {
      {v.exact, "exact version"}, {v.some_version, "some version"}, {v.withheld, "withheld"}};
  const auto standing = static_cast<double>(v.exact + v.some_version + v.withheld);
  std::string out;
  for (const auto& [bytes, name] : parts)
    if (bytes > 0)
      out += fmt::format("{}{} bytes ({:.4g} %) {}", out.empty() ? "" : "; ", bytes,
                         100 * static_cast<double>(bytes) / standing, name);
  if (v.overwritten > 0)
    out += fmt::format("{}{} bytes written over by the job itself", out.empty() ? "" : "; ", v.overwritten);
  return out;
}

std::string percentile_text(const result::Latency& latency, double p) {
  const auto value = result::percentile_of(latency, p);
  return value ? time_text(static_cast<double>(*value)) : "-";
}

std::string intended_lines(const result::Run& run) {
  std::string out;
  for (const auto& job : run.jobs) {
    for (std::size_t i = 0; i < result::kDirs; ++i) {
      const auto& moments = job.dirs[i].intended_lat.moments_ns;
      if (moments.n == 0) continue;
      out += fmt::format("  from intended start {} {}: mean {}, max {}", job.name, kDirNames[i],
                         time_text(moments.mean()), time_text(static_cast<double>(moments.max)));
      if (result::percentile_of(job.dirs[i].intended_lat, 50))
        out +=
            fmt::format(", p50 {}, p99 {}, p99.9 {}", percentile_text(job.dirs[i].intended_lat, 50),
                        percentile_text(job.dirs[i].intended_lat, 99), percentile_text(job.dirs[i].intended_lat, 99.9));
      out += fmt::format("; {} of {} late", job.rate.late_ios, moments.n);
      const auto& delay = job.dirs[i].start_delay;
      if (result::percentile_of(delay, 50))
        out += fmt::format("; started late by p50 {}, p99.99 {}, max {}", percentile_text(delay, 50),
                           percentile_text(delay, 99.99), time_text(static_cast<double>(delay.moments_ns.max)));
      out += "\n";
    }
  }
  return out;
}

std::string error_lines(const result::Run& run) {
  std::string out;
  for (const auto& job : run.jobs)
    if (job.error_count > 0)
      out += fmt::format("  failed I/Os {}: {}, first with errno {}\n", job.name, job.error_count, job.error);
  return out;
}

// What kept a job from its work, where it is written and what can be done: the first that has more to it than an errno.
std::string failure_text(const result::Job& job) {
  const auto& errors = job.errors;
  const auto e = std::find_if(errors.begin(), errors.end(),
                              [](const auto& each) { return !each.what.empty() || !each.remedy.empty(); });
  if (e == errors.end()) return "";
  std::string out;
  if (e->place && e->place->line > 0)
    out += fmt::format("{}:{}:{}: ", e->place->file, e->place->line, std::max(1, e->place->column));
  out += e->what.empty() ? e->cause : e->what;
  if (!e->what.empty() && !e->cause.empty()) out += "\n    cause: " + e->cause;
  if (!e->remedy.empty()) out += "\n    remedy: " + e->remedy;
  return out;
}

}  // namespace

std::string repeat_lines(const result::Run& run) {
  std::string out;
  for (const auto& metric : run.repeated) {
    const auto shown = [&](double value) { return quantity_text(value, metric.unit); };
    std::string whose;
    for (const auto* word : {&metric.job, &metric.direction, &metric.metric}) whose += word->empty() ? "" : " " + *word;
    out += fmt::format("  repeat{}: median {}, mean {}, {}{} to {} ({} runs)\n", whose, shown(metric.median),
                       shown(metric.mean), has_interval(metric) ? "95 % interval " : "from ", shown(metric.ci95_low),
                       shown(metric.ci95_high), metric.values.size());
  }
  return out;
}

std::string settle_line(const result::Settle& settle) {
  if (!settle.asked) return "";
  return fmt::format("  settle: {} after {:.1f} s; background cpu {:.1f} %, disk {:.1f} I/O/s, {:.0f} B/s\n",
                     settle.settled ? "idle" : "not idle", settle.waited_s, settle.background_cpu_percent,
                     settle.background_disk_iops, settle.background_disk_bytes_per_s);
}

std::string finding_lines(const result::Run& run) {
  std::string out;
  for (const auto& finding : run.findings) {
    out += fmt::format("  {} [{}]{}: {}\n", result::name(finding.severity), finding.id,
                       finding.job.empty() ? "" : " " + finding.job, finding.evidence);
    if (!finding.remedy.empty()) out += fmt::format("    remedy: {}\n", finding.remedy);
  }
  return out;
}

std::string fathom_block(const result::Run& run) {
  const auto& program = run.program;
  std::string out = fmt::format("\n{} {} (commit {}), schema {}:\n", program.name, program.version, program.commit,
                                run.schema_version);
  if (run.interrupted)
    out += result::nothing_measured(run) ? "  interrupted: nothing was measured\n"
                                         : "  interrupted: the numbers cover what was done until then\n";
  return out + error_lines(run) + lines_by_text(run, "failed", failure_text) +
         lines_by_text(run, "delivered", delivery_text) + lines_by_text(run, "verified", verified_text) +
         lines_by_text(run, "stamps", stamps_text) + clock_lines(run) + queue_lines(run) + breakdown_lines(run) +
         intended_lines(run) + audit_lines(run) + repeat_lines(run) + settle_line(run.settle) + finding_lines(run);
}

}  // namespace fathom::report
