// Results of `fathom sweep`: latency as a function of load, one curve per setting of the other varied options, the knee
// of each, and the load that a latency limit allows. docs/load-limits.md explains it. Its numbers are exact.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "result/documents.h"

namespace fathom::result {

struct SweptOption {
  std::string name;
  std::vector<std::string> values;  // as passed to the job
};

// One number per run of a point. The typical value is between low and high. With fewer than three runs, these are the
// smallest and the largest value.
struct SweptNumber {
  std::string name, unit;
  double typical = 0, low = 0, high = 0;
  std::vector<double> values;
};

struct SweptPoint {
  std::string setting;         // "iodepth=8 bs=4k"
  std::optional<double> load;  // value of the option that is the load; nullopt: there is no such option
  std::string stage;           // why it was run: "grid", "refined", "search", "confirmed"
  std::uint64_t runs = 0;      // runs with numbers
  std::uint64_t failed = 0;
  std::uint64_t ios = 0;                     // of all runs
  std::string failure;                       // of the first failed run
  std::string results;                       // directory with the results of its runs
  std::optional<double> delivered_percent;   // percent of the requested rate; nullopt: no rate was requested
  std::uint64_t steady = 0, not_steady = 0;  // runs with a requested steady state: reached, not reached
  std::vector<SweptNumber> numbers;
};

struct SweptKnee {
  std::string
      seen;  // "yes", "at the lowest load", "at the highest load", "no points", "no effect" (of the load), "flat" (nor rate)
  double load = 0, low = 0, high = 0;
  bool open_below = false, open_above = false, scatter_known = false;
};

struct SweptEnd {
  double load = 0;
  bool shown = false;
  std::uint64_t runs = 0;
  double typical_ns = 0, low_ns = 0, high_ns = 0;  // of its fresh runs
};

struct SweptBracket {
  std::optional<SweptEnd> meets, misses;
  bool ended = false;
  std::optional<double> width_percent;  // nullopt: an end is missing or not shown
};

struct SweptCurve {
  std::string of;                  // "bs=4k": the other varied options; empty: no others
  std::vector<SweptPoint> points;  // by load, if that is a number
  std::optional<SweptKnee> knee;
  std::optional<SweptBracket> bracket;
};

// The first point, run again at the end.
struct SweptAgain {
  std::string setting;
  double rate_percent = 0, latency_percent = 0;  // change since the first time
  bool beyond = false;                           // the change exceeds the scatter of a point's runs
};

struct SweptFinding {
  std::string id, evidence;
  std::uint64_t runs = 0;  // runs with it; 0: it concerns the sweep
};

struct Sweep {
  static constexpr const char* kFormat = "fathom sweep";
  static constexpr bool kExact = true;

