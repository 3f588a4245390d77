// Results of `fathom compare` on stored results: the runs of each side, their differences in setup, which come before
// any number, one number per run of each metric, and what the runs of B, C ... show compared with those of A.
// docs/compare.md explains it. Its numbers are exact: a reader's own arithmetic should agree to the last digit (kExact:
// result/documents.h).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "result/documents.h"
#include "stats/histogram.h"

namespace fathom::result {

enum class Told : std::uint8_t { cannot_tell, no_change, slower, faster };
constexpr const char* name(Told t) {
  constexpr const char* names[] = {"cannot tell", "no change", "slower", "faster"};
  return names[static_cast<int>(t)];
}

// Outcome of one --fail-if.
enum class Outcome : std::uint8_t { passed, unknown, failed };
constexpr const char* name(Outcome o) {
  constexpr const char* names[] = {"passed", "unknown", "failed"};
  return names[static_cast<int>(o)];
}

struct ComparedSide {
  std::string name;   // "A"
  std::string files;  // as it was written
  std::uint64_t runs = 0, invocations = 0;
  std::uint64_t failed_runs = 0;                        // runs with failed checks
  std::vector<std::string> failed_by;                   // ids of the findings that decided this, each once
  std::uint64_t first_epoch_ms = 0, last_epoch_ms = 0;  // times of its first and last run; 0: unknown
  stats::Histogram histogram_ns;                        // of all its runs
  std::optional<std::string> buckets;                   // origin of these buckets, if not fathom: "pmbench"
};

// A file, or a run in it, that contributes no number.
struct LeftOut {
  std::string file, what, cause;
};

struct SetupDifference {
  std::string part;  // "job", "host", "program", "findings"
  std::string name;
  bool unlike = false;              // the jobs differ; it is not the same job elsewhere
  std::vector<std::string> values;  // one per side
};

struct MetricOfSide {
  std::string side;
  double typical = 0;         // geometric mean
  double spread_percent = 0;  // deviation of the logarithms, as a factor
  std::vector<double> values;
};

// The change of a side relative to A.
struct Change {
  std::string side;
  Told told = Told::cannot_tell;
  std::string reason;
  std::optional<double> percent, low_percent, high_percent;  // nullopt: there is no interval
  double confidence = 0, p = 1, p_corrected = 1;
  double t = 0, degrees = 0;            // Welch's, of the logarithms
  double resolution_percent = 0;        // smaller differences have no verdict
  std::optional<double> trend_percent;  // per run, within the sides; nullopt: they were measured in turn
  std::uint64_t runs_needed = 0;        // per side; 0: there is a verdict, or no allowed number suffices
};

struct ComparedMetric {
  std::string of;  // part of the job: "read", "job2 write"; empty: all
  std::string name, unit;
  bool more_is_better = false, primary = false;
  std::vector<MetricOfSide> sides;
  std::vector<Change> changes;  // one for each side but A
};

struct Condition {
  std::string written, side, of;
  Outcome outcome = Outcome::unknown;
  std::string text;
};

struct Compare {
  static constexpr const char* kFormat = "fathom compare";
  static constexpr bool kExact = true;

