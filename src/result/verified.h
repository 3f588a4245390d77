// How much of what a job wrote was checked with verify=, and against what. Bytes.
#pragma once
#include <cstdint>

namespace fathom::result {

struct Verified {
  std::uint64_t exact = 0;         // they are of the very write that was the last there
  std::uint64_t some_version = 0;  // whole blocks, of which write is not known: patterns without headers, what another
                                   // run has written, writes whose order is not known
  std::uint64_t withheld = 0;      // not judged: the order of overlapping writes is not known, or a write had failed
  std::uint64_t overwritten = 0;   // a later write of the job came there: nothing is left to check
  bool operator==(const Verified&) const = default;
  void add(const Verified& other) {
    exact += other.exact;
    some_version += other.some_version;
    withheld += other.withheld;
    overwritten += other.overwritten;
  }
};

}  // namespace fathom::result
