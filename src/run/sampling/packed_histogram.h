// A histogram in four bytes a bucket that was hit, for those that are kept by the hundred: one for each point of a
// series. A word is 12 bits of bucket and 20 of count; a count that does not fit takes several words. Like stats::Histogram it
// is merged by addition, so that points of a series can be joined without averaging a percentile.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stats/histogram.h"

namespace fathom::run::sampling {

class PackedHistogram {
 public:
  void append(std::size_t bucket, std::uint64_t count);  // buckets rise
  void merge(const PackedHistogram& other);
  stats::Histogram unpacked() const;
  bool empty() const { return words_.empty(); }
  std::size_t words() const { return words_.size(); }
  bool operator==(const PackedHistogram&) const = default;

 private:
  std::vector<std::uint32_t> words_;  // buckets rise
};

}  // namespace fathom::run::sampling
