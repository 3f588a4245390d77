// `fathom history check`: one series per job, direction and metric, the changes of its level, and whether the newest
// level is worse than the one before. Worse is less for a rate, and more for a latency or CPU time. Runs that are unfit
// (entry.h) are omitted. The arithmetic is in stats/changes/. Errors: those of the store; usage: no such job.
#pragma once
#include <cstdint>
#include <string>

#include "base/error.h"
#include "history/store.h"
#include "result/commands/history.h"
#include "stats/changes/change_points.h"

namespace fathom::history {

inline constexpr std::uint64_t kUsualRuns = 100;
inline constexpr double kUsualLeastChange_percent = 1;

struct CheckAsked {
  Filter filter{.last = kUsualRuns};
  std::string metric, direction;  // empty: all
  double least_change_percent = kUsualLeastChange_percent;
  double most_p = stats::changes::kMostP;
  std::uint64_t since_epoch_ms = 0;
};

base::Expected<result::HistoryCheck> check(Store& store, const CheckAsked& asked);
// True: the newest level of a series is worse.
bool is_worse(const result::HistoryCheck& check);
// ErrorKind::usage: the history has no job of that name.
base::Expected<void> check_job(Store& store, const std::string& job);

}  // namespace fathom::history
