// lockfile=: requests one at a time, so that a file's claim is given back as soon as the loop asks for the next: an I/O
// of a synchronous engine is over then, one of a queue has been submitted (such jobs submit each by itself,
// job/resolve_control.h). The loops know nothing of it. What is made is the same, in the same order: blocks are asked
// for whole. Thread rule: the worker's.
#pragma once
#include "run/claims.h"
#include "workload/source.h"

namespace fathom::run {

class OneByOne final : public workload::Source {
 public:
  // Both outlive it.
  OneByOne(workload::Source& requests, ClaimGate& gate) : requests_(requests), gate_(gate) {}
  std::size_t next(std::span<io::Request> out) override {
    gate_.leave();
    if (next_ == made_) {
      next_ = 0;
      made_ = requests_.next({block_, kBlock});
    }
    if (next_ == made_) return 0;
    out[0] = block_[next_++];
    return 1;
  }
  bool begin_pass() override { return requests_.begin_pass(); }

 private:
  workload::Source& requests_;
  ClaimGate& gate_;
  io::Request block_[kBlock];
  std::size_t next_ = 0, made_ = 0;
};

}  // namespace fathom::run
