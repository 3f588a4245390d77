// The text of `fathom paging`: the verdict, then the setup and the results, then the warnings.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <string_view>
#include <vector>

#include "base/text/printable.h"
#include "base/text/unit_text.h"
#include "base/text/wrapped.h"
#include "report/headline/verdict.h"
#include "report/normal_parts.h"
#include "report/paging/paging_chart.h"
#include "report/paging/paging_text_parts.h"
#include "report/paging/paging_view.h"
#include "report/parts/shown.h"

namespace fathom::report::paging {

// The first lines name the setup and the clock. A text that is cut after them still identifies its run.

namespace {

std::string plural(std::uint64_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string memory_line(const result::Paging& p) {
  auto text = fmt::format("memory: map {}, set {} of {} pages, {}", short_bytes(p.map_bytes), short_bytes(p.set_bytes),
                          short_bytes(p.page_bytes), p.memory.empty() ? "anonymous" : p.memory);
  return text + (p.fill.empty() || p.fill == "none" ? ", not filled: the numbers include first touches"
                                                    : ", filled: " + p.fill);
}

// With pmbench's -y, the number of threads may differ by process.
std::string who(const result::Paging& p) {
  std::map<int, int> of_process;
  for (const auto& w : p.workers) ++of_process[w.process];
  std::vector<int> counts;
  counts.reserve(of_process.size());
  for (const auto& [process, count] : of_process) counts.push_back(count);
  if (std::adjacent_find(counts.begin(), counts.end(), std::not_equal_to<>{}) != counts.end())
    return fmt::format("{} processes of {} threads", p.processes, fmt::join(counts, ", "));
  const std::string threads = plural(static_cast<std::uint64_t>(p.threads), "thread", "threads");
  return p.processes > 1 ? fmt::format("{} processes of {}", p.processes, threads) : threads;
}

// pmbench's generators use their own seeds, and a trace uses no random numbers. In both cases `seed` is that of the
// fill.
std::string seed_text(const result::Paging& p) {
  if (p.seed == 0) return "";
  if (!p.pattern.starts_with("legacy:") && p.read_percent >= 0) return fmt::format(", seed {}", p.seed);
  return p.fill == "random" || p.fill.starts_with("compressible") ? fmt::format(", fill of seed {}", p.seed) : "";
}

std::string access_line(const result::Paging& p) {
  auto text = fmt::format("accesses: {}", p.pattern);
  if (p.shape != 0) text += fmt::format(" (shape {:g})", p.shape);
  if (p.read_percent < 0) {
    text += ", reads, writes and words of the trace";
  } else {
    text += fmt::format(", {:g} % reads, ", p.read_percent);
    text += p.offset_words < 0 ? "random word of the page" : fmt::format("word {} of the page", p.offset_words);
  }
  text += ", " + who(p);
  if (p.delay_ticks > 0) text += fmt::format(", {} ticks between accesses", p.delay_ticks);
  return text + (p.cold ? ", no warm-up" : "") + seed_text(p);
}

std::string swap_text(const result::PagingSwap& swap) {
  if (swap.kind == "none") return "none";
  std::string text = swap.name.empty() ? swap.kind : swap.name;
  if (!swap.path.empty() && swap.name.find(swap.path) == std::string::npos) text += " on " + swap.path;
  if (!swap.compressor.empty()) text += ", " + swap.compressor;
  return text + fmt::format(" ({})", short_bytes(swap.size_bytes));
}

std::string conditions_line(const result::Paging& p) {
  std::string text;
  for (const auto& [option, value] : p.conditions)
    text += fmt::format(" --{}{}", option, value.empty() ? "" : "=" + value);
  return text.empty() ? "" : "with:" + text;
}

std::string pressure_line(const result::PagingPressure& p) {
  if (!p.known) return "pressure: not recorded in the file";
  std::string text = p.limit_bytes == 0 ? ""
                                        : fmt::format("limit {}{}", short_bytes(p.limit_bytes),
                                                      p.controller.empty() ? "" : " (" + p.controller + ")");
  if (p.ambient_limit_bytes > 0)
    text += fmt::format("{}limit {} of the inherited memory group {}", text.empty() ? "" : " within the ",
                        short_bytes(p.ambient_limit_bytes), p.ambient_group);
  if (text.empty()) text = "no memory limit";
  if (p.swaps.empty()) return "pressure: " + text + ", no swap active";
  text += ", swap";
  for (std::size_t i = 0; i < p.swaps.size(); ++i) text += (i == 0 ? " " : "; ") + swap_text(p.swaps[i]);
  return "pressure: " + text;
}

std::string clock_line(const result::PagingClock& c) {
  std::string text = "clock: " + (c.stamps.empty() ? "none" : c.stamps);
  if (c.ticks_per_second > 0) text += fmt::format(", {:.3f} MHz", c.ticks_per_second / 1e6);
  if (!c.calibration.empty()) text += fmt::format(" by {} (within {:.1f} ppm)", c.calibration, c.calibration_error_ppm);
  if (c.floor_ns > 0) {
    const auto mean = [](double ns) { return ns > 0 ? fmt::format("mean {:.1f}", ns) : std::string(); };
    const auto floor_mean = mean(c.floor_mean_ns), load_mean = mean(c.cached_load_mean_ns);
    text += fmt::format("; timer overhead {:.1f} ns ({}p99 {:.1f}), with a cached load {:.1f} ns{}", c.floor_ns,
                        floor_mean.empty() ? "" : floor_mean + ", ", c.floor_ns_p99, c.cached_load_ns,
                        load_mean.empty() ? "" : " (" + load_mean + ")");
  }
  if (c.step_ns > 0) text += fmt::format("; resolution {:.2g} ns, the smallest difference of two accesses", c.step_ns);
  return text;
}

std::string class_line(const result::Paging& p) {
  if (p.access == "touch") return "classes: none, accesses are not stamped (touch)";
  if (!p.classified) return "classes: not distinguished, all counted as hits";
  return fmt::format("classes: by each thread's own fault counters, read after accesses of {} and more ({} per read)",
                     short_time(static_cast<double>(p.clock.slow_ns)), short_time(p.clock.lookup_ns));
}

std::string measured_line(const result::Paging& p) {
  auto text = fmt::format("measured: {} in {}", plural(result::accesses(p), "access", "accesses"),
                          short_time(static_cast<double>(p.window_ns)));
  if (p.interrupted) text += fmt::format(", interrupted (requested: {} s)", p.duration_s);
  if (p.measurement_bytes_per_thread == 0) return text;
  text += fmt::format("; measurement memory {} per thread, ", short_bytes(p.measurement_bytes_per_thread));
  if (p.locked) return text + "locked";
  if (p.locked_bytes_per_thread == 0) return text + "NOT locked";
  return text + fmt::format("{} of it locked, the rest NOT", short_bytes(p.locked_bytes_per_thread));
}

}  // namespace

std::string paging_head(const result::Run& run) {
  const auto& p = *run.paging;
  std::string out = fmt::format("{} paging {} (commit {}), schema {}\n", run.program.name, run.program.version,
                                run.program.commit, run.schema_version);
  if (p.imported)
    out = fmt::format("{} on {} {}, read from its file\n", p.imported->program, run.host.hostname, p.imported->os_name);
  for (const auto& line :
       {memory_line(p), access_line(p), conditions_line(p), pressure_line(p.pressure), clock_line(p.clock)})
    out += wrapped(line, "  ");
  if (!p.workers.empty()) out += wrapped(class_line(p), "  ") + wrapped(measured_line(p), "  ");
  return out;
}

std::string paging_score_line(const result::Paging& p) {
  if (p.score.accesses_per_s <= 0) return "";
  auto text = fmt::format("score: {} accesses/s", short_count(p.score.accesses_per_s));
  if (p.score.confidence > 0)
    text += fmt::format(", {:.0f} % interval {} to {}", 100 * p.score.confidence, short_count(p.score.low),
                        short_count(p.score.high));
  else if (p.score.high > p.score.low)
    text += fmt::format(", from {} to {}", short_count(p.score.low), short_count(p.score.high));
  if (!p.score.how.empty()) text += " (" + p.score.how + ")";
  return "\n" + wrapped(text, "");
}

// Two tables of where the time was spent: by class and direction, and by duration of the access (the paper's view).

namespace {

using result::AccessClass;
using result::AccessDir;

std::string row(const result::Paging& paging, std::string_view name, const result::AccessLatency& latency,
                const result::AccessLatency& all) {
  const auto& m = latency.moments_ns;
  if (m.n == 0) return "";
  const auto p = [&](double percentile) { return latency_text(paging, result::percentile_ns(latency, percentile)); };
  const auto max = static_cast<double>(m.max);
  const bool all_in_first_bin = max < kFirstBin_ns;  // otherwise the mean is computed from the middles of the bins
  return fmt::format("  {:<11}{:>8}{:>6}{:>6}{:>8}{:>7}{:>8}{:>8}{:>8}{:>8}\n", name,
                     short_count(static_cast<double>(m.n)),
                     short_percent(percent_of(static_cast<double>(m.n), static_cast<double>(all.moments_ns.n))),
                     short_percent(percent_of(static_cast<double>(m.sum), static_cast<double>(all.moments_ns.sum))),
                     all_in_first_bin ? latency_text(paging, m.mean()) : short_time(m.mean()), p(50), p(90), p(99),
                     p(99.9), latency_text(paging, max));
}

// The fullest bin of each class, the value that the paper reads from its figure.
std::string peaks(const result::Paging& paging) {
  std::string text;
  for (std::size_t c = 0; c < result::kAccessClasses; ++c) {
    const auto bins = stats::pmbench_view(result::of_class(paging.latency, static_cast<AccessClass>(c)).histogram_ns);
    const auto peak = stats::pmbench_peak(bins);
    if (peak.count == 0) continue;
    text +=
        fmt::format("{}{} {}", text.empty() ? "" : ", ", paging.classified ? name(static_cast<AccessClass>(c)) : "all",
                    short_range(static_cast<double>(peak.begin_ns), static_cast<double>(peak.end_ns)));
  }
  return text.empty() ? "" : wrapped("fullest of pmbench's bins: " + text, "  ");
}

}  // namespace

std::string paging_classes(const result::Paging& paging) {
  const auto all = result::of_all(paging.latency);
  if (all.moments_ns.n == 0) {
    const auto n = result::accesses(paging);
    if (n == 0) return "\nno access was made\n";
    return fmt::format("\n{} reads and {} writes, not stamped: no latencies\n",
                       result::accesses(paging, AccessDir::read), accesses(paging, AccessDir::write));
  }
  std::string out = fmt::format("\n  {:<11}{:>8}{:>6}{:>6}{:>8}{:>7}{:>8}{:>8}{:>8}{:>8}\n", "", "count", "of n",
                                "time", "mean", "p50", "p90", "p99", "p99.9", "max");
  if (paging.classified)
    for (std::size_t c = 0; c < result::kAccessClasses; ++c)
      for (std::size_t d = 0; d < result::kAccessDirs; ++d)
        out += row(paging, fmt::format("{} {}", name(static_cast<AccessClass>(c)), name(static_cast<AccessDir>(d))),
                   paging.latency[c][d], all);
  for (std::size_t d = 0; d < result::kAccessDirs; ++d)
    out += row(paging, fmt::format("all {}", name(static_cast<AccessDir>(d))),
               result::of_dir(paging.latency, static_cast<AccessDir>(d)), all);
  return out + row(paging, "all", all, all) + peaks(paging);
}

std::string paging_thresholds(const result::Paging& paging) {
  const auto all = result::of_all(paging.latency);
  if (all.moments_ns.n == 0) return "";
  std::string out =
      fmt::format("\n  {:<16}{:>10}{:>10}{:>10}{:>10}\n", "took at least", "accesses", "of them", "time", "of time");
  for (const auto& long_ones : result::long_accesses(all)) {
    if (long_ones.count == 0) break;
    out += fmt::format("  {:<16}{:>10}{:>10}{:>10}{:>10}\n",
                       base::text::unit_text(static_cast<double>(long_ones.threshold_ns), base::text::kTimeLimit),
                       short_count(static_cast<double>(long_ones.count)), short_percent(long_ones.count_percent),
                       short_time(long_ones.time_ns), short_percent(long_ones.time_percent));
  }
  const auto hundred_us = result::long_accesses(all)[2];
  double wall_ns = 0;
  for (const auto& worker : paging.workers) wall_ns += static_cast<double>(worker.wall_ns);
  auto share = fmt::format("{:.1f} % of the access time", hundred_us.time_percent);
  if (wall_ns > 0) share += fmt::format(", {:.1f} % of the run time,", percent_of(hundred_us.time_ns, wall_ns));
  return out + wrapped(share + " in accesses longer than 100 us", "  ");
}

// The paper's Table 2: five rows per configuration, over its repetitions.

namespace {

constexpr const char* kRows[] = {"1 mean of all accesses", "2 most frequent major", "3 mean of majors",
                                 "4 overhead of majors", "5 overhead of media %"};
constexpr std::size_t kColumnsAcross = 3;  // a line stays within 80 characters

std::string value_text(const result::PagingRow& row, bool percent) {
  const auto one = [&](double value) { return percent ? fmt::format("{:.0f} %", value) : short_time(value); };
  if (row.values.empty()) return "-";
  if (!percent && result::is_wide(row)) return short_range(row.low, row.high);
  const double half = result::half_width(row);
  return one(row.mean) + (half > 0 ? " ± " + one(half) : "");
}

// Right-aligned by characters, not bytes: ± has two bytes.
std::string right(const std::string& text, std::size_t width) {
  const auto shown = base::text::columns_of(text);
  return std::string(width > shown ? width - shown : 1, ' ') + text;
}

std::string block(const result::PagingTableColumn* first, std::size_t count) {
  std::string out = fmt::format("\n  {:<23}", "Table 2");
  for (std::size_t c = 0; c < count; ++c) {
    const auto& column = first[c].name;
    out += right(column.size() > 17 ? ".." + column.substr(column.size() - 15) : column, 18);
  }
  out += "\n";
  for (std::size_t r = 0; r < std::size(kRows); ++r) {
    out += fmt::format("  {:<23}", kRows[r]);
    for (std::size_t c = 0; c < count; ++c) out += right(value_text(first[c].rows[r], r == 4), 18);
    out += "\n";
  }
  return out;
}

// For a medium that is memory, the overhead of timing is a large part of the measured time.
std::string timing_note(const std::vector<result::PagingTableColumn>& columns) {
  std::string names;
  for (const auto& column : columns) {
    const bool timed = column.media_ns > 0 && !column.media.empty() && !column.media.starts_with("direct reads");
    if (timed && column.media_ns < result::kShortRequest_ns) names += (names.empty() ? "" : ", ") + column.name;
  }
  if (names.empty()) return "";
  return wrapped(fmt::format("{}: timing adds about {:.1f} us to each read: rows 1 to 3 include all of it, the media "
                             "time a part, row 4 the rest",
                             names, result::kTimingCost_ns / 1e3),
                 "  ");
}

}  // namespace

std::string paging_table2(const result::Paging& paging) {
  const auto& columns = paging.table2;
  std::string out;
  for (std::size_t c = 0; c < columns.size(); c += kColumnsAcross)
    out += block(&columns[c], std::min(kColumnsAcross, columns.size() - c));
  for (const auto& column : columns)
    out += wrapped(fmt::format("{}: {} repetition{}, media {}{}", column.name, column.rows[0].values.size(),
                               column.rows[0].values.size() == 1 ? "" : "s", short_time(column.media_ns),
                               column.media.empty() ? "" : " by " + column.media),
                   "  ");
  out += timing_note(columns);
  if (!columns.empty())
    out +=
        "  ±: half of a 95 % interval over the repetitions. With two repetitions, it is\n"
        "  half of their difference. A wide interval is printed instead of mean and ±.\n";
  return out;
}

// One line per thread. A thread that ran at another time than the others, or not at all, is visible only here: the sums
// hide it.

namespace {

std::string cpus_text(const std::vector<int>& cpus) {
  if (cpus.empty()) return "any";
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    while (last + 1 < cpus.size() && cpus[last + 1] == cpus[last] + 1) ++last;
    text += fmt::format("{}{}", text.empty() ? "" : ",", cpus[i]);
    if (last > i) text += fmt::format("-{}", cpus[last]);
    i = last + 1;
  }
  return text;
}

std::string row(const result::Paging& paging, const result::PagingThread& worker) {
  const auto all = result::of_all(worker.latency);
  const auto numbers = result::pmbench_thread(paging, worker);
  const auto p = [&](double percentile) {
    return all.histogram_ns.empty() ? std::string("-") : short_time(result::percentile_ns(all, percentile));
  };
  const double seconds = static_cast<double>(worker.wall_ns) / 1e9;
  auto line = fmt::format("  {:<8}{:>8}{:>9}{:>9}{:>9}{:>8}{:>8}{:>9}{:>9}  {}",
                          fmt::format("{}.{}", worker.process, worker.thread), cpus_text(worker.cpus),
                          short_count(static_cast<double>(numbers.samples)),
                          short_count(seconds > 0 ? static_cast<double>(numbers.samples) / seconds : 0),
                          short_time(numbers.net_us * 1e3), p(50), p(99), worker.kernel_minor, worker.kernel_major,
                          worker.error == 0 ? "" : fmt::format("ended early: errno {}", worker.error));
  line.erase(line.find_last_not_of(' ') + 1);
  return line + "\n";
}

}  // namespace

std::string paging_threads(const result::Paging& paging) {
  if (paging.workers.empty()) return "";
  std::string out = fmt::format("\n  {:<8}{:>8}{:>9}{:>9}{:>9}{:>8}{:>8}{:>9}{:>9}\n", "thread", "CPUs", "accesses",
                                "per s", "net mean", "p50", "p99", "minor", "major");
  std::uint64_t minor = 0, major = 0, own = 0, slow_hits = 0, extra = 0;
  for (const auto& worker : paging.workers) {
    out += row(paging, worker);
    minor += worker.kernel_minor;
    major += worker.kernel_major;
    own += worker.own_faults;
    slow_hits += worker.slow_hits;
    extra += worker.extra_faults;
  }
  if (!paging.classified || paging.access == "touch") return out;
  const auto classed = [&](result::AccessClass c) { return result::of_class(paging.latency, c).moments_ns.n; };
  return out +
         wrapped(fmt::format("faults: the kernel counted {} minor and {} major, the classes contain {} and {}; {} "
                             "additional within one access, {} by fathom itself; {} slow accesses without a fault",
                             minor, major, classed(result::AccessClass::minor), classed(result::AccessClass::major),
                             extra, own, slow_hits),
                 "  ");
}

std::string paging_charts(const result::Paging& paging, const PagingTextOptions& o) {
  const auto reads = result::of_dir(paging.latency, result::AccessDir::read).histogram_ns;
  const auto writes = result::of_dir(paging.latency, result::AccessDir::write).histogram_ns;
  const stats::Histogram* const both[] = {&reads, &writes};
  ChartStyle style{o.utf8, true, std::clamp<std::size_t>(o.width, 40, 200), 8};
  const auto axis = axis_for(both, style.width);
  std::string out;
  for (const bool logarithmic : {false, true}) {
    if (o.counts != CountAxis::both && logarithmic != (o.counts == CountAxis::logarithmic)) continue;
    style.log_counts = logarithmic;
    const auto* scale = logarithmic ? "logarithmic" : "linear";
    const auto title = [&](const char* word) { return fmt::format("\n  {} by latency, {} counts", word, scale); };
    out += draw_histogram(title("reads"), reads, axis, style) + draw_histogram(title("writes"), writes, axis, style);
  }
  return out;
}

}  // namespace fathom::report::paging

