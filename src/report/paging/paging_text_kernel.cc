// Facts from the kernel and the swap device for the same time: the device's part of a major fault, the series,
// counters.
#include <fmt/format.h>

#include <algorithm>

#include "report/paging/paging_chart.h"
#include "report/paging/paging_text_parts.h"
#include "report/paging/paging_view.h"
#include "report/parts/breakdown_rows.h"
#include "result/sums/cost_words.h"

namespace fathom::report::paging {

// The settings of the machine, with those that the run changed, and pmbench's snapshots of memory in one line each.

std::string paging_pressure(const result::Paging& paging) {
  const auto& p = paging.pressure;
  std::string out;
  if (!p.settings.empty()) {
    std::string text;
    for (const auto& [setting, value] : p.settings) {
      const bool changed = std::find(p.changed.begin(), p.changed.end(), setting) != p.changed.end();
      text += fmt::format("{}{}{} {}", text.empty() ? "" : ", ", changed ? "*" : "", setting, value);
    }
    out += wrapped("set to (*: by this run, restored after it): " + text, "  ");
  }
  for (const auto& swap : p.swaps) {
    if (swap.kind == "none") continue;
    auto text = fmt::format("swap {}: {} used of {} at the end", swap.path.empty() ? swap.name : swap.path,
                            short_bytes(swap.used_bytes), short_bytes(swap.size_bytes));
    if (swap.stored_bytes > 0)
      text += fmt::format("; {} stored in {} ({:.2f} to 1)", short_bytes(swap.stored_bytes),
                          short_bytes(swap.compressed_bytes),
                          swap.compressed_bytes == 0
                              ? 0
                              : static_cast<double>(swap.stored_bytes) / static_cast<double>(swap.compressed_bytes));
    out += wrapped(text, "  ");
  }
  return out.empty() ? "" : "\n" + out;
}

std::string paging_memory(const result::Paging& paging) {
  if (paging.memory_items.empty() || !paging.memory_items.front().windows.empty()) return "";
  std::string out = fmt::format("\n  {:<11}{:>12}{:>12}{:>12}{:>12}{:>12}\n", "memory", "free KiB", "cache KiB",
                                "swapped in", "out", "majors");
  const auto& first = paging.memory_items.front();
  for (const auto& item : paging.memory_items)
    out += fmt::format("  {:<11}{:>12}{:>12}{:>12}{:>12}{:>12}\n", item.name, item.free_kib, item.cache_kib,
                       item.pswpin - first.pswpin, item.pswpout - first.pswpout, item.pgmajfault - first.pgmajfault);
  return out;
}

namespace {

// Counters that describe paging, in the order in which a page reaches them.
constexpr const char* kCounters[] = {"pgfault",
                                     "pgmajfault",
                                     "pswpin",
                                     "pswpout",
                                     "swap_ra",
                                     "swap_ra_hit",
                                     "swpin_zero",
                                     "swpout_zero",
                                     "zswpin",
                                     "zswpout",
                                     "pgscan_kswapd",
                                     "pgscan_direct",
                                     "pgsteal_kswapd",
                                     "pgsteal_direct",
                                     "workingset_refault_anon",
                                     "workingset_refault_file",
                                     "allocstall_normal",
                                     "compact_stall",
                                     "thp_fault_alloc",
                                     "thp_swpout",
                                     "thp_split_page",
                                     "numa_hint_faults",
                                     "numa_pages_migrated",
                                     "pgmigrate_success",
                                     "pgpromote_success",
                                     "pgdemote_kswapd",
                                     "pgdemote_direct",
                                     "oom_kill"};

std::string counter_text(const std::map<std::string, std::uint64_t>& counts) {
  std::string text;
  for (const auto* name : kCounters) {
    const auto found = counts.find(name);
    if (found == counts.end() || found->second == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", name, found->second);
  }
  return text;
}

// The mean over complete intervals: the last one ends with the run.
double mean_interval_ms(const std::vector<result::PagingSeriesPoint>& series) {
  const std::size_t whole = std::max<std::size_t>(1, series.size() - 1);
  double sum_ms = 0;
  for (std::size_t i = 0; i < whole; ++i) sum_ms += static_cast<double>(series[i].interval_ms);
  return sum_ms / static_cast<double>(whole);
}

std::string device_line(const result::Paging& paging, const result::DeviceTime& device) {
  const auto& reads = device.read_ns;
  if (reads.moments_ns.n == 0 && device.write_ns.moments_ns.n == 0)
    return wrapped(
        fmt::format("device {}: no device time{}", device.device, device.cause.empty() ? "" : ": " + device.cause),
        "  ");
  std::string text = fmt::format("device {} by {}:", device.device, device.by);
  const auto direction = [&](const char* word, const result::AccessLatency& latency, std::uint64_t bytes) {
    if (latency.moments_ns.n == 0) return;
    text += fmt::format(" {} {} ({}), mean {}, p50 {}, p99 {};", latency.moments_ns.n, word, short_bytes(bytes),
                        short_time(latency.moments_ns.mean()), short_time(result::percentile_ns(latency, 50)),
                        short_time(result::percentile_ns(latency, 99)));
  };
  direction("reads", reads, device.read_bytes);
  direction("writes", device.write_ns, device.write_bytes);
  text.pop_back();
  if (device.foreign > 0)
    text += fmt::format("; {} of other processes omitted ({})", device.foreign, short_bytes(device.foreign_bytes));
  if (device.seen_share < 1) text += fmt::format("; traced {:.0f} % of the time", 100 * device.seen_share);
  if (result::is_told(device.watching))
    text += "; probe overhead of the accesses: " +
            result::sums::judged_words(device.watching, result::sums::terms_of(paging));
  if (device.lost > 0) text += fmt::format("; {} events without a partner", device.lost);
  if (!device.cause.empty()) text += " (" + device.cause + ")";
  if (const auto percent = result::served_percent(paging, device))
    text += fmt::format("; served {:.1f} % of the bytes that faults read", *percent);
  return wrapped(text, "  ");
}

std::string share_line(const result::Paging& paging) {
  const auto share = result::device_share(paging);
  if (!share) return "";
  const auto serving = std::count_if(paging.devices.begin(), paging.devices.end(),
                                     [](const auto& device) { return device.read_ns.moments_ns.n > 0; });
  return wrapped(fmt::format("a major fault takes {} on average (fullest bin {}): {} of it is {} read, {} is "
                             "software, {:.0f} % of {}",
                             short_time(share->major_mean_ns),
                             short_range(static_cast<double>(share->major_peak.begin_ns),
                                         static_cast<double>(share->major_peak.end_ns)),
                             short_time(share->device_mean_ns), serving > 1 ? "the" : "the device's",
                             short_time(share->overhead_ns), share->overhead_percent,
                             serving > 1 ? "the mean over the devices, weighted by what each served" : "the device's"),
                 "    ");
}

}  // namespace

std::string paging_devices(const result::Paging& paging) {
  std::string out;
  for (const auto& device : paging.devices) out += device_line(paging, device);
  return out.empty() ? "" : "\n" + out + share_line(paging);
}

std::string paging_watching(const result::Run& run) {
  std::string out;
  for (const auto& of : run.watching)
    out += wrapped(parts::watcher_words(of, result::sums::terms_of(*run.paging)), "  ");
  return out.empty() ? "" : "\n" + out;
}

std::string paging_series(const result::Paging& paging, const PagingTextOptions& o) {
  if (paging.series.empty()) return "";
  std::vector<SeriesLine> lines;
  for (const auto* name : {"accesses/s", "minor/s", "major/s", "pswpin/s", "pswpout/s", "promoted/s"})
    lines.push_back({name, {}, base::text::kCountColumn});
  double pressure = 0;
  for (const auto& point : paging.series) {
    const double seconds = static_cast<double>(point.interval_ms) / 1e3;
    if (seconds <= 0) continue;
    const auto kernel = [&](const char* name) {
      const auto found = point.kernel.find(name);
      return found == point.kernel.end() ? std::uint64_t{0} : found->second;
    };
    const std::uint64_t counts[] = {point.accesses,   point.minor,       point.major,
                                    kernel("pswpin"), kernel("pswpout"), kernel("pgpromote_success")};
    for (std::size_t i = 0; i < lines.size(); ++i) lines[i].values.push_back(static_cast<double>(counts[i]) / seconds);
    if (const auto some = point.pressure_percent.find("memory.some"); some != point.pressure_percent.end())
      pressure = std::max(pressure, some->second);
  }
  std::string out = "\n" + series_head(fmt::format("every {:.0f} ms", mean_interval_ms(paging.series)));
  for (const auto& line : lines) out += draw_series(line, o.width, o.utf8);
  if (pressure > 0) out += fmt::format("  memory pressure (PSI some) up to {:.1f} %\n", pressure);
  return out;
}

std::string paging_counters(const result::Paging& paging) {
  std::string out;
  const auto system = counter_text(paging.vmstat), group = counter_text(paging.memcg);
  if (!system.empty()) out += wrapped("kernel, whole machine: " + system, "  ");
  if (!group.empty()) out += wrapped("kernel, the run's cgroup: " + group, "  ");
  return out.empty() ? "" : "\n" + out;
}

}  // namespace fathom::report::paging