  std::string program, job;
  std::vector<SweptOption> over;
  std::string load;  // the option that is the load; empty: no load
  bool open_loop = false;
  std::string latency;  // "intended_lat_p99", for knee and limit
  std::string slo;      // as written; empty: no limit
  double slo_ns = 0;
  std::uint64_t repeat = 0, runs = 0;
  bool interrupted = false;
  std::vector<SweptCurve> curves;
  std::optional<SweptAgain> again;
  std::vector<SweptFinding> findings;
  std::uint64_t failed_runs = 0;       // runs with failed checks
  std::vector<std::string> failed_by;  // ids of the findings that decided this, each once
  std::string next;  // a command that may find what this one did not; empty: it found all, or was stopped
};

template <class W>
void walk(W& w, Like<SweptOption> auto& option) {
  w.field(Key("name", "name of an option of a job"), option.name);
  w.texts(Key("values", "values of the option"), option.values);
}

template <class W>
void walk(W& w, Like<SweptNumber> auto& number) {
  w.field(Key("name", "`iops`, `lat_p99`, ..."), number.name);
  w.field(Key("unit", "unit of the values"), number.unit);
  w.field(Key("typical", "geometric mean"), number.typical);
  w.field(Key("low", "low end of the interval that contains it"), number.low);
  w.field(Key("high", "high end of the interval; of fewer than three runs: smallest and largest value"), number.high);
  w.numbers(Key("values", "one per run"), number.values);
}

template <class W>
void walk(W& w, Like<SweptPoint> auto& point) {
  w.field(Key("setting", "options of the point"), point.setting);
  w.maybe(Key("load", "load as a number"), point.load);
  w.field(Key("stage", "why it was run first: `most`, `grid`, `refined`, `search`, `confirmed`"), point.stage);
  w.field(Key("runs", "runs with numbers"), point.runs);
  w.field(Key("failed", "runs without numbers"), point.failed);
  w.field(Key("ios", "I/Os of all its runs"), point.ios);
  w.field(Key("failure", "failure of the first run without numbers"), point.failure);
  w.field(Key("results", "directory with one result per run"), point.results);
  w.maybe(Key("delivered_percent", "achieved percentage of the requested rate"), point.delivered_percent);
  w.field(Key("steady", "runs that reached the requested steady state"), point.steady);
  w.field(Key("not_steady", "runs that did not reach it"), point.not_steady);
  w.list(Key("numbers", "numbers of its runs"), "number", point.numbers);
}

template <class W>
void walk(W& w, Like<SweptKnee> auto& knee) {
  w.field(
      Key("seen", "`yes`, `at the lowest load`, `at the highest load`, `no points`, `no effect` of the load, `flat`"),
      knee.seen);
  w.field(Key("load", "load with the highest ratio of rate to latency"), knee.load);
  w.field(Key("low", "low end of the interval that contains the knee"), knee.low);
  w.field(Key("high", "high end of the interval"), knee.high);
  w.field(Key("open_below", "no worse load was run below"), knee.open_below);
  w.field(Key("open_above", "no worse load was run above"), knee.open_above);
  w.field(Key("scatter_known", "some load was run more than once"), knee.scatter_known);
}

template <class W>
void walk(W& w, Like<SweptEnd> auto& end) {
  w.field(Key("load", "load as a number"), end.load);
  w.field(Key("shown", "the load was shown to meet the limit, or to miss it"), end.shown);
  w.field(Key("runs", "fresh runs, made for this purpose"), end.runs);
  w.field(Key("typical_ns", "geometric mean of the latency of these runs"), end.typical_ns);
  w.field(Key("low_ns", "low end of the interval that contains it"), end.low_ns);
  w.field(Key("high_ns", "high end of the interval"), end.high_ns);
}

template <class W>
void walk(W& w, Like<SweptBracket> auto& bracket) {
  if (w.present("meets", bracket.meets))
    w.part(Key("meets", "highest load that was shown to meet the limit"), *bracket.meets);
  if (w.present("misses", bracket.misses))
    w.part(Key("misses", "lowest load that was shown to miss the limit"), *bracket.misses);
  w.field(Key("ended", "the search ended; else it was stopped"), bracket.ended);
  w.maybe(Key("width_percent", "distance of the two loads, in percent of the lower one"), bracket.width_percent);
}

template <class W>
void walk(W& w, Like<SweptCurve> auto& curve) {
  w.field(Key("of", "setting of the other options"), curve.of);
  w.list(Key("points", "points by load"), "point", curve.points);
  if (w.present("knee", curve.knee)) w.part(Key("knee", "where the curve bends"), *curve.knee);
  if (w.present("bracket", curve.bracket))
    w.part(Key("bracket", "bounds on the load at the latency limit"), *curve.bracket);
}

template <class W>
void walk(W& w, Like<SweptAgain> auto& again) {
  w.field(Key("setting", "setting of the first point"), again.setting);
  w.field(Key("rate_percent", "change of its rate at the end"), again.rate_percent);
  w.field(Key("latency_percent", "change of its latency at the end"), again.latency_percent);
  w.field(Key("beyond", "the change exceeds the variation of the runs"), again.beyond);
}

template <class W>
void walk(W& w, Like<SweptFinding> auto& finding) {
  w.field(Key("id", "id of a finding of a run or of the sweep"), finding.id);
  w.field(Key("evidence", "evidence of the first run with this finding"), finding.evidence);
  w.known(Key("runs", "runs with this finding; null: it is about the sweep"), finding.runs);
}

template <class W>
void walk(W& w, Like<Sweep> auto& sweep) {
  w.field(Key("program", "version and commit of fathom"), sweep.program);
  w.field(Key("job", "the job file"), sweep.job);
  w.list(Key("over", "the varied options"), "option", sweep.over);
  w.field(Key("load", "the option that is the load"), sweep.load);
  w.field(Key("open_loop", "I/Os begin when they are due, whether or not earlier ones are complete"), sweep.open_loop);
  w.field(Key("latency", "latency of the knee and of the limit"), sweep.latency);
  w.field(Key("slo", "latency limit as written"), sweep.slo);
  w.known(Key("slo_ns", "latency limit in ns"), sweep.slo_ns);
  w.field(Key("repeat", "runs per point of the grid"), sweep.repeat);
  w.field(Key("runs", "total number of runs"), sweep.runs);
  w.field(Key("interrupted", "stopped before the end"), sweep.interrupted);
  w.list(Key("curves", "one curve per setting of the other options"), "curve", sweep.curves);
  if (w.present("again", sweep.again)) w.part(Key("again", "the first point, run again at the end"), *sweep.again);
  w.list(Key("findings", "findings of the sweep and of its runs"), "finding", sweep.findings);
  if (w.there("failed_runs", sweep.failed_runs > 0)) {
    w.field(Key("failed_runs", "runs with failed checks"), sweep.failed_runs);
    w.texts(Key("failed_by", "ids of the findings that decided this"), sweep.failed_by);
  }
  if (w.there("next", !sweep.next.empty()))
    w.field(Key("next", "command that tries other loads, if these gave no answer"), sweep.next);
}

}  // namespace fathom::result
