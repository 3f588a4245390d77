// Jobs that drove queue pairs of their own: what each device did, how the transport was used, what the driver cost, and
// whose limit was measured.
#include <fmt/format.h>

#include <algorithm>

#include "report/normal_parts.h"
#include "result/queue_rates.h"

namespace fathom::report {
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
  auto rows = device_rows(job);
  if (rows.size() != 1) rows.push_back(total_row(job));
  std::size_t width = 24;
  for (const auto& row : rows) width = std::max(width, row.name.size());
  const std::string head = fmt::format("  devices {}:", job.name);
  const std::size_t edge = width + 17;  // where the column of IOPS ends
  std::string out = fmt::format("{}{:>{}} {:>10} {:>10} {:>10} {:>10}\n", head, "IOPS",
                                edge - std::min(edge - 5, head.size()), "MiB/s", "mean us", "min us", "max us");
  for (const auto& row : rows) out += row_text(row, width);
  return out;
}

std::string transport(const result::Job& job, const result::QueueStats& queue, const QueueRates& rates) {
  return fmt::format(
      "  transport {}: {} queue pair{}, commands written by `{}`; idle {:.1f} % of the time; {:.2f} I/Os a submission "
      "doorbell, {:.2f} a completion doorbell; {:.2f} completions a poll that found any, {:.1f} % of {} polls found "
      "none\n",
      job.name, queue.queue_pairs, queue.queue_pairs == 1 ? "" : "s", queue.sq_copy, rates.idle_percent,
      rates.ios_per_sq_doorbell, rates.ios_per_cq_doorbell, rates.completions_per_poll, rates.idle_polls_percent,
      queue.polls);
}

std::string driver(const result::Job& job, const QueueRates& rates) {
  return fmt::format(
      "  driver {}: busy {:.2f} ns an I/O{}\n", job.name, rates.busy_ns_per_io,
      rates.busy_ticks_per_io > 0
          ? fmt::format(", {:.0f} ticks of the CPU clock; the budget at 10 million a second is {:.0f} cycles",
                        rates.busy_ticks_per_io, kBudgetCycles)
          : std::string());
}

// Only what happened.
std::string troubles(const result::Job& job, const result::QueueStats& queue) {
  struct Row {
    std::uint64_t count;
    const char* words;
  };
  const Row rows[] = {{queue.waited, "waited for a slot"},
                      {queue.split, "split by the largest transfer"},
                      {queue.timeouts, "timed out"},
                      {queue.aborted, "aborted"},
                      {queue.unexpected, "completions that belong to no command"}};
  std::string out;
  for (const auto& row : rows)
    if (row.count > 0) out += fmt::format("{}{} {}", out.empty() ? "" : ", ", row.count, row.words);
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
        "  limit {}: the device: the driver waited {:.1f} % of the time, so its number is {:.2f} busy ns an I/O, not "
        "IOPS\n",
        job.name, rates.idle_percent, rates.busy_ns_per_io);
  out += software_line(job, queue, rates);
  if (queue.doorbell_cost_ns > 0)
    out += fmt::format("  model {}: each doorbell write was made to cost {} ns; these rates are the model's\n",
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

}  // namespace fathom::report
