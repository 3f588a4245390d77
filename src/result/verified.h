// How much of a job's written data verify= checked, and against what. Bytes.
#pragma once
#include <cstdint>

namespace fathom::result {

struct Verified {
  std::uint64_t exact = 0;  // equal to the last write at this place
  // Whole blocks, but from an unknown write: patterns without headers, data that another run has written, writes in an
  // unknown order.
  std::uint64_t some_version = 0;
  std::uint64_t withheld = 0;     // not judged: the order of overlapping writes is unknown, or a write had failed
  std::uint64_t overwritten = 0;  // a later write of the job replaced it: nothing is left to check
  bool operator==(const Verified&) const = default;
  void add(const Verified& other) {
    exact += other.exact;
    some_version += other.some_version;
    withheld += other.withheld;
    overwritten += other.overwritten;
  }
};

}  // namespace fathom::result
