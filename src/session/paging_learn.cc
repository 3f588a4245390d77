// Start, observe, wait.
#include "session/paging_learn.h"

#include <fmt/format.h>

#include "paging/learn/observe/damon_sysfs.h"
#include "result/findings/rows.h"

namespace fathom::session {
namespace {

using base::system::Ended, base::system::Subprocess;
using paging::learn::LearnPlan;

// A killed run may still use DAMON, which this run needs.
void take_stale_state(const LearnListener& listener) {
  const auto left = paging::learn::observe::undo_left_damon();
  if (left.says.empty()) return;
  const bool failed = left.outcome == paging::learn::observe::DamonLeft::Outcome::failed;
  listener.on_finding(
      result::findings::found("learn.damon_left", {.variant = failed ? "still" : "", .values = {{"what", left.says}}}));
}

base::Expected<Subprocess> started(const paging_job::LearnRequest& request, LearnPlan& plan) {
  auto command = Subprocess::hold(request.command, Subprocess::Orphan::goes_on);
  if (!command) return command;
  plan.pid = command->pid();
  plan.whole_command = true;
  plan.command = fmt::format("{}", fmt::join(request.command, " "));
  if (const int err = command->let_go(); err != 0) {
    base::Error error = base::system_error("start the command", err);
    error.kind = base::ErrorKind::usage;
    return error;
  }
  return command;
}

base::Expected<void> observe(const LearnPlan& plan, const LearnListener& listener, std::atomic<std::uint32_t>& stop) {
  const auto learnt = paging::learn::learn(plan, &stop, listener.on_progress);
  listener.on_observed();
  if (!learnt) return learnt.error();
  return listener.on_learnt(*learnt);
}

// A signal to fathom ends the wait too. The command then continues by itself, like a command that was only observed.
std::optional<Ended> wait_for(Subprocess& command, const LearnListener& listener,
                              const std::atomic<std::uint32_t>& stop) {
  constexpr int kTurn_ms = 20;
  listener.on_waiting();
  auto ended = command.wait(0);
  while (!ended && stop.load() == 0) ended = command.wait(kTurn_ms);
  listener.on_ended();
  return ended;
}

}  // namespace

base::Expected<void> check_learning(const paging_job::LearnRequest& request, const LearnListener& listener) {
  take_stale_state(listener);
  return paging::learn::check_learn(request.plan);
}

base::Expected<std::optional<Ended>> learn_as_asked(const paging_job::LearnRequest& request,
                                                    const LearnListener& listener, std::atomic<std::uint32_t>& stop) {
  LearnPlan plan = request.plan;
  if (request.command.empty()) {
    if (auto ok = observe(plan, listener, stop); !ok) return ok.error();
    return std::optional<Ended>();
  }
  auto command = started(request, plan);
  if (!command) return command.error();
  if (auto ok = observe(plan, listener, stop); !ok) listener.on_error(ok.error());
  return wait_for(*command, listener, stop);
}

}  // namespace fathom::session
