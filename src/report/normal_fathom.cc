// fathom's section, after all sections of fio. It has the clock and the timestamps of the numbers, the latency from the
// intended start, and repetitions. It also has the state of the machine, and every finding with its help. Every line
// begins with two spaces and a word that starts no line of fio. So a script's grep for fio's lines finds nothing new.
// Lines that several jobs share are printed once.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "base/text/drift_text.h"
#include "base/text/unit_text.h"
#include "report/normal_parts.h"
#include "report/parts/breakdown_rows.h"
#include "report/parts/derived.h"
#include "report/parts/numbers.h"
#include "result/measured.h"
#include "result/sums/checks.h"
#include "result/sums/percentiles.h"
#include "result/sums/queue_rates.h"
#include "result/sums/rates.h"
#include "result/sums/same_findings.h"

namespace fathom::report {

// The clock of a run and fathom's overhead, in two lines for each distinct job. So the state of the clock is shown with
// every number.

std::string lines_by_text(const result::Run& run, const char* word,
                          const std::function<std::string(const result::Job&)>& text_of) {
  struct Line {
    std::string text, name;
    std::size_t jobs;
  };
  std::vector<Line> lines;
  for (const auto& job : run.jobs) {
    const std::string text = text_of(job);
    if (text.empty()) continue;
    const auto same = std::find_if(lines.begin(), lines.end(), [&](const Line& line) { return line.text == text; });
    if (same != lines.end())
      ++same->jobs;
    else
      lines.push_back({text, job.name, 1});
  }
  std::string out;
  for (const auto& line : lines)
    out += fmt::format("  {} {}{}: {}\n", word, line.name,
                       line.jobs > 1 ? fmt::format(" and {} more", line.jobs - 1) : "", line.text);
  return out;
}

namespace {

// Findings of older files, and findings without a row, have no values.
bool has_value(const result::Finding& finding, const std::string& text) {
  if (finding.values.empty()) return finding.evidence.find(text) != std::string::npos;
  return std::any_of(finding.values.begin(), finding.values.end(), [&](const auto& v) { return v.text == text; });
}

// Returns ": " and the sentence. If a finding contains the sentence, returns the finding's id instead, so that each is
// stated once.
std::string because(const result::Run& run, const std::string& sentence) {
  if (sentence.empty()) return "";
  for (const auto& finding : run.findings)
    if (has_value(finding, sentence)) return fmt::format(" [{}]", finding.id);
  return ": " + sentence;
}

// "passed the cross-core test (short, CPUs 0-1, detects offsets of 35 ns or more)"
std::string test_text(const result::Run& run, const result::ClockFacts& clock) {
  if (clock.check_skipped) return "not tested (--clock-check=skip)";
  const bool why_below = clock.fell_back || !clock.fit;  // clock_text() has stated the reason
  if (clock.test == "none") return clock.verdict + (why_below ? "" : because(run, clock.reason));
  const std::string verdict = clock.verdict == "failed"
                                  ? fmt::format("failed the cross-core test {} times", clock.mismatches)
                                  : clock.verdict + " the cross-core test";
  std::string how = clock.test;
  if (clock.test_cached) how += ", of this boot";
  if (!clock.cpus_tested.empty()) how += ", CPUs " + clock.cpus_tested;
  if (clock.detectable_ns > 0) how += fmt::format(", detects offsets of {:.0f} ns or more", clock.detectable_ns);
  return fmt::format("{} ({})", verdict, how);
}

// The bound of a short run depends more on its length than on the clock. So the drift stored for this boot comes first.
std::string drift_text(const result::ClockFacts& clock) {
  if (!clock.drift_ppm) return "";
  const std::string own = base::text::drift_text(*clock.drift_ppm, clock.drift_bound_ppm);
  if (!clock.boot_drift_ppm) return "; drift over the run " + own;
  return fmt::format("; drift {}, the value stored for this boot (a run of {:.3g} s; over this run alone {})",
                     base::text::drift_text(*clock.boot_drift_ppm, clock.boot_drift_bound_ppm), clock.boot_drift_over_s,
                     own);
}

std::string clock_text(const result::Run& run, const result::Job& job) {
  const auto& clock = job.clock;
  if (clock.source.empty()) return "";
  std::string out = clock.source;
  if (clock.fell_back) out += " instead of the CPU clock" + because(run, clock.reason);
  if (!clock.fell_back && !clock.fit) out += ", unfit" + because(run, clock.reason);
  if (clock.source == "cpu" || clock.fell_back || clock.source == "sim")
    out += (clock.fell_back || !clock.fit ? "; " : ", ") + test_text(run, clock);
  if (clock.source == "cpu") out += fmt::format("; {:.6g} MHz by {}", clock.ticks_per_second / 1e6, clock.calibration);
  if (clock.source == "cpu" && clock.calibration_error_ppm > 0)
    out += fmt::format(" (± {:.2g} ppm)", clock.calibration_error_ppm);
  out += drift_text(clock);
  if (clock.read_cost_ns > 0)
    out += fmt::format("; a clock read costs {:.1f} ns, resolution {:.4g} ns", clock.read_cost_ns, clock.resolution_ns);
  return out;
}

std::string cost_text(const result::Job& job) {
  if (!job.own_cost) return "";
  return fmt::format("{:.1f} ns per I/O on this machine, {:.1f} ns of it per recorded latency",
                     job.own_cost->loop_ns_per_io, job.own_cost->record_ns);
}

}  // namespace

std::string clock_lines(const result::Run& run) {
  const auto clock = [&](const result::Job& job) { return clock_text(run, job); };
  return lines_by_text(run, "clock", clock) + lines_by_text(run, "own cost", cost_text);
}

// Jobs with their own queue pairs: the work of each device, the use of the transport, the driver's cost, and the limit
// that was measured.

namespace {

using result::DeviceRow;
using result::kBudgetCycles;
using result::kNoPcieDevice;
using result::on_pcie;
using result::QueueRates;

std::string row_text(const DeviceRow& row, std::size_t width) {
  const auto us = [&row](double ns) { return row.timed() ? fmt::format("{:.2f}", ns / 1e3) : std::string("-"); };
  return fmt::format("    {:<{}} {:>12.2f} {:>10.2f} {:>10} {:>10} {:>10}\n", row.name, width, row.iops,
                     row.bytes_per_s / (1 << 20), us(row.mean_ns), us(static_cast<double>(row.min_ns)),
                     us(static_cast<double>(row.max_ns)));
}

std::string table(const result::Job& job) {
  auto rows = result::device_rows(job);
  if (rows.size() != 1) rows.push_back(result::total_row(job));
  std::size_t width = 24;
  for (const auto& row : rows) width = std::max(width, row.name.size());
  const std::string head = fmt::format("  devices {}:", job.name);
  const std::size_t edge = width + 17;  // end of the IOPS column
  std::string out = fmt::format("{}{:>{}} {:>10} {:>10} {:>10} {:>10}\n", head, "IOPS",
                                edge - std::min(edge - 5, head.size()), "MiB/s", "mean us", "min us", "max us");
  for (const auto& row : rows) out += row_text(row, width);
  return out;
}

std::string transport(const result::Job& job, const result::QueueStats& queue, const QueueRates& rates) {
  return fmt::format(
      "  transport {}: {} queue pair{}, commands written by `{}`; idle {:.1f} % of the time; {:.2f} I/Os per "
      "submission doorbell, {:.2f} per completion doorbell; {:.2f} completions per successful poll, {:.1f} % of {} "
      "polls empty\n",
      job.name, queue.queue_pairs, queue.queue_pairs == 1 ? "" : "s", queue.sq_copy, rates.idle_percent,
      rates.ios_per_sq_doorbell, rates.ios_per_cq_doorbell, rates.completions_per_poll, rates.idle_polls_percent,
      queue.polls);
}

std::string driver(const result::Job& job, const QueueRates& rates) {
  return fmt::format(
      "  driver {}: busy {:.2f} ns per I/O{}\n", job.name, rates.busy_ns_per_io,
      rates.busy_ticks_per_io > 0
          ? fmt::format(", {:.0f} ticks of the CPU clock; the budget at 10 million per second is {:.0f} cycles",
                        rates.busy_ticks_per_io, kBudgetCycles)
          : std::string());
}

// Only events that occurred.
std::string troubles(const result::Job& job, const result::QueueStats& queue) {
  struct Row {
    std::uint64_t count;
    const char* text;
  };
  const Row rows[] = {{queue.waited, "waited for a slot"},
                      {queue.split, "split at the largest transfer"},
                      {queue.timeouts, "timed out"},
                      {queue.aborted, "aborted"},
                      {queue.unexpected, "completions without a command"}};
  std::string out;
  for (const auto& row : rows)
    if (row.count > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", row.count, row.text);
  return out.empty() ? "" : fmt::format("  commands {}: {}\n", job.name, out);
}

std::string software_line(const result::Job& job, const result::QueueStats& queue, const QueueRates& rates) {
  if (!rates.pcie) return fmt::format("  software {}: {}\n", job.name, kNoPcieDevice);
  std::string names;
  for (const auto& device : queue.devices)
    if (!on_pcie(device.name)) names += (names.empty() ? "" : ", ") + device.name;
  return names.empty() ? "" : fmt::format("  software {}: of {}: {}\n", job.name, names, kNoPcieDevice);
}

std::string limits(const result::Job& job, const result::QueueStats& queue, const QueueRates& rates) {
  std::string out;
  if (rates.device_bound)
    out += fmt::format(
        "  limit {}: the device: the driver waited {:.1f} % of the time; its figure is {:.2f} busy ns per I/O, not "
        "IOPS\n",
        job.name, rates.idle_percent, rates.busy_ns_per_io);
  out += software_line(job, queue, rates);
  if (queue.doorbell_cost_ns > 0)
    out += fmt::format("  model {}: each doorbell write takes an emulated {} ns; these rates are of the model\n",
                       job.name, queue.doorbell_cost_ns);
  return out;
}

}  // namespace

std::string queue_lines(const result::Run& run) {
  std::string out;
  for (const auto& job : run.jobs) {
    if (!job.queue) continue;
    const auto rates = queue_rates(*job.queue);
    out += table(job) + transport(job, *job.queue, rates) + driver(job, rates) + troubles(job, *job.queue) +
           limits(job, *job.queue, rates);
  }
  return out;
}

// The audit in the text: one line, and one more for each cross-check with a cause that does not simply agree. The
// numbers of these lines are in bytes, so that the terms can be added up.

namespace {

std::string terms_text(const std::vector<result::AuditTerm>& terms) {
  std::string text;
  for (const auto& term : terms) text += fmt::format("{}{} {:.0f}", text.empty() ? "" : ", ", term.name, term.bytes);
  return text;
}

std::string witness_line(const result::Run& run, const result::AuditWitness& w) {
  if (w.verdict == result::Verdict::agrees || w.cause.empty()) return "";
  std::string out = fmt::format("  audit of {} {}{}{}: {}", w.source, w.subject, w.direction.empty() ? "" : " ",
                                w.direction, result::name(w.verdict));
  if (!w.diagnosis.empty()) out += " [" + w.diagnosis + "]";
  out += because(run, w.cause) + "\n";
  if (!w.terms.empty())
    out += fmt::format("    bytes: expected {:.0f} ({}), counted {:.0f}{}{}\n", w.expected_bytes, terms_text(w.terms),
                       w.seen_bytes, w.explained.empty() ? "" : "; explained: ", terms_text(w.explained));
  return out;
}

}  // namespace

std::string audit_lines(const result::Run& run) {
  if (!run.audit) return "";
  std::string out = "  audit: " + run.audit->line + "\n";
  for (const auto& witness : run.audit->witnesses) out += witness_line(run, witness);
  return out;
}

// `--breakdown`: the share of the latency that the parts explain, and a table of the parts. There is one table per
// direction of a job, if the I/Os with parts represent the job. Then follow the reasons why other I/Os have no parts,
// the tracepoints and the devices. The last value is the maximum difference of the two clocks.

namespace {

using result::Undivided;

// A share below 1 is never printed as 100 %.
std::string percent(double share) {
  constexpr double kNearlyAll = 99.9;
  return fmt::format("{:.1f} %", share < 1 ? std::min(kNearlyAll, 100 * share) : 100);
}

std::string why(Undivided reason, const result::BreakdownClass& c) {
  switch (reason) {
    case Undivided::no_request:
      return c.direct ? "no request: their blocks were never written (a hole, or only reserved)"
                      : "without a request to the device (page cache, a hole)";
    case Undivided::contested:
      return "overlapping another I/O at the same sectors";
    case Undivided::unplaced:
      return "with an unknown location on the disk";
    case Undivided::cut:
      return "still under way when tracing was switched off";
    case Undivided::lost:
      return "with events missing";
    case Undivided::no_room:
      return "with events lost because the table was full (lost, below)";
    case Undivided::unknown:
      break;
  }
  return "without any event, for an unknown reason";
}

// The I/Os without parts, by reason. The reason with the most time comes first.
std::string rest_lines(const result::BreakdownClass& c) {
  const double all_ns = result::looked_at_ns(c);
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < result::kUndivided; ++i)
    if (c.undivided[i].ios > 0) order.push_back(i);
  std::stable_sort(order.begin(), order.end(),
                   [&](auto a, auto b) { return c.undivided[a].time_ns > c.undivided[b].time_ns; });
  std::string out;
  for (const auto i : order) {
    const auto& rest = c.undivided[i];
    const double ns = static_cast<double>(rest.time_ns), ios = static_cast<double>(rest.ios);
    out +=
        fmt::format("    not divided: {} I/O{}, {} of the time, mean {} us: {}\n", rest.ios, rest.ios == 1 ? "" : "s",
                    percent(all_ns > 0 ? ns / all_ns : 0), parts::us(ns / ios), why(static_cast<Undivided>(i), c));
  }
  return out;
}

std::string parts_table(const result::BreakdownClass& c) {
  std::string out = fmt::format("    {:<12}{:>11} {:>11} {:>11} {:>11} {:>9} {:>9}{}\n", "part", "mean us", "p50 us",
                                "p99 us", "p99.9 us", "share", "I/Os", c.slices < 3 ? "" : "  from-to");
  const bool flush_told = c.parts[static_cast<std::size_t>(result::Part::flush)].covered;
  std::vector<std::string> zeros;
  for (const auto part : result::kInOrder) {
    const auto p = static_cast<std::size_t>(part);
    if (p >= result::kEventParts && !c.parts[p].covered) continue;
    if (parts::is_zero(c, p)) {
      zeros.emplace_back(name(part));
      continue;
    }
    const bool flushed = part == result::Part::completion && c.flushes > 0 && !flush_told;
    out += parts::part_row(flushed ? "compl.+flush" : name(part), c.parts[p],
                           {parts::share_of(c, p), c.share_half_width[p], parts::untold_of(c)});
  }
  out += parts::sum_rows(c);
  if (!zeros.empty()) out += fmt::format("    no time in: {}\n", fmt::join(zeros, ", "));
  if (c.flushes > 0 && !flush_told)
    out += fmt::format(
        "    each write waits for a flush after its data (sync=; {} flushes were seen): the flush is part of "
        "compl.+flush\n",
        c.flushes);
  if (c.parts[static_cast<std::size_t>(result::Part::handed)].covered)
    out += "    handed: queued by another task: an io_uring worker, a file system or an underlying driver\n";
  if (c.fua > 0) out += fmt::format("    {} I/Os wrote through the device's cache (FUA), within `device`\n", c.fua);
  if (c.outside > 0)
    out += fmt::format("    {} I/Os have events before the issue or after the reap, by {:.2f} us at most\n", c.outside,
                       static_cast<double>(c.outside_max_ns) / 1e3);
  return out;
}

// The time that the explained share refers to.
std::string spoken_of(result::BreakdownMode mode) {
  return mode == result::BreakdownMode::slices ? "the time of the traced I/Os" : "the time of all I/Os";
}

std::string table(const result::BreakdownClass& c, result::BreakdownMode mode) {
  std::string out = fmt::format("  breakdown {} {}: {} I/O{} traced, {} matched\n", c.job, c.direction, c.ios,
                                c.ios == 1 ? "" : "s", c.matched);
  out += fmt::format("    the parts explain {} of {}\n", percent(result::explained_share(c)), spoken_of(mode));
  if (result::stands_for_job(c))
    out += parts_table(c) + parts::band_lines(c);
  else if (c.matched > 0)
    out +=
        fmt::format("    no table: at least {} matched I/Os and {:.0f} % of the time are needed to represent the job\n",
                    result::kFewestDivided, 100 * result::kLeastExplained);
  return out + rest_lines(c);
}

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& word : words) out += (out.empty() ? "" : ", ") + word;
  return out;
}

}  // namespace

