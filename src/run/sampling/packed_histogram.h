// A histogram with four bytes per used bucket, for storage in large numbers: one for each point of a series. A word has
// 12 bits for the bucket and 20 for the count; a larger count takes several words. As with stats::Histogram, a merge is
// an addition, so points of a series can be joined without averaging percentiles.
#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "stats/histogram.h"

namespace fathom::run::sampling {

class PackedHistogram {
 public:
  void append(std::size_t bucket, std::uint64_t count);  // in rising order of buckets
  void merge(const PackedHistogram& other);
  stats::Histogram unpacked() const;
  bool empty() const { return words_.empty(); }
  std::size_t words() const { return words_.size(); }
  bool operator==(const PackedHistogram&) const = default;

 private:
  std::vector<std::uint32_t> words_;  // in rising order of buckets
};

}  // namespace fathom::run::sampling
