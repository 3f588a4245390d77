// Each item moves from `free_` to `todo_` to `done_`, and back to `free_`.
#include "run/checks/verify_threads.h"

#include <pthread.h>
#include <signal.h>

#include <cerrno>
#include <cstring>
#include <system_error>
#include <utility>

#include "base/system/affinity.h"

namespace fathom::run::checks {
namespace {

constexpr std::size_t kItemsAThread = 4;  // one being checked, and some that arrived in the meantime

// Blocks all signals in the new threads: the worker receives them.
class NoSignals {
 public:
  NoSignals() {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, &before_);
  }
  ~NoSignals() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }

 private:
  sigset_t before_;
};

base::Error no_threads(int err) {
  base::Error error = base::system_error("threads of verify_async", err);
  if (err == EINVAL) error.help = "write in verify_async_cpus= only CPUs that the job may run on";
  return error;
}

}  // namespace

VerifyThreads::VerifyThreads(std::size_t items, std::size_t largest) : items_(items), todo_(items) {
  free_.reserve(items);
  done_.reserve(items);
  for (Item& item : items_) {
    item.bytes.resize(largest);
    free_.push_back(&item);
  }
}

base::Expected<std::unique_ptr<VerifyThreads>> VerifyThreads::start(const VerifyFacts& facts, std::size_t largest) {
  const auto threads = facts.options.async_threads;
  std::unique_ptr<VerifyThreads> made(new VerifyThreads(kItemsAThread * threads, largest));
  const NoSignals quiet;
  for (std::uint32_t i = 0; i < threads; ++i) {
    auto tools = VerifyTools::make(facts.job, facts.format);
    if (!tools) return tools.error();
    Judge& judge = *made->judges_.emplace_back(std::make_unique<Judge>(facts, std::move(*tools)));
    try {
      made->threads_.emplace_back([raw = made.get(), &judge] { raw->work(judge); });
    } catch (const std::system_error& error) {
      return no_threads(error.code().value());
    }
    const auto& cpus = facts.options.async_cpus;
    if (cpus.empty()) continue;
    if (const int err = base::system::run_on(cpus, made->threads_.back().native_handle()); err != 0)
      return no_threads(err);
  }
  return made;
}

VerifyThreads::~VerifyThreads() {
  {
    const std::lock_guard lock(mutex_);
    over_ = true;
  }
  todo_changed_.notify_all();
  for (auto& thread : threads_) thread.join();
}

void VerifyThreads::work(Judge& judge) {
  std::unique_lock lock(mutex_);
  while (true) {
    todo_changed_.wait(lock, [&] { return over_ || todo_count_ > 0; });
    if (over_) return;
    Item& item = *todo_[todo_first_];
    todo_first_ = (todo_first_ + 1) % todo_.size();
    --todo_count_;
    lock.unlock();
    item.judged =
        judge.judge(item.read.request, std::span(item.bytes).first(item.read.request.length), item.read.against);
    lock.lock();
    done_.push_back(&item);
    done_changed_.notify_one();
  }
}

// The lock is released during each call of `told`.
void VerifyThreads::tell_done(std::unique_lock<std::mutex>& lock, const Told& told) {
  while (!done_.empty()) {
    Item* const item = done_.back();
    done_.pop_back();
    lock.unlock();
    told(item->read, std::exchange(item->judged, {}));
    lock.lock();
    free_.push_back(item);
  }
}

void VerifyThreads::take(const Read& read, std::span<const std::byte> bytes, const Told& told) {
  std::unique_lock lock(mutex_);
  done_changed_.wait(lock, [&] { return !free_.empty() || !done_.empty(); });
  tell_done(lock, told);
  Item* const item = free_.back();
  free_.pop_back();
  lock.unlock();
  item->read = read;
  std::memcpy(item->bytes.data(), bytes.data(), bytes.size());
  lock.lock();
  todo_[(todo_first_ + todo_count_++) % todo_.size()] = item;
  lock.unlock();
  todo_changed_.notify_one();
}

void VerifyThreads::finish(const Told& told) {
  std::unique_lock lock(mutex_);
  while (true) {
    tell_done(lock, told);
    if (free_.size() == items_.size()) return;
    done_changed_.wait(lock, [&] { return !done_.empty(); });
  }
}

}  // namespace fathom::run::checks
