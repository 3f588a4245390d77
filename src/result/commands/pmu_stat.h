// Counts of `fathom pmu stat`: one row per named item, over the whole run and, with -I, over each interval.
// docs/reference/json.md, "pmu stat", explains each key.
#pragma once
#include <cmath>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "result/documents.h"
#include "stats/repeat.h"

namespace fathom::result {

enum class PmuState : std::uint8_t { counted, not_counted, not_supported, lost, taken };
constexpr const char* name(PmuState s) {
  constexpr const char* names[] = {"counted", "not_counted", "not_supported", "lost", "taken"};
  return names[static_cast<int>(s)];
}

enum class PmuDirection : std::uint8_t { read, write };
constexpr const char* name(PmuDirection d) {
  constexpr const char* names[] = {"read", "write"};
  return names[static_cast<int>(d)];
}

// With --slots: the estimate for the whole window from the slots of an event.
struct PmuInterval {
  double low = 0, high = 0, total = 0;
  bool few = false;
  std::optional<double> bytes_low, bytes_high;
};
struct PmuSlots {
  std::uint64_t slots = 0;
  bool aliased = false, whole = false, withheld = false;
  double confidence = 0;
  std::optional<PmuInterval> interval;  // nullopt: too few slots, or withheld
};

struct PmuBytes {
  double unit_bytes = 0, bytes = 0, mb_per_s = 0;
  std::uint64_t window_ns = 0;
};
struct PmuRule {
  PmuDirection direction = PmuDirection::read;
  std::string sentence;
};

// With -A, --per-core, --per-die or --per-socket: the CPUs of the row.
enum class PmuPlaceKind : std::uint8_t { cpu, core, die, socket };
constexpr const char* name(PmuPlaceKind kind) {
  constexpr const char* names[] = {"cpu", "core", "die", "socket"};
  return names[static_cast<int>(kind)];
}
struct PmuPlace {
  PmuPlaceKind kind = PmuPlaceKind::cpu;
  std::string name;   // "CPU3", "S0-D0-C1"
  unsigned cpus = 0;  // CPUs in this place that counted the event
};

// A metric that perf derives from a count and a second one.
struct PmuMetric {
  double value = 0;
  std::string unit;  // "CPUs utilized", "K/sec", "of all branches" (per cent)
};

struct PmuRow {
  std::string event, unit;
  PmuState state = PmuState::counted;
  bool fraction = false;  // its count is shown with two decimals
  double count = 0;
  std::uint64_t raw = 0, enabled_ns = 0, running_ns = 0;
  double running_percent = 0;
  double deviation_percent = 0;  // over several runs
  std::optional<PmuSlots> slots;
  std::optional<double> window_percent, lost_at_s;
  std::optional<PmuRule> rule;  // of PCIe
  std::optional<PmuPlace> place;
  std::optional<PmuMetric> metric;
  std::optional<PmuBytes> bytes;  // if the bytes per increment are known, and it was counted
  bool has_number() const { return state == PmuState::counted || state == PmuState::lost; }
};

struct PmuIntervalRows {  // of -I
  std::uint64_t time_ns = 0;
  std::vector<PmuRow> rows;
};

struct PmuStart {
  std::uint64_t epoch_ms = 0;
  int utc_offset_s = 0;  // of the host's wall clock at that time
};
struct PmuEnded {
  double user_s = 0, system_s = 0;
  int exit_status = 0;
};

enum class PmuTargetKind : std::uint8_t { cpus, processes, threads };
constexpr const char* name(PmuTargetKind kind) {
  constexpr const char* names[] = {"cpus", "processes", "threads"};
  return names[static_cast<int>(kind)];
}
struct PmuTarget {
  PmuTargetKind kind = PmuTargetKind::cpus;
  std::string list;  // as written
};

struct PmuStat {
  static constexpr const char* kFormat = "fathom pmu stat";

  std::string command;  // empty: the whole machine
  bool system_wide = false;
  std::optional<PmuTarget> target;  // -C, -p, -t
  unsigned runs = 1;
  std::vector<std::uint64_t> elapsed_ns;  // one per run
  std::optional<PmuStart> start;          // of the first run; nullopt: a file without this
  std::optional<PmuEnded> ended;          // of the command
  std::vector<PmuRow> rows;
  std::vector<std::string> notes;
  std::vector<PmuIntervalRows> intervals;  // one line each, before the document