  std::string program;
  double margin_percent = 0;
  std::string metric;        // the primary metric
  std::string histogram_of;  // "clat", "access"; empty: the results have no histogram
  std::vector<ComparedSide> sides;
  std::vector<LeftOut> left_out;
  std::vector<SetupDifference> differences;
  std::vector<std::string> warnings;
  std::vector<ComparedMetric> metrics;
  std::vector<Condition> conditions;
};

template <class W>
void walk(W& w, Like<ComparedSide> auto& side) {
  w.field(Key("name", "`A`, `B` ..."), side.name);
  w.field(Key("files", "files as written"), side.files);
  w.field(Key("runs", "runs with a number"), side.runs);
  w.field(Key("invocations", "files of these runs"), side.invocations);
  if (w.there("failed_runs", side.failed_runs > 0)) {
    w.field(Key("failed_runs", "runs with failed checks"), side.failed_runs);
    w.texts(Key("failed_by", "ids of the findings that decided this"), side.failed_by);
  }
  w.known(Key("first_epoch_ms", "when the first run was made"), side.first_epoch_ms);
  w.known(Key("last_epoch_ms", "when the last run was made"), side.last_epoch_ms);
  w.histogram(Key("histogram_ns", "latencies of all runs, by the representative value of a bucket"), side.histogram_ns);
  if (w.present("buckets", side.buckets))
    w.field(Key("buckets", "`pmbench`: its histogram, with 16 buckets per octave"), *side.buckets);
}

template <class W>
void walk(W& w, Like<LeftOut> auto& left_out) {
  w.field(Key("file", "name of the file"), left_out.file);
  w.field(Key("what", "what is wrong with it"), left_out.what);
  w.field(Key("cause", "cause, if known"), left_out.cause);
}

template <class W>
void walk(W& w, Like<SetupDifference> auto& difference) {
  w.field(Key("part", "`job`, `host`, `program`, `findings`"), difference.part);
  w.field(Key("name", "name of the differing item"), difference.name);
  w.field(Key("unlike", "the sides ran different jobs"), difference.unlike);
  w.texts(Key("values", "one per side"), difference.values);
}

template <class W>
void walk(W& w, Like<MetricOfSide> auto& side) {
  w.field(Key("side", "name of the side"), side.side);
  w.field(Key("typical", "geometric mean"), side.typical);
  w.field(Key("spread_percent", "standard deviation of the logarithms, as a factor"), side.spread_percent);
  w.numbers(Key("values", "one per run"), side.values);
}

template <class W>
void walk(W& w, Like<Change> auto& change) {
  w.field(Key("side", "side that is compared with A"), change.side);
  w.field(Key("verdict", "`faster`, `slower`, `no change`, `cannot tell`"), change.told, Told::faster);
  w.field(Key("reason", "why the verdict is `cannot tell`"), change.reason);
  w.maybe(Key("percent", "change as a percentage of A's typical value"), change.percent);
  w.maybe(Key("low_percent", "low end of the interval that contains the change"), change.low_percent);
  w.maybe(Key("high_percent", "high end of the interval"), change.high_percent);
  w.field(Key("confidence", "confidence of the interval"), change.confidence);
  w.field(Key("p", "p-value of no difference"), change.p);
  w.field(Key("p_corrected", "by Holm's method, among all metrics but the primary one"), change.p_corrected);
  w.field(Key("t", "Welch's t, of the logarithms"), change.t);
  w.field(Key("degrees", "degrees of freedom"), change.degrees);
  w.field(Key("resolution_percent", "smaller differences have no verdict"), change.resolution_percent);
  w.maybe(Key("trend_percent", "trend per run within the sides; null: the sides were measured in turns"),
          change.trend_percent);
  w.known(Key("runs_needed", "runs per side, about, that a verdict would need"), change.runs_needed);
}

template <class W>
void walk(W& w, Like<ComparedMetric> auto& metric) {
  w.field(Key("of", "part of the job; empty: the whole job"), metric.of);
  w.field(Key("name", "`iops`, `clat_p99`, ..."), metric.name);
  w.field(Key("unit", "unit of the values"), metric.unit);
  w.field(Key("more_is_better", "the metric is a rate"), metric.more_is_better);
  w.field(Key("primary", "the verdict is about this metric"), metric.primary);
  w.list(Key("sides", "values of each side"), "side", metric.sides);
  w.list(Key("changes", "one per side except A"), "change", metric.changes);
}

template <class W>
void walk(W& w, Like<Condition> auto& condition) {
  w.field(Key("fail_if", "condition as written"), condition.written);
  w.field(Key("side", "side that it was compared with"), condition.side);
  w.field(Key("of", "part of the job"), condition.of);
  w.field(Key("outcome", "`passed`, `unknown`, `failed`"), condition.outcome, Outcome::failed);
  w.field(Key("text", "sentence: the outcome"), condition.text);
}

template <class W>
void walk(W& w, Like<Compare> auto& compare) {
  w.field(Key("program", "version and commit of fathom"), compare.program);
  w.field(Key("metric", "the primary metric"), compare.metric);
  w.field(Key("margin_percent", "a change within this margin does not matter"), compare.margin_percent);
  w.field(Key("histogram_of", "latency of the histograms"), compare.histogram_of);
  w.list(Key("sides", "the sides, as given"), "side", compare.sides);
  w.list(Key("left_out", "files and runs without numbers in the comparison"), "file", compare.left_out);
  w.list(Key("differences", "differences in what was measured, and where"), "difference", compare.differences);
  w.texts(Key("warnings", "warnings about how the sides were measured"), compare.warnings);
  w.list(Key("metrics", "metrics, the primary one first"), "metric", compare.metrics);
  w.list(Key("conditions", "conditions of `--fail-if`"), "condition", compare.conditions);
}

}  // namespace fathom::result
