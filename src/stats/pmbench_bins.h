// pmbench's latency histogram as an exact view of ours: a first bucket below 256 ns, 15 octaves from 2^8 to 2^23 ns of
// 16 linear bins each, then one bin per octave, the last from 2^30 on. Its edges are edges of ours (64 bins per
// octave), so the conversion is exact: 9,231 ns is in the 3rd bin of the octave 2^13 (the paper's own example). Pure.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>

#include "stats/histogram.h"

namespace fathom::stats {

inline constexpr std::size_t kPmbenchOctaves = 15;  // 2^8 .. 2^23
inline constexpr std::size_t kPmbenchBinsAnOctave = 16;
inline constexpr std::size_t kPmbenchHighBins = 8;  // 2^23, 2^24 ... 2^30 and more

struct PmbenchBins {
  std::uint64_t below_256_ns = 0;
  std::array<std::array<std::uint64_t, kPmbenchBinsAnOctave>, kPmbenchOctaves> octaves{};
  std::array<std::uint64_t, kPmbenchHighBins> high{};
  void add(std::uint64_t ns, std::uint64_t count = 1);
  void merge(const PmbenchBins& other);
  std::uint64_t total() const;
};

PmbenchBins pmbench_view(const Histogram& histogram);

struct PmbenchPeak {
  std::uint64_t begin_ns = 0, end_ns = 0, count = 0;  // the fullest bin; count 0: none
};
PmbenchPeak pmbench_peak(const PmbenchBins& bins);
// All 249 bins in rising order. The last is written as [2^30, 2^32), as pmbench does, and includes longer latencies.
void for_each_pmbench_bin(const PmbenchBins& bins, const std::function<void(const PmbenchPeak&)>& visit);

}  // namespace fathom::stats
