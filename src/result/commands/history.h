// Results of `fathom history list` and `fathom history check`: the runs in a history, and where series of them changed.
// docs/history.md explains them. Their numbers are exact (kExact: result/documents.h).
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "result/documents.h"

namespace fathom::result {

struct HistoryRun {
  std::uint64_t id = 0;
  std::string run_id;
  std::uint64_t time_epoch_ms = 0;
  std::string job;       // "a", "a and 2 more"
  std::string workload;  // "randread, 4 KiB, io_uring, iodepth 32"
  std::string host, program;
  std::string checks;  // passed, not_checked, warnings, failed
  std::string unfit;   // why `check` omits the run; empty: it does not
  std::optional<double> iops, bytes_per_s, p99_ns;
  std::vector<std::string> tags;
};

struct HistoryList {
  static constexpr const char* kFormat = "fathom history list";
  static constexpr bool kExact = true;

  std::string program, file;
  std::uint64_t all_runs = 0;    // in the history
  std::vector<HistoryRun> runs;  // newest first
};

// A fact of the machine, the program or the job.
struct HistoryDifference {
  std::string name, before, after;
};

struct HistoryChange {
  std::uint64_t before_id = 0, id = 0;  // last run of the level before, and first run of the level after
  std::uint64_t before_epoch_ms = 0, time_epoch_ms = 0;
  std::uint64_t before_runs = 0, runs = 0;  // of each level
  double before = 0, after = 0;             // medians
  double percent = 0;
  double t = 0, degrees = 0, p = 1;
  bool worse = false;
  std::vector<HistoryDifference> differences;  // between these two runs
};

enum class HistoryState : std::uint8_t { too_few, no_change, better, worse };  // of the newest level
constexpr const char* name(HistoryState state) {
  constexpr const char* names[] = {"too few runs", "no change", "better", "worse"};
  return names[static_cast<int>(state)];
}

struct HistorySeries {
  std::string job, direction;
  std::string metric, unit;
  bool more_is_better = false;
  HistoryState state = HistoryState::too_few;
  std::uint64_t runs = 0;
  std::uint64_t first_id = 0, last_id = 0;
  double typical = 0;  // median of the newest level
  std::vector<HistoryChange> changes;
};

struct HistoryCheck {
  static constexpr const char* kFormat = "fathom history check";
  static constexpr bool kExact = true;

  std::string program, file;
  double most_p = 0, least_change_percent = 0;
  std::uint64_t last = 0;        // newest runs of each job
  std::uint64_t unfit_runs = 0;  // of these, omitted
  std::vector<HistorySeries> series;
};

template <class W>
void walk(W& w, Like<HistoryRun> auto& run) {
  w.field(Key("id", "number of the run in the history"), run.id);
  w.field(Key("run_id", "identifier of the result"), run.run_id);
  w.known(Key("time_epoch_ms", "when the run began"), run.time_epoch_ms);
  w.field(Key("job", "first job, and how many more"), run.job);
  w.field(Key("workload", "what the first job does"), run.workload);
  w.field(Key("host", "host name"), run.host);
  w.field(Key("program", "version and commit of the program that measured"), run.program);
  w.field(Key("checks", "`passed`, `not_checked`, `warnings`, `failed`"), run.checks);
  w.field(Key("unfit", "why `check` omits the run; empty: it does not"), run.unfit);
  w.maybe(Key("iops", "rate of the whole run, per second"), run.iops);
  w.maybe(Key("bytes_per_s", "bandwidth of the whole run"), run.bytes_per_s);
  w.maybe(Key("p99_ns", "99th percentile of its headline latency"), run.p99_ns);
  w.texts(Key("tags", "tags of the run"), run.tags);
}

template <class W>
void walk(W& w, Like<HistoryList> auto& list) {
  w.field(Key("program", "version and commit of fathom"), list.program);
  w.field(Key("file", "file of the history"), list.file);
  w.field(Key("all_runs", "runs in the history"), list.all_runs);
  w.list(Key("runs", "runs that were asked for, newest first"), "run", list.runs);
}

template <class W>
void walk(W& w, Like<HistoryDifference> auto& difference) {
  w.field(Key("name", "name of the fact"), difference.name);
  w.field(Key("before", "its value in the last run before the change"), difference.before);
  w.field(Key("after", "its value in the first run after it"), difference.after);
}

template <class W>
void walk(W& w, Like<HistoryChange> auto& change) {
  w.field(Key("before_id", "last run before the change"), change.before_id);
  w.field(Key("id", "first run after it"), change.id);
  w.known(Key("before_epoch_ms", "when the last run before it began"), change.before_epoch_ms);
  w.known(Key("time_epoch_ms", "when the first run after it began"), change.time_epoch_ms);
  w.field(Key("before_runs", "runs of the level before"), change.before_runs);
  w.field(Key("runs", "runs of the level after"), change.runs);
  w.field(Key("before", "median before"), change.before);
  w.field(Key("after", "median after"), change.after);
  w.field(Key("percent", "change of the median"), change.percent);
  w.field(Key("t", "Student's t, of logarithms without outliers"), change.t);
  w.field(Key("degrees", "degrees of freedom"), change.degrees);
  w.field(Key("p", "p-value of no change"), change.p);
  w.field(Key("worse", "the change is for the worse"), change.worse);
  w.list(Key("differences", "facts that differ between these two runs"), "difference", change.differences);
}

template <class W>
void walk(W& w, Like<HistorySeries> auto& series) {
  w.field(Key("job", "name of the job"), series.job);
  w.field(Key("direction", "`read`, `write`, `trim`, `all`; `access` of `fathom paging`"), series.direction);
  w.field(Key("metric", "`bw`, `iops`, `p99`, `cpu`"), series.metric);
  w.field(Key("unit", "unit of the values"), series.unit);
  w.field(Key("more_is_better", "a higher value is better"), series.more_is_better);
  w.field(Key("state", "newest level: `worse`, `better`, `no change`, `too few runs`"), series.state,
          HistoryState::worse);
  w.field(Key("runs", "runs of the series"), series.runs);
  w.field(Key("first_id", "its oldest run"), series.first_id);
  w.field(Key("last_id", "its newest run"), series.last_id);
  w.field(Key("typical", "median of the newest level"), series.typical);
  w.list(Key("changes", "changes of level, oldest first"), "change", series.changes);
}

template <class W>
void walk(W& w, Like<HistoryCheck> auto& check) {
  w.field(Key("program", "version and commit of fathom"), check.program);
  w.field(Key("file", "file of the history"), check.file);
  w.field(Key("most_p", "largest p-value of a change"), check.most_p);
  w.field(Key("least_change_percent", "smallest change"), check.least_change_percent);
  w.field(Key("last", "newest runs of each job that were looked at"), check.last);
  w.field(Key("unfit_runs", "runs of these that were omitted"), check.unfit_runs);
  w.list(Key("series", "one per job, direction and metric"), "series", check.series);
}

}  // namespace fathom::result
