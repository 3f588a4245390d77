// Packs a histogram into words. Words of one bucket are adjacent, and a merge walks through both lists.
#include "run/sampling/packed_histogram.h"

#include <algorithm>
#include <utility>

namespace fathom::run::sampling {
namespace {

constexpr unsigned kCountBits = 20;
constexpr std::uint32_t kMostCount = (1u << kCountBits) - 1;
static_assert(stats::kBuckets <= std::size_t{1} << (32 - kCountBits));

std::uint32_t bucket_in(std::uint32_t word) { return word >> kCountBits; }
std::uint32_t count_in(std::uint32_t word) { return word & kMostCount; }

}  // namespace

void PackedHistogram::append(std::size_t bucket, std::uint64_t count) {
  while (count > 0) {
    const auto part = static_cast<std::uint32_t>(std::min<std::uint64_t>(count, kMostCount));
    words_.push_back(static_cast<std::uint32_t>(bucket << kCountBits) | part);
    count -= part;
  }
}

void PackedHistogram::merge(const PackedHistogram& other) {
  if (other.empty()) return;
  PackedHistogram sum;
  sum.words_.reserve(words_.size() + other.words_.size());
  auto a = words_.cbegin(), b = other.words_.cbegin();
  while (a != words_.cend() || b != other.words_.end()) {
    const bool of_a = b == other.words_.end() || (a != words_.cend() && bucket_in(*a) <= bucket_in(*b));
    const std::uint32_t bucket = bucket_in(of_a ? *a : *b);
    std::uint64_t count = 0;
    for (; a != words_.cend() && bucket_in(*a) == bucket; ++a) count += count_in(*a);
    for (; b != other.words_.end() && bucket_in(*b) == bucket; ++b) count += count_in(*b);
    sum.append(bucket, count);
  }
  words_ = std::move(sum.words_);
}

stats::Histogram PackedHistogram::unpacked() const {
  std::vector<stats::Histogram::Bin> bins;
  for (const auto word : words_) {
    if (bins.empty() || bins.back().bucket != bucket_in(word)) bins.push_back({bucket_in(word), 0});
    bins.back().count += count_in(word);
  }
  return stats::Histogram::of_bins(std::move(bins));
}

}  // namespace fathom::run::sampling