  // Mean of the runs, and the deviation of that mean.
  std::pair<double, double> elapsed_s() const {
    std::vector<double> values;
    for (const auto ns : elapsed_ns) values.push_back(static_cast<double>(ns) / 1e9);
    const auto all = stats::summarize(values);
    return {all.mean, values.empty() ? 0 : all.stddev / std::sqrt(static_cast<double>(values.size()))};
  }
};

template <class W>
void walk(W& w, Like<PmuSlots> auto& slots) {
  w.field(Key("slots", "turns in which the event had the counter"), slots.slots);
  w.field(Key("aliased", "the count depends on the length of the turns, or the load is in step with them"),
          slots.aliased);
  w.field(Key("whole", "the event needs no counter: one exact number"), slots.whole);
  w.field(Key("withheld", "counting changes the load: no estimate"), slots.withheld);
  w.field(Key("confidence", "confidence of the interval; 0: no interval"), slots.confidence);
  if (!w.present("low", slots.interval)) return;
  auto& interval = *slots.interval;
  w.field(Key("low", "low end of the interval that contains the count"), interval.low);
  w.field(Key("high", "high end of the interval"), interval.high);
  w.field(Key("total", "estimate for the whole window"), interval.total);
  w.field(Key("few", "nearly all was counted in a dozen turns or fewer"), interval.few);
  w.maybe(Key("bytes_low", "low end in bytes, for a PCIe rule"), interval.bytes_low);
  w.maybe(Key("bytes_high", "high end in bytes, for a PCIe rule"), interval.bytes_high);
}

template <class W>
void walk(W& w, Like<PmuRow> auto& row, unsigned runs) {
  w.field(Key("event", "event as written"), row.event);
  w.field(Key("state", "`counted`, `not_counted`, `not_supported`, `lost`, `taken`"), row.state, PmuState::taken);
  if (row.has_number()) w.field(Key("count", "count, scaled to the time enabled"), row.count);
  w.field(Key("unit", "unit of the count"), row.unit);
  w.field(Key("fraction", "the count is printed with two decimals"), row.fraction);
  if (row.has_number()) w.field(Key("raw", "increments while the event was counted"), row.raw);
  w.field(Key("enabled_ns", "time enabled, summed over CPUs"), row.enabled_ns);
  w.field(Key("running_ns", "time counted, summed over CPUs"), row.running_ns);
  w.field(Key("running_percent", "100: the counter was never shared"), row.running_percent);
  if (runs > 1) w.field(Key("deviation_percent", "standard deviation of the mean of the runs"), row.deviation_percent);
  if (w.present("slots", row.slots)) walk(w, *row.slots);
  w.maybe(Key("window_percent", "percentage of the time that a link spent in a state"), row.window_percent);
  w.maybe(Key("lost_at_s", "time at which its PMU disappeared"), row.lost_at_s);
  if (w.present("place", row.place)) {
    w.field(Key("place", "CPUs of this row: `CPU3`, `S0-D0-C1`"), row.place->name);
    w.field(Key("place_kind", "`cpu`, `core`, `die`, `socket`"), row.place->kind, PmuPlaceKind::socket);
    w.field(Key("cpus", "number of these CPUs on which the event was counted"), row.place->cpus);
  }
  if (w.present("metric", row.metric)) {
    w.field(Key("metric", "value that perf derives from the count"), row.metric->value);
    w.field(Key("metric_unit", "`CPUs utilized`, `K/sec`, `of all branches` (percent)"), row.metric->unit);
  }
  if (w.present("direction", row.rule)) {
    w.field(Key("direction", "`read`: to memory, `write`: from memory"), row.rule->direction, PmuDirection::write);
    w.field(Key("rule", "how raw counts become bytes"), row.rule->sentence);
  }
  if (!w.present("unit_bytes", row.bytes)) return;
  w.field(Key("unit_bytes", "bytes per increment"), row.bytes->unit_bytes);
  w.field(Key("bytes", "counted bytes"), row.bytes->bytes);
  w.field(Key("mb_per_s", "10^6 bytes per second of the window"), row.bytes->mb_per_s);
  w.field(Key("window_ns", "common window of all events of the table"), row.bytes->window_ns);
}

template <class W>
void walk(W& w, Like<PmuIntervalRows> auto& interval) {
  w.derived("time_s", [&] { return static_cast<double>(interval.time_ns) / 1e9; });
  w.field(Key("time_ns", "time since the start"), interval.time_ns);
  w.list(Key("events", "one per named event"), "event", interval.rows, 1u);
}

template <class W>
void walk(W& w, Like<PmuStat> auto& stat) {
  w.field(Key("command", "the command; empty: none"), stat.command);
  w.field(Key("system_wide", "`-a` was given"), stat.system_wide);
  if (w.present("target", stat.target)) {
    w.field(Key("target", "`cpus` (`-C`), `processes` (`-p`), `threads` (`-t`)"), stat.target->kind,
            PmuTargetKind::threads);
    w.field(Key("targets", "list of CPUs, processes or threads, as written"), stat.target->list);
  }
  w.field(Key("runs", "number of runs, `-r`"), stat.runs);
  w.derived("elapsed_s", [&] { return stat.elapsed_s().first; });
  w.derived("elapsed_deviation_s", [&] { return stat.elapsed_s().second; });
  w.numbers(Key("elapsed_ns", "one per run"), stat.elapsed_ns);
  if (w.present("start_epoch_ms", stat.start)) {
    w.field(Key("start_epoch_ms", "start of counting, Unix time"), stat.start->epoch_ms);
    w.field(Key("utc_offset_s", "offset of the host's wall clock from UTC at that time"), stat.start->utc_offset_s);
  }
  if (w.present("exit_status", stat.ended)) {
    w.field(Key("user_s", "user CPU time of the last run"), stat.ended->user_s);
    w.field(Key("system_s", "system CPU time of the last run"), stat.ended->system_s);
    w.field(Key("exit_status", "exit status; 128 + the signal that ended the command"), stat.ended->exit_status);
  }
  w.list(Key("events", "one per named event"), "event", stat.rows, stat.runs);
  w.texts(Key("notes", "what was added, refused, shared or lost"), stat.notes);
}

}  // namespace fathom::result