namespace fathom::report {

using namespace paging;

std::string paging_text(const result::Run& as_it_is, const PagingTextOptions& o) {
  if (!as_it_is.paging) return "";
  const auto run = parts::shown(as_it_is);
  const auto& p = *run.paging;
  const bool table_alone = !p.table2.empty() && p.workers.empty();  // `breakdown`: its runs are in repetitions
  std::string out = headline::verdict(run, o.width);
  out += "\n" + paging_head(run) + paging_table2(p);
  if (!table_alone)
    out += paging_score_line(p) + paging_classes(p) + paging_thresholds(p) + paging_charts(p, o) + paging_devices(p) +
           paging_watching(run) + paging_threads(p) + paging_series(p, o) + paging_counters(p);
  out += paging_pressure(p) + paging_memory(p);
  const auto doubts = audit_lines(run) + repeat_lines(run) + settle_line(run.settle) + finding_lines(run);
  if (!doubts.empty()) out += "\n" + doubts;
  return o.utf8 ? out : base::text::with_ascii_signs(std::move(out));
}

std::string paging_text(const result::Run& run) { return paging_text(run, PagingTextOptions{}); }

std::string paging_brief(const result::Run& run) { return run.paging ? headline::verdict(parts::shown(run)) : ""; }

std::string paging_text_ascii(const result::Run& run) { return paging_text(run, {false, CountAxis::logarithmic, 80}); }

}  // namespace fathom::report
