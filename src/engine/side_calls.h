// Requests that a queue interface does not support (trim; sync for libaio) or has refused. ring() performs each by an
// ordinary system call, in posting order: it submits everything posted before, and nothing posted after (fio's order).
// Not on the hot path: an engine calls waiting() once per ring and has_done() once per reap. One owner; no allocation
// after open.
#pragma once
#include <vector>

#include "engine/engine.h"

namespace fathom::engine {

class SideCalls {
 public:
  void open(std::span<const io::Target> targets, std::uint32_t depth);
  // `ahead`: the number of queue requests posted before this one and not yet submitted.
  [[gnu::cold]] void push(std::uint32_t slot, const io::Request& request, std::uint32_t ahead);
  bool waiting() const { return !waiting_.empty(); }
  std::uint32_t ahead() const { return waiting_.front().ahead; }
  void handed_over(std::uint32_t n);  // n queue requests were submitted
  void run_first();                   // performs the first request, which must have ahead() 0
  void finish(std::uint32_t slot, std::int32_t result) { done_.push_back({slot, result}); }
  bool has_done() const { return !done_.empty(); }
  std::size_t take(std::span<io::Completion> out);  // finished requests, oldest first

 private:
  struct Waiting {
    io::Request request;
    std::uint32_t slot = 0;
    std::uint32_t ahead = 0;
  };
  std::span<const io::Target> targets_;
  std::vector<Waiting> waiting_;
  std::vector<io::Completion> done_;
};

}  // namespace fathom::engine
