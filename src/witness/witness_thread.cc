// The thread of the cross-checks.
#include "witness/witness_thread.h"

#include <pthread.h>
#include <signal.h>

#include <cerrno>
#include <chrono>
#include <iterator>
#include <system_error>
#include <utility>

namespace fathom::witness {
namespace {

constexpr std::chrono::nanoseconds kTick{kWitnessTick_ns};

void leave_signals_to_the_main_thread() {
  sigset_t all;
  sigfillset(&all);
  ::pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

bool needs_privilege(const base::Error& error) { return error.sys_errno == EACCES || error.sys_errno == EPERM; }

void WitnessThread::begin(Witnesses witnesses) {
  if (witnesses.empty() || thread_.joinable()) return;
  waiting_ = std::move(witnesses);
  begun_ = stop_ = false;
  try {
    thread_ = std::thread([this] { work(); });
  } catch (const std::system_error& error) {
    missing.push_back({"thread", error.what()});
    return;
  }
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [this] { return begun_; });
}

void WitnessThread::end() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
  }
  changed_.notify_all();
  thread_.join();
}

void WitnessThread::work() {
  leave_signals_to_the_main_thread();
  ::pthread_setname_np(::pthread_self(), "fathom-audit");
  begin_all();
  {
    const std::lock_guard lock(mutex_);
    begun_ = true;
  }
  changed_.notify_all();
  for (std::unique_lock lock(mutex_); !changed_.wait_for(lock, kTick, [this] { return stop_; });) {
    lock.unlock();
    for (auto& witness : running_) witness->tick();
    lock.lock();
  }
  end_all();
}

// A cross-check that cannot begin is recorded as missing, with the reason. The run continues without it.
void WitnessThread::begin_all() {
  for (auto& witness : waiting_) {
    if (const auto ok = witness->begin(); ok)
      running_.push_back(std::move(witness));
    else
      missing.push_back({witness->name(),
                         ok.error().what + (ok.error().cause.empty() ? "" : ": " + ok.error().cause) +
                             (ok.error().help.empty() ? "" : "; " + ok.error().help),
                         !witness->may_have_nothing(), needs_privilege(ok.error())});
  }
  waiting_.clear();
}

// In reverse order: the cross-check begun last is closest to the workers.
void WitnessThread::end_all() {
  for (auto at = running_.rbegin(); at != running_.rend(); ++at) {
    auto report = (*at)->end();
    counts.insert(counts.end(), report.counts.begin(), report.counts.end());
    findings.insert(findings.end(), report.findings.begin(), report.findings.end());
  }
  std::move(running_.begin(), running_.end(), std::back_inserter(ended));
  running_.clear();
}

}  // namespace fathom::witness
