// `fathom paging learn`: observes a process that is there, or starts a command, observes it and waits for its end. What comes of it goes to a listener.
// Thread rule: the main thread.
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

// All are called on the main thread.
struct LearnListener {
  std::function<void(const result::Finding&)> on_finding;  // what a run that was killed had left
  std::function<void(const paging::learn::LearnProgress&)> on_progress;
  std::function<void()> on_observed;  // it is over, however it went: what stood there of progress goes away
  std::function<base::Expected<void>(const paging::learn::Learnt&)> on_learnt;
  std::function<void(const base::Error&)> on_error;  // the observation, or on_learnt, failed; the command goes on
  std::function<void()> on_waiting, on_ended;        // for the command's end
};

// What can be said before anything is started.
base::Expected<void> check_learning(const paging_job::LearnRequest& request, const LearnListener& listener);

// The command's end, whatever came of the observation: who put `learn` before it wants it done. None without a command, and of one that goes on because
// of stop > 0. Errors: of the observation where there is no command, else that it could not be started.
base::Expected<std::optional<base::system::Ended>> learn_as_asked(const paging_job::LearnRequest& request,
                                                                  const LearnListener& listener,
                                                                  std::atomic<std::uint32_t>& stop);

}  // namespace fathom::session
