// Divides the cells among the bands once. The sums of all I/Os, or of a slice, are then divided by the same shares.
#include "split/sums/bands.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "stats/banded_ratio.h"
#include "stats/latency_bands.h"

namespace fathom::split::sums {
namespace {

using result::kParts;
using stats::Banded;
using stats::kBands;

constexpr double kFewestIos = 100, kFewestWatchedWhole = 0.5;

// The sums of one slice, or of all.
struct InBand {
  double ios = 0, whole_ns = 0;
  result::PartShares part_ns{};
};
using InBands = std::array<InBand, kBands>;

class Banding {
 public:
  Banding(const stats::LatencyBands& bands, const BandInput& in, double added)
      : bands_(bands), added_ns_(added), held_is_handed_(in.held_is_handed) {}

  void add(std::size_t cell, const BandCell& what, InBands& to) const {
    if (what.ios == 0) return;
    const Banded shares = bands_.shares(before(cell_begin(cell)), before(cell_end(cell)));
    for (std::size_t b = 0; b < kBands; ++b) {
      to[b].ios += shares[b] * static_cast<double>(what.ios);
      to[b].whole_ns += shares[b] * static_cast<double>(what.whole_ns);
      for (std::size_t p = 0; p < kParts; ++p)
        to[b].part_ns[told_as(p)] += shares[b] * static_cast<double>(what.part_ns[p]);
    }
  }
  InBands of(const SliceCells& slice) const {
    InBands out{};
    for (std::size_t i = 0; i < slice.at.size(); ++i) add(slice.at[i], slice.cells[i], out);
    return out;
  }

 private:
  double before(double ns) const { return std::max(0.0, ns - added_ns_); }
  std::size_t told_as(std::size_t part) const {
    const bool held = part == static_cast<std::size_t>(result::Part::held);
    return held && held_is_handed_ ? static_cast<std::size_t>(result::Part::handed) : part;
  }

  const stats::LatencyBands& bands_;
  double added_ns_;
  bool held_is_handed_;
};

// The time of traced I/Os without a breakdown.
Banded undivided_ns(const stats::LatencyBands& bands, const BandInput& in, const result::BreakdownClass& c) {
  Banded out{};
  for (const auto* histogram : {&c.uncovered.histogram_ns, &in.rest})
    for (const auto& bin : histogram->bins()) {
      const auto shares = bands.shares(static_cast<double>(stats::bucket_begin(bin.bucket)),
                                       static_cast<double>(stats::bucket_begin(bin.bucket + 1)));
      for (std::size_t b = 0; b < kBands; ++b)
        out[b] += shares[b] * static_cast<double>(bin.count) * static_cast<double>(stats::bucket_value(bin.bucket));
    }
  return out;
}

std::vector<stats::BandedGroup> groups_of(std::span<const InBands> slices, std::size_t part) {
  std::vector<stats::BandedGroup> groups;
  for (const auto& slice : slices) {
    auto& group = groups.emplace_back();
    for (std::size_t b = 0; b < kBands; ++b) {
      group.part[b] = slice[b].part_ns[part];
      group.whole[b] = slice[b].whole_ns;
    }
  }
  return groups;
}

bool enough(const result::BreakdownBand& band, const InBand& all, bool sliced) {
  if (all.whole_ns <= 0 || band.explained_share < result::kLeastExplained) return false;
  if (!sliced) return all.ios >= kFewestWatchedWhole;
  return all.ios >= kFewestIos && band.slices >= stats::kFewestInBand;
}

// The interval without weights, from the traced I/Os alone.
double plain_half_width(std::span<const stats::BandedGroup> groups) {
  std::vector<stats::RatioGroup> sums;
  for (const auto& group : groups) {
    auto& sum = sums.emplace_back();
    for (std::size_t b = 0; b < kBands; ++b) {
      sum.part += group.part[b];
      sum.whole += group.whole[b];
    }
  }
  return stats::jackknife_ratio(sums).half_width;
}

void give_shares(const std::vector<InBands>& slices, result::BreakdownClass& to) {
  Banded weights{};
  for (std::size_t b = 0; b < kBands; ++b)
    if (to.bands[b].told) weights[b] = to.bands[b].time_share;
  const bool any = std::any_of(weights.begin(), weights.end(), [](double w) { return w > 0; });
  for (std::size_t p = 0; p < kParts; ++p) {
    const auto groups = groups_of(slices, p);
    for (std::size_t b = 0; b < kBands; ++b)
      if (to.bands[b].told) to.bands[b].share_half_width[p] = stats::jackknife_band(groups, b).half_width;
    if (!any) {
      to.share_half_width[p] = plain_half_width(groups);
      continue;
    }
    const auto ratio = stats::jackknife_banded(groups, weights);
    to.share[p] = ratio.value;
    to.share_half_width[p] = ratio.half_width;
  }
}

result::BreakdownBand band_of(const stats::LatencyBands& bands, std::size_t b, const InBand& all, double undivided) {
  result::BreakdownBand band;
  band.name = stats::kBandNames[b];
  band.from_ns = bands.edge_ns(b);
  band.to_ns = bands.edge_ns(b + 1);
  band.ios = static_cast<std::uint64_t>(std::llround(all.ios));
  band.time_share = bands.time()[b];
  if (all.whole_ns + undivided > 0) band.explained_share = all.whole_ns / (all.whole_ns + undivided);
  return band;
}

}  // namespace

double added_ns(const stats::Histogram& watched, const stats::Histogram& others) {
  if (static_cast<double>(std::min(watched.total(), others.total())) < kFewestIos) return 0;
  const stats::LatencyBands inside(watched), outside(others);
  constexpr int kDeciles = 9;
  std::array<double, kDeciles> more{};
  for (int i = 0; i < kDeciles; ++i) {
    const double rank = (i + 1) / 10.0;
    more[static_cast<std::size_t>(i)] = inside.at_rank(rank) - outside.at_rank(rank);
  }
  std::nth_element(more.begin(), more.begin() + kDeciles / 2, more.end());
  return std::max(0.0, more[kDeciles / 2]);
}

void give_bands(const BandInput& in, result::BreakdownClass& to) {
  // All I/Os of the class. The probe overhead is subtracted from the traced ones.
  const stats::LatencyBands bands({{to.others.histogram_ns},
                                   {to.uncovered.histogram_ns},
                                   {in.rest},
                                   {to.whole.histogram_ns, to.watching.added_ns}});
  const Banding banding(bands, in, to.watching.added_ns);
  InBands all{};
  for (std::size_t i = 0; i < in.cells.size(); ++i) banding.add(i, in.cells[i], all);
  std::vector<InBands> slices;
  for (const auto& slice : in.slices) slices.push_back(banding.of(slice));
  const Banded undivided = undivided_ns(bands, in, to);
  to.bands.clear();
  for (std::size_t b = 0; b < kBands; ++b) {
    auto band = band_of(bands, b, all[b], undivided[b]);
    for (const auto& slice : slices) band.slices += slice[b].ios >= kFewestWatchedWhole ? 1 : 0;
    band.told = enough(band, all[b], in.sliced);
    for (std::size_t p = 0; p < kParts && band.told; ++p) {
      band.mean_ns[p] = all[b].part_ns[p] / all[b].ios;
      band.share[p] = all[b].part_ns[p] / all[b].whole_ns;
    }
    to.bands.push_back(std::move(band));
  }
  if (in.sliced) give_shares(slices, to);
}

}  // namespace fathom::split::sums
