// verify_async: threads that check the data read while the worker continues to read. A read's bytes are copied, because
// the worker needs its buffer for the next read. A copy costs a fraction of any hash that is worth a thread. Each
// thread has a separate judge, and all share the facts. The threads return their results to the worker, which alone
// writes the record. If all items are in use, the worker waits: no data read is left unchecked.
// Thread rule: only the worker calls take() and finish(). No allocation after start() except for wrong data.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "base/error.h"
#include "run/checks/verify_judge.h"

namespace fathom::run::checks {

class VerifyThreads {
 public:
  struct Read {
    io::Request request;
    Against against = Against::standing;
    std::uint32_t first_target = 0;  // index of the request's first target among the job's
  };
  using Told = std::function<void(const Read&, Judged)>;

  // The facts outlive it. largest: largest read in bytes.
  static base::Expected<std::unique_ptr<VerifyThreads>> start(const VerifyFacts& facts, std::size_t largest);
  ~VerifyThreads();
  VerifyThreads(const VerifyThreads&) = delete;
  VerifyThreads& operator=(const VerifyThreads&) = delete;

  // Reports the results since the last call, and passes this read to a thread.
  void take(const Read& read, std::span<const std::byte> bytes, const Told& told);
  // Waits for all results, and reports them.
  void finish(const Told& told);

 private:
  struct Item {
    Read read;
    std::vector<std::byte> bytes;
    Judged judged;
  };
  explicit VerifyThreads(std::size_t items, std::size_t largest);
  void work(Judge& judge);
  void tell_done(std::unique_lock<std::mutex>& lock, const Told& told);

  std::vector<Item> items_;
  std::mutex mutex_;
  std::condition_variable todo_changed_, done_changed_;
  std::vector<Item*> free_, done_;
  std::vector<Item*> todo_;  // a ring buffer
  std::size_t todo_first_ = 0, todo_count_ = 0;
  bool over_ = false;
  std::vector<std::unique_ptr<Judge>> judges_;
  std::vector<std::thread> threads_;
};

}  // namespace fathom::run::checks
