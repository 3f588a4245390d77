// `fathom paging learn`: observes an existing process, or starts a command, observes it and waits for its end. The
// results go to a listener. Thread rule: the main thread.
#pragma once
#include <atomic>
#include <cstdint>
#include <functional>
#include <optional>

#include "base/error.h"
#include "base/system/subprocess.h"
#include "paging/learn/learn.h"
#include "paging_job/learn.h"
#include "result/finding.h"

namespace fathom::session {

// All callbacks run on the main thread.
struct LearnListener {
  std::function<void(const result::Finding&)> on_finding;  // stale state of a killed run
  std::function<void(const paging::learn::LearnProgress&)> on_progress;
  std::function<void()> on_observed;  // the observation has ended or failed: remove the progress display
  std::function<base::Expected<void>(const paging::learn::Learnt&)> on_learnt;
  std::function<void(const base::Error&)> on_error;  // of the observation, or of on_learnt; the command continues
  std::function<void()> on_waiting, on_ended;        // before and after the wait for the command's end
};

// Checks that are possible before anything is started.
base::Expected<void> check_learning(const paging_job::LearnRequest& request, const LearnListener& listener);

// Returns the command's end, whatever the observation gave: a command behind `learn` must complete.
// Empty without a command, and if the command continues because of stop > 0. Errors: without a command, those of the
// observation; else the command could not be started.
base::Expected<std::optional<base::system::Ended>> learn_as_asked(const paging_job::LearnRequest& request,
                                                                  const LearnListener& listener,
                                                                  std::atomic<std::uint32_t>& stop);

}  // namespace fathom::session
