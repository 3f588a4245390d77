// A worker's writes in flight, and trims that count as writes: these cannot be read back yet. There are no more than
// the job's depth, so a linear search is sufficient. Thread rule: one owner. No allocation after the constructor.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "io/request.h"

namespace fathom::run::checks {

class WritesInFlight {
 public:
  explicit WritesInFlight(std::size_t depth) { writes_.reserve(depth + 1); }
  void issued(const io::Request& request, std::uint64_t number) {
    if (writes_.size() < writes_.capacity())
      writes_.push_back({request.offset, request.offset + request.length, number, request.target, request.dir});
  }
  // For a short write, `request` may be only the rest of it.
  void ended(const io::Request& request) {
    const auto at = std::find_if(writes_.begin(), writes_.end(), [&](const Write& write) {
      return write.dir == request.dir && write.target == request.target && write.begin <= request.offset &&
             request.offset < write.end;
    });
    if (at == writes_.end()) return;
    *at = writes_.back();
    writes_.pop_back();
  }
  bool has(std::uint64_t number) const {
    return std::any_of(writes_.begin(), writes_.end(), [&](const Write& write) { return write.number == number; });
  }

 private:
  struct Write {
    std::uint64_t begin, end, number;
    std::uint16_t target;
    io::Dir dir;
  };
  std::vector<Write> writes_;
};

}  // namespace fathom::run::checks
