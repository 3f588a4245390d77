// Overlap of the hottest fifth before and after the start of every window; see hot_set.h. The overlap left by noise
// alone is taken from the windows themselves, because only a few windows have moves.
#include "paging/learn/fit/hot_set.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/prng.h"

namespace fathom::paging::learn::fit {
namespace {

constexpr std::size_t kFewestWindows = 8, kFewestUsedPages = 50;
constexpr double kLeastTellable = 0.2;  // noise overlap minus chance: below this, a full move would be hidden
constexpr double kMoved = 0.35;         // share above noise from which a change counts as a move

using Set = std::vector<std::uint32_t>;  // sorted page numbers

class Hot {
 public:
  Hot(const WindowCounts& counts, Set used) : counts_(counts), used_(std::move(used)) {}
  std::size_t size() const { return std::max<std::size_t>(1, static_cast<std::size_t>(kHotShare * used_.size())); }

  // The hottest pages in the sum of these windows. Equal counts are ordered by a number that is random again for each
  // set, so no page has an advantage.
  Set operator()(const std::vector<std::size_t>& windows) {
    struct Row {
      std::uint64_t key;
      std::uint32_t page;
    };
    std::vector<Row> rows;
    rows.reserve(used_.size());
    for (const std::uint32_t page : used_) {
      std::uint64_t sum = 0;
      for (const std::size_t w : windows) sum += page < counts_[w].size() ? counts_[w][page] : 0;
      draw_ = draw_ * 6364136223846793005ull + 1442695040888963407ull;
      rows.push_back({sum << 32 | draw_ >> 32, page});
    }
    const auto end = rows.begin() + static_cast<std::ptrdiff_t>(size());
    std::nth_element(rows.begin(), end - 1, rows.end(), [](auto& a, auto& b) { return a.key > b.key; });
    Set set;
    for (auto row = rows.begin(); row != end; ++row) set.push_back(row->page);
    std::sort(set.begin(), set.end());
    return set;
  }

 private:
  const WindowCounts& counts_;
  Set used_;
  std::uint64_t draw_ = 1;
};

double overlap(const Set& a, const Set& b) {
  Set both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return static_cast<double>(both.size()) / static_cast<double>(a.size());
}

double jaccard(double overlap_share) { return overlap_share / (2 - overlap_share); }

Set used_pages(const WindowCounts& counts) {
  std::vector<bool> used;
  for (const auto& window : counts) {
    if (window.size() > used.size()) used.resize(window.size());
    for (std::size_t p = 0; p < window.size(); ++p)
      if (window[p] > 0) used[p] = true;
  }
  Set out;
  for (std::size_t p = 0; p < used.size(); ++p)
    if (used[p]) out.push_back(static_cast<std::uint32_t>(p));
  return out;
}

// Uses one window on either side if that is sufficient: then a move is located to one window. Otherwise uses two.
struct Overlaps {
  std::vector<double> before_after;  // [i]: the windows before window i compared with those from i on
  double noise = 0;
};
Overlaps overlaps(Hot& hot, std::size_t windows, std::size_t side) {
  Overlaps out;
  std::vector<double> all;
  for (std::size_t i = side; i + side <= windows; ++i) {
    std::vector<std::size_t> before(side), after(side);
    std::iota(before.begin(), before.end(), i - side);
    std::iota(after.begin(), after.end(), i);
    all.push_back(overlap(hot(before), hot(after)));
  }
  out.before_after = all;
  std::sort(all.begin(), all.end());
  out.noise = all[all.size() * 3 / 4];
  return out;
}

// The middle of each run of windows with more change than noise, and the change at its peak.
struct Peak {
  double at;
  double share;
};
std::vector<Peak> peaks(const Overlaps& seen) {
  std::vector<Peak> out;
  bool in_run = false;
  double weight = 0;
  for (std::size_t i = 0; i < seen.before_after.size(); ++i) {
    const double changed = (seen.noise - seen.before_after[i]) / (seen.noise - kHotShare);
    if (changed < kMoved) {
      in_run = false;
      continue;
    }
    if (!in_run) out.push_back({0, 0}), weight = 0, in_run = true;
    Peak& peak = out.back();
    peak.at = (peak.at * weight + static_cast<double>(i) * changed) / (weight + changed);
    weight += changed;
    peak.share = std::min(1.0, std::max(peak.share, changed));
  }
  return out;
}

double median(std::vector<double> values) {
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2), values.end());
  return values[values.size() / 2];
}

void describe(HotMovement& out, const std::vector<Peak>& moves, std::size_t windows, double window_s) {
  out.moves = static_cast<unsigned>(moves.size());
  std::vector<double> gaps, shares;
  for (std::size_t i = 0; i < moves.size(); ++i) {
    shares.push_back(moves[i].share);
    if (i > 0) gaps.push_back(moves[i].at - moves[i - 1].at);
  }
  // With one move, the hot set did not move for the longer of the times before and after it.
  if (gaps.empty()) gaps.push_back(std::max(moves[0].at, static_cast<double>(windows) - 1 - moves[0].at));
  out.share = median(shares);
  out.every_s = median(gaps) * window_s;
}

}  // namespace

HotMovement find_movement(const WindowCounts& counts, double window_s, double expected) {
  HotMovement out;
  Set used = used_pages(counts);
  if (counts.size() < kFewestWindows || used.size() < kFewestUsedPages) return out;
  Hot hot(counts, std::move(used));
  Overlaps seen = overlaps(hot, counts.size(), 1);
  if (seen.noise < kHotShare + kLeastTellable && counts.size() >= 2 * kFewestWindows)
    seen = overlaps(hot, counts.size(), 2);
  out.noise_overlap = seen.noise;
  out.jaccard_noise = jaccard(seen.noise);
  out.jaccard_least = jaccard(*std::min_element(seen.before_after.begin(), seen.before_after.end()));
  out.faster_than_seen = expected > seen.noise + kLeastTellable;
  out.known = seen.noise >= kHotShare + kLeastTellable && !out.faster_than_seen;
  if (!out.known) return out;
  const std::vector<Peak> moves = peaks(seen);
  if (!moves.empty()) describe(out, moves, counts.size(), window_s);
  return out;
}

double expected_overlap(const ZipfFit& fit, unsigned intervals) {
  constexpr double kMostPages = 8192;
  if (!fit.valid) return 0;
  const double pages = std::min(std::floor(fit.pages), kMostPages);
  base::Prng prng(1);
  WindowCounts two(2);
  for (auto& window : two)
    for (double rank = 1; rank <= pages; ++rank) {
      const double p = -std::expm1(-page_rate(fit, rank * fit.pages / pages));
      std::uint16_t seen = 0;
      for (unsigned i = 0; i < intervals; ++i) seen += prng.unit() < p;
      window.push_back(seen);
    }
  Hot hot(two, used_pages(two));
  return overlap(hot({0}), hot({1}));
}

}  // namespace fathom::paging::learn::fit