std::string breakdown_lines(const result::Run& run) {
  if (!run.breakdown || !run.breakdown->asked) return "";
  const auto& b = *run.breakdown;
  std::string out;
  if (!b.cause.empty())
    out += fmt::format("  breakdown: {}{}\n", b.classes.empty() ? "none: " : "incomplete: ", b.cause);
  for (const auto& c : b.classes) out += table(c, b.mode);
  if (b.classes.empty()) return out;
  out += fmt::format("  breakdown by {} ({}) on {}; clocks agree within {:.0f} ns\n", joined(b.tracepoints),
                     b.events_by, joined(b.devices), b.clock_error_ns);
  for (const auto& limit : b.io_limits) out += "  breakdown I/O limit active: " + limit + "\n";
  if (b.mode == result::BreakdownMode::slices)
    out += fmt::format(
        "  breakdown by sampling: {:.0f} % of the time, in random slices; shares are weighted by the time of all I/Os, "
        "assuming that within a latency band I/Os outside the slices are like those inside\n",
        100 * b.seen_share);
  for (const auto& c : b.classes) out += parts::watching_lines(b, c);
  return out + parts::lost_lines(b);
}

namespace {

std::string time_text(double ns) { return base::text::unit_text(ns, base::text::kTime); }

std::string width_text(const result::StampWidth& width) {
  if (width.batches == 0) return "none";
  return fmt::format("{:.2f} I/Os per clock read (largest {}), width {} (largest {})",
                     static_cast<double>(width.ios) / static_cast<double>(width.batches), width.max_ios,
                     time_text(width.mean_ns), time_text(static_cast<double>(width.max_ns)));
}

std::string stamps_text(const result::Job& job) {
  return fmt::format("{} placement; submit {}; reap {}", job.stamps.placement, width_text(job.stamps.submit),
                     width_text(job.stamps.reap));
}

// Each class of block sizes. With more than kMost classes, only the one farthest from its requested share.
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
    return fmt::format("; {} sizes {}", parts::kDirNames[d], out);
  }
  const auto off = [&](const auto& share) { return std::abs(percent(share) - share.asked_percent); };
  const auto farthest =
      std::max_element(shares.begin(), shares.end(), [&](const auto& a, const auto& b) { return off(a) < off(b); });
  return fmt::format("; {} sizes in {} classes, farthest {}", parts::kDirNames[d], shares.size(), text(*farthest));
}

