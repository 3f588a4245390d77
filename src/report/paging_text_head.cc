// What ran and by what clock, in the first lines, so that a text cut off after them still says what its numbers are of.
#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <vector>

#include "report/paging_text_parts.h"
#include "report/paging_view.h"
#include "report/paging_words.h"

namespace fathom::report {
namespace {

std::string plural(std::uint64_t n, const char* one, const char* many) {
  return fmt::format("{} {}", n, n == 1 ? one : many);
}

std::string memory_line(const result::Paging& p) {
  auto text = fmt::format("memory: map {}, set {} of {} pages, {}", short_bytes(p.map_bytes), short_bytes(p.set_bytes),
                          short_bytes(p.page_bytes), p.memory.empty() ? "anonymous" : p.memory);
  return text + (p.fill.empty() || p.fill == "none" ? ", not filled: first touches are in the numbers"
                                                    : ", filled: " + p.fill);
}

// Sets of pmbench's -y have as many threads as each was given.
std::string who(const result::Paging& p) {
  std::map<int, int> of_process;
  for (const auto& w : p.workers) ++of_process[w.process];
  std::vector<int> counts;
  for (const auto& [process, count] : of_process) counts.push_back(count);
  if (std::adjacent_find(counts.begin(), counts.end(), std::not_equal_to<>{}) != counts.end())
    return fmt::format("{} processes of {} threads", p.processes, fmt::join(counts, ", "));
  const std::string threads = plural(static_cast<std::uint64_t>(p.threads), "thread", "threads");
  return p.processes > 1 ? fmt::format("{} processes of {}", p.processes, threads) : threads;
}

// pmbench's generators have seeds of their own, and a trace draws nothing: then it is the fill's.
std::string seed_text(const result::Paging& p) {
  if (p.seed == 0) return "";
  if (!p.pattern.starts_with("legacy:") && p.read_percent >= 0) return fmt::format(", seed {}", p.seed);
  return p.fill == "random" || p.fill.starts_with("compressible") ? fmt::format(", fill of seed {}", p.seed) : "";
}

std::string access_line(const result::Paging& p) {
  auto text = fmt::format("accesses: {}", p.pattern);
  if (p.shape != 0) text += fmt::format(" (shape {:g})", p.shape);
  if (p.read_percent < 0) {
    text += ", reads, writes and words as it has them";
  } else {
    text += fmt::format(", {:g} % reads, ", p.read_percent);
    text += p.offset_words < 0 ? "random word of the page" : fmt::format("word {} of the page", p.offset_words);
  }
  text += ", " + who(p);
  if (p.delay_ticks > 0) text += fmt::format(", {} ticks between them", p.delay_ticks);
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
  if (!p.known) return "pressure: not in the file";
  std::string text = p.limit_bytes == 0 ? ""
                                        : fmt::format("limit {}{}", short_bytes(p.limit_bytes),
                                                      p.controller.empty() ? "" : " (" + p.controller + ")");
  if (p.ambient_limit_bytes > 0)
    text += fmt::format("{}limit {} of the memory group {} that it was started in", text.empty() ? "" : " within the ",
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
    text += fmt::format("; an empty pair of stamps takes {:.1f} ns ({}p99 {:.1f}), a cached load in it {:.1f} ns{}",
                        c.floor_ns, floor_mean.empty() ? "" : floor_mean + ", ", c.floor_ns_p99, c.cached_load_ns,
                        load_mean.empty() ? "" : " (" + load_mean + ")");
  }
  if (c.step_ns > 0)
    text += fmt::format("; it moves in steps of {:.2g} ns: between single accesses no smaller difference can be told",
                        c.step_ns);
  return text;
}

std::string class_line(const result::Paging& p) {
  if (p.access == "touch") return "classes: none, accesses are not stamped (touch)";
  if (!p.classified) return "classes: not told apart, all stand as hits";
  return fmt::format(
      "classes: by each thread's own fault counters, looked up after accesses of {} and more ({} a look)",
      short_time(static_cast<double>(p.clock.slow_ns)), short_time(p.clock.lookup_ns));
}

std::string measured_line(const result::Paging& p) {
  auto text = fmt::format("measured: {} in {}", plural(accesses(p), "access", "accesses"),
                          short_time(static_cast<double>(p.window_ns)));
  if (p.interrupted) text += fmt::format(", interrupted (asked for {} s)", p.duration_s);
  if (p.measurement_bytes_per_thread == 0) return text;
  text += fmt::format("; measurement memory {} a thread, ", short_bytes(p.measurement_bytes_per_thread));
  if (p.locked) return text + "locked";
  if (p.locked_bytes_per_thread == 0) return text + "NOT locked";
  return text + fmt::format("of which {} locked, the rest NOT", short_bytes(p.locked_bytes_per_thread));
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

}  // namespace fathom::report
