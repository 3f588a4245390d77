// fathom's bucket i of [2^k, 2^(k+1)) is 2^(k-6) wide, and pmbench's bin is 2^(k-4) wide. Four buckets form one bin
// with common edges, so a bucket's first value determines its bin. Above 2^23 ns, a bin is an octave.
#include "stats/pmbench_bins.h"

#include <algorithm>
#include <bit>

namespace fathom::stats {
namespace {

constexpr unsigned kFirstOctave = 8;                                   // 2^8 = 256 ns
constexpr unsigned kFirstHighOctave = kFirstOctave + kPmbenchOctaves;  // 2^23

unsigned octave_of(std::uint64_t ns) { return 63u ^ static_cast<unsigned>(std::countl_zero(ns | 1)); }

}  // namespace

void PmbenchBins::add(std::uint64_t ns, std::uint64_t count) {
  const unsigned octave = octave_of(ns);
  if (octave < kFirstOctave) {
    below_256_ns += count;
  } else if (octave < kFirstHighOctave) {
    const std::uint64_t sub = (ns - (std::uint64_t{1} << octave)) >> (octave - 4);
    octaves[octave - kFirstOctave][sub] += count;
  } else {
    high[std::min<std::size_t>(octave - kFirstHighOctave, kPmbenchHighBins - 1)] += count;
  }
}

void PmbenchBins::merge(const PmbenchBins& other) {
  below_256_ns += other.below_256_ns;
  for (std::size_t i = 0; i < kPmbenchOctaves; ++i)
    for (std::size_t j = 0; j < kPmbenchBinsAnOctave; ++j) octaves[i][j] += other.octaves[i][j];
  for (std::size_t i = 0; i < kPmbenchHighBins; ++i) high[i] += other.high[i];
}

std::uint64_t PmbenchBins::total() const {
  std::uint64_t sum = 0;
  for_each_pmbench_bin(*this, [&](const PmbenchPeak& bin) { sum += bin.count; });
  return sum;
}

PmbenchBins pmbench_view(const Histogram& histogram) {
  PmbenchBins bins;
  for (const auto& bin : histogram.bins()) bins.add(bucket_begin(bin.bucket), bin.count);
  return bins;
}

PmbenchPeak pmbench_peak(const PmbenchBins& bins) {
  PmbenchPeak peak;
  for_each_pmbench_bin(bins, [&](const PmbenchPeak& bin) {
    if (bin.count > peak.count) peak = bin;
  });
  return peak;
}

void for_each_pmbench_bin(const PmbenchBins& bins, const std::function<void(const PmbenchPeak&)>& visit) {
  visit({0, std::uint64_t{1} << kFirstOctave, bins.below_256_ns});
  for (std::size_t i = 0; i < kPmbenchOctaves; ++i) {
    const std::uint64_t first = std::uint64_t{1} << (kFirstOctave + i), width = first / kPmbenchBinsAnOctave;
    for (std::size_t j = 0; j < kPmbenchBinsAnOctave; ++j)
      visit({first + j * width, first + (j + 1) * width, bins.octaves[i][j]});
  }
  for (std::size_t i = 0; i < kPmbenchHighBins; ++i) {
    const std::uint64_t first = std::uint64_t{1} << (kFirstHighOctave + i);
    visit({first, i + 1 == kPmbenchHighBins ? 4 * first : 2 * first, bins.high[i]});
  }
}

}  // namespace fathom::stats