// Achieved "of" requested values. A depth of 1, a single size and a single direction are always achieved, so they are
// omitted.
std::string delivery_text(const result::Job& job) {
  const auto& delivery = job.delivery;
  std::string out;
  if (delivery.asked_depth > static_cast<std::uint64_t>(job.members) && delivery.mean_depth)
    out += fmt::format("; depth {:.1f} of {}", *delivery.mean_depth, delivery.asked_depth);
  if (delivery.asked_depth > static_cast<std::uint64_t>(job.members) && delivery.depth_samples > 0)
    out += fmt::format(", full in {:.0f} % of {} samples",
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

// The bytes that verify= checked, by what they were compared with.
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
    out += fmt::format("{}{} bytes overwritten by the job", out.empty() ? "" : "; ", v.overwritten);
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
      out += fmt::format("  from intended start {} {}: mean {}, max {}", job.name, parts::kDirNames[i],
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

// The failure of a job: its place in the job file, its cause and its help. It comes from the first error with more than
// an errno.
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
  if (!e->remedy.empty()) out += "\n    help: " + e->remedy;
  return out;
}

}  // namespace

std::string repeat_lines(const result::Run& run) {
  std::string out;
  for (const auto& metric : run.repeated) {
    const auto shown = [&](double value) { return parts::quantity_text(value, metric.unit); };
    std::string whose;
    for (const auto* word : {&metric.job, &metric.direction, &metric.metric}) whose += word->empty() ? "" : " " + *word;
    out += fmt::format("  repeat{}: median {}, mean {}, {}{} to {} ({} runs)\n", whose, shown(metric.median),
                       shown(metric.mean), parts::has_interval(metric) ? "95 % interval " : "from ",
                       shown(metric.ci95_low), shown(metric.ci95_high), metric.values.size());
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
  for (const auto& [first, jobs] : result::sums::same_findings(run.findings)) {
    const auto& finding = *first;
    out += fmt::format("  {} [{}]{}: {}\n", result::name(finding.severity), finding.id,
                       jobs.empty() ? "" : " " + result::sums::jobs_text(jobs), finding.evidence);
    if (!finding.remedy.empty()) out += fmt::format("    help: {}\n", finding.remedy);
  }
  return out;
}

// fio divides the bytes of a group by its longest run time. If jobs began at different times, this is not the rate of
// all jobs.
std::string rate_lines(const result::Run& run) {
  std::map<std::pair<int, std::size_t>, result::sums::RateSum> sums;  // by group and direction
  for (const auto& job : run.jobs)
    for (std::size_t d = 0; d < result::kDirs; ++d)
      if (job.dirs[d].ios > 0) sums[{job.group_id, d}].add(job.dirs[d]);
  constexpr double kWorthALine = 1.01;
  std::string out;
  for (const auto& [of, sum] : sums) {
    const auto time_ns = static_cast<double>(sum.time_ns()), longest_ns = static_cast<double>(sum.longest_ns());
    if (time_ns > kWorthALine * longest_ns)
      out += fmt::format(
          "  rates of {}s in group {}: over {} from the first start to the last end; fio's line divides "
          "by the longest run time, {}\n",
          parts::kDirNames[of.second], of.first, time_text(time_ns), time_text(longest_ns));
  }
  return out;
}

std::string fathom_block(const result::Run& run) {
  std::string out = fmt::format("\n{}, schema {}:\n", program_text(run.program), run.schema_version);
  if (run.interrupted)
    out += result::nothing_measured(run) ? "  interrupted: nothing was measured\n"
                                         : "  interrupted: the numbers cover what was done until then\n";
  return out + error_lines(run) + lines_by_text(run, "failed", failure_text) + rate_lines(run) +
         lines_by_text(run, "delivered", delivery_text) + lines_by_text(run, "verified", verified_text) +
         (result::sums::is_reported(run) ? "" : lines_by_text(run, "stamps", stamps_text)) + clock_lines(run) +
         queue_lines(run) + breakdown_lines(run) + parts::watcher_lines(run.watching) + intended_lines(run) +
         replay_lines(run) + audit_lines(run) + repeat_lines(run) + settle_line(run.settle) + finding_lines(run);
}

}  // namespace fathom::report
