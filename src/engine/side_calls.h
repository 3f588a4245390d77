// The requests that a queue interface does not take (trim; sync for libaio) or refused. They are done by an ordinary
// system call in ring(), in the place where they were posted: everything posted before them is handed over first,
// nothing after them (fio's order). Not on the hot path: an engine asks waiting() once a ring and has_done() once a
// reap. One owner; no allocation after open.
#pragma once
#include <vector>

#include "engine/engine.h"

namespace fathom::engine {

class SideCalls {
 public:
  void open(std::span<const io::Target> targets, std::uint32_t depth);
  // `ahead`: how many queue requests were posted before this one and are not handed over yet.
  [[gnu::cold]] void push(std::uint32_t slot, const io::Request& request, std::uint32_t ahead);
  bool waiting() const { return !waiting_.empty(); }
  std::uint32_t ahead() const { return waiting_.front().ahead; }
  void handed_over(std::uint32_t n);  // n queue requests went
  void run_first();                   // does the first one, whose ahead() is 0
  void finish(std::uint32_t slot, std::int32_t result) { done_.push_back({slot, result}); }
  bool has_done() const { return !done_.empty(); }
  std::size_t take(std::span<io::Completion> out);  // finished ones, oldest first

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
