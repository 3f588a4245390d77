// `fathom history check`.
#include "cli/exit_codes.h"
#include "cli/help.h"
#include "cli/history_commands/history_command.h"
#include "cli/history_commands/history_file.h"
#include "cli/manuals.h"
#include "history/check.h"
#include "options/rows.h"

namespace fathom::cli::history_commands {
namespace {

struct CheckWish {
  std::string job, tag, host, since;
  int metric = -1, direction = -1;
  std::uint64_t last = history::kUsualRuns;
  double least_change_percent = history::kUsualLeastChange_percent;
};

constexpr options::Choice kMetricNames[] = {{"bw", 0, "bandwidth; less is worse"},
                                            {"iops", 1, "rate of I/Os or accesses; less is worse"},
                                            {"p99", 2, "99th percentile of the headline latency; more is worse"},
                                            {"cpu", 3, "CPU time per I/O; more is worse"}};
constexpr options::Choice kDirections[] = {{"read", 0, ""},
                                           {"write", 1, ""},
                                           {"trim", 2, ""},
                                           {"all", 3, "of a job as a whole: CPU time of mixed jobs"},
                                           {"access", 4, "of `fathom paging`"}};

std::span<const options::Group> check_groups() {
  static const options::Row rows[] = {
      options::choice<&CheckWish::metric>({"metric=NAME", "", "only this metric (default: all)"}, kMetricNames),
      options::text<&CheckWish::job>({"job=NAME", "", "only this job"}),
      options::choice<&CheckWish::direction>({"direction=NAME", "", "only this direction (default: all)"}, kDirections),
      options::text<&CheckWish::tag>({"tag=NAME", "", "only runs with this tag"}),
      options::text<&CheckWish::host>({"host=NAME", "", "only runs of this host"}),
      options::count<&CheckWish::last>({"last=N", "100", "the newest N runs of each job"}, 1, 10'000),
      options::text<&CheckWish::since>(
          {"since=ID", "", "only runs that began with this run or later, for example after an accepted change"}),
      options::percent<&CheckWish::least_change_percent>(
          {"min-change=PERCENT", "1", "a smaller change of the median is no change"}),
  };
  static const options::Group all[] = {{"", rows}, {"", report_rows()}, {"", history_rows()}};
  return all;
}

base::Expected<history::CheckAsked> asked_of(const CheckWish& wish, history::Store& store) {
  history::CheckAsked asked;
  asked.filter = {.job = wish.job, .tag = wish.tag, .host = wish.host, .last = wish.last};
  if (wish.metric >= 0) asked.metric = kMetricNames[wish.metric].name;
  if (wish.direction >= 0) asked.direction = kDirections[wish.direction].name;
  asked.least_change_percent = wish.least_change_percent;
  if (wish.since.empty()) return asked;
  const auto since = store.find(wish.since);
  if (!since) return since.error();
  const auto time = store.time_of(since->back());
  if (!time) return time.error();
  asked.since_epoch_ms = *time;
  return asked;
}

base::Expected<int> check_history(const Given& given, const CheckWish& wish, const ReportWish& report_wish,
                                  const HistoryWish& where) {
  if (auto ok = need_arguments(given, 0, 0, ""); !ok) return ok.error();
  const auto path = history_path(where);
  if (!path) return path.error();
  HistoryReport report(report_wish);
  if (auto ok = report.open(*path); !ok) return ok.error();
  auto store = history::Store::open(*path);
  if (!store) return store.error();
  const auto asked = asked_of(wish, *store);
  if (!asked) return asked.error();
  auto found = history::check(*store, *asked);
  if (!found) return found.error();
  found->program = version_line(), found->file = *path;
  const bool worse = history::is_worse(*found);
  if (auto ok = report.write(result::Stored(std::move(*found))); !ok) return ok.error();
  return worse ? static_cast<int>(kCheckFailed) : static_cast<int>(kOk);
}

}  // namespace

const Manual& history_check_manual() {
  static const Manual manual{
      "fathom history check", "[OPTIONS]",
      "Finds changes of level in the series of each job, direction and metric: bandwidth, IOPS, p99 of the headline\n"
      "latency, CPU time per I/O. The method is E-divisive with Student's t-test (p at most 0.001), as in Hunter and\n"
      "Apache Otava. Interrupted and failed runs are omitted. docs/history.md explains it.\n",
      check_groups(), "\nExit status: 0; 1 the newest level of a series is worse than the one before; 2 a mistake.\n"};
  return manual;
}

int history_check_command(std::span<const std::string> args) {
  CheckWish wish;
  ReportWish report;
  HistoryWish where;
  return carry_out(history_check_manual(), args, options::Targets(wish, report, where),
                   [&](const Given& given) { return check_history(given, wish, report, where); });
}

}  // namespace fathom::cli::history_commands
