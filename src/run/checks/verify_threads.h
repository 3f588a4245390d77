// verify_async: threads that check what was read, while the worker goes on reading. A read's bytes are copied, for the
// worker's buffer is wanted for the next; a copy costs a fraction of any hash that is worth a thread. Each thread has a
// judge of its own over the facts that all share; what it found is told to the worker, who alone writes the record. When
// all places are taken the worker waits: what was read is never left unchecked.
// Thread rule: take() and finish() the worker's. No allocation after start() but for what is wrong.
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
    std::uint32_t first_target = 0;  // of the request's targets among the job's
  };
  using Told = std::function<void(const Read&, Judged)>;

  // The facts outlive it. largest: bytes of a read.
  static base::Expected<std::unique_ptr<VerifyThreads>> start(const VerifyFacts& facts, std::size_t largest);
  ~VerifyThreads();
  VerifyThreads(const VerifyThreads&) = delete;
  VerifyThreads& operator=(const VerifyThreads&) = delete;

  // Tells what has been judged since the last call, and hands this one over.
  void take(const Read& read, std::span<const std::byte> bytes, const Told& told);
  // Waits for all of it, and tells it.
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
  std::vector<Item*> todo_;  // a ring
  std::size_t todo_first_ = 0, todo_count_ = 0;
  bool over_ = false;
  std::vector<std::unique_ptr<Judge>> judges_;
  std::vector<std::thread> threads_;
};

}  // namespace fathom::run::checks
