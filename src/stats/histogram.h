// Latency histogram, log-linear as fio's: 64 buckets per octave.
//
// Problem: a percentile of a hundred million latencies must be exact enough to compare two devices, cost a few
// instructions per I/O, and use memory that does not grow.
//
// Choice: buckets with a width that grows with the value. A value is known within 1/128 (0.78 %), and below 128 ns
// exactly. The position of the highest bit and the six bits below it give the bucket, without a test. The first 1856
// buckets are fio's own (stat.h: 29 groups of 64), edge for edge, so that json+ bins and histogram logs compare number
// by number. fio's percentiles saturate at 2^34 ns (17 s). The groups after that extend the range to all 64 bits, so
// that no value needs a test there either. Edges are in ns: a sample is converted from ticks before it is binned.
// Percentiles come from the middle of a bucket, as fio's do, and stats/percentiles.h limits them to the range of the
// samples.
//
// Plain counters: one writer per histogram, any reader afterwards; merging is addition.
#pragma once
#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

namespace fathom::stats {

inline constexpr unsigned kBucketBits = 6;  // 64 buckets per group
inline constexpr unsigned kGroups = 59;
inline constexpr std::size_t kBuckets = std::size_t{kGroups} << kBucketBits;  // 3776
inline constexpr std::size_t kFioBuckets = 29u << kBucketBits;                // 1856
inline constexpr double kRelativeError = 1.0 / 128;

// Bucket of a value: no branch, no test.
[[gnu::always_inline]] constexpr std::size_t bucket_of(std::uint64_t ns) {
  const unsigned msb = 63u ^ static_cast<unsigned>(std::countl_zero(ns | (1u << kBucketBits)));
  const unsigned shift = msb - kBucketBits;
  return (std::size_t{shift} << kBucketBits) + static_cast<std::size_t>(ns >> shift);
}

// Smallest value of a bucket, and one past its largest.
constexpr std::uint64_t bucket_begin(std::size_t i) {
  if (i < (2u << kBucketBits)) return i;
  const unsigned shift = static_cast<unsigned>(i >> kBucketBits) - 1;
  return ((i & ((1u << kBucketBits) - 1)) | (1u << kBucketBits)) << shift;
}
constexpr std::uint64_t bucket_end(std::size_t i) {
  const unsigned shift = i < (2u << kBucketBits) ? 0 : static_cast<unsigned>(i >> kBucketBits) - 1;
  return bucket_begin(i) + (std::uint64_t{1} << shift);  // wraps to 0 for the last bucket
}
// The value that represents a bucket in reports: the middle, as fio prints it.
constexpr std::uint64_t bucket_value(std::size_t i) {
  if (i < (2u << kBucketBits)) return i;
  const unsigned shift = static_cast<unsigned>(i >> kBucketBits) - 1;
  return bucket_begin(i) + (std::uint64_t{1} << (shift - 1));
}

// A worker's histogram, in memory shared with its parent: all-zero bytes are an empty histogram.
struct RawHistogram {
  std::uint64_t counts[kBuckets];
  [[gnu::always_inline]] void add(std::uint64_t ns) { ++counts[bucket_of(ns)]; }
  [[gnu::always_inline]] void add_many(std::uint64_t ns, std::uint64_t times) { counts[bucket_of(ns)] += times; }
};

// A result's histogram: only the buckets that were hit, in rising order.
class Histogram {
 public:
  struct Bin {
    std::uint32_t bucket;
    std::uint64_t count;
    friend bool operator==(const Bin&, const Bin&) = default;
  };
  Histogram() = default;
  explicit Histogram(const RawHistogram& raw) : Histogram(std::span<const std::uint64_t>(raw.counts)) {}
  explicit Histogram(std::span<const std::uint64_t> counts);  // counts of the first buckets, kBuckets at most
  static Histogram of_samples(std::span<const std::uint64_t> ns);
  static Histogram of_bins(std::vector<Bin> bins);  // rising, no duplicates

  void add(std::uint64_t ns, std::uint64_t count = 1);  // not for hot paths
  void merge(const Histogram& other);
  std::uint64_t total() const { return total_; }
  bool empty() const { return total_ == 0; }
  const std::vector<Bin>& bins() const { return bins_; }
  // How many samples are <= limit_ns, by whole buckets (a bucket counts when its reported value is <= limit_ns).
  std::uint64_t count_up_to(std::uint64_t limit_ns) const;
  // Nearest-rank percentile (0 < p <= 100) of the reported bucket values; 0 when empty. As fio: the first bucket at
  // which the running count reaches ceil(p/100 * total).
  std::uint64_t percentile(double p) const;
  std::vector<std::uint64_t> percentiles(std::span<const double> rising_ps) const;
  bool operator==(const Histogram&) const = default;

 private:
  std::vector<Bin> bins_;
  std::uint64_t total_ = 0;
};

}  // namespace fathom::stats
