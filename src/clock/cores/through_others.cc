// Shortest paths from each CPU with a pair to bound (Dijkstra on a matrix, because most pairs meet). A gap that is
// negative after a mismatch counts as 0. This makes the bound wider, never smaller.
#include "clock/cores/through_others.h"

#include <algorithm>
#include <limits>
#include <vector>

namespace fathom::clock::cores {
namespace {

constexpr std::uint64_t kNoWay = std::numeric_limits<std::uint64_t>::max();

// The smallest gap from each CPU to each other one, by their index in the list.
class Gaps {
 public:
  Gaps(std::size_t cpus, std::span<const Pair> pairs) : cpus_(cpus), gaps_(cpus * cpus, kNoWay) {
    std::size_t i = 0;
    for (std::size_t a = 0; a < cpus; ++a) {
      for (std::size_t b = a + 1; b < cpus; ++b, ++i) {
        if (pairs[i].steadiness != Steadiness::steady) continue;
        gaps_[a * cpus + b] = length(pairs[i].a_to_b);
        gaps_[b * cpus + a] = length(pairs[i].b_to_a);
      }
    }
  }

  // The length of the shortest path from one CPU to each other one; kNoWay: no path.
  std::vector<std::uint64_t> from(std::size_t start) const {
    std::vector<std::uint64_t> reached(cpus_, kNoWay);
    std::vector<bool> done(cpus_, false);
    reached[start] = 0;
    while (true) {
      std::size_t nearest = cpus_;
      for (std::size_t i = 0; i < cpus_; ++i)
        if (!done[i] && reached[i] != kNoWay && (nearest == cpus_ || reached[i] < reached[nearest])) nearest = i;
      if (nearest == cpus_) return reached;
      done[nearest] = true;
      for (std::size_t i = 0; i < cpus_; ++i)
        if (const auto gap = gaps_[nearest * cpus_ + i]; gap != kNoWay)
          reached[i] = std::min(reached[i], reached[nearest] + gap);
    }
  }

 private:
  static std::uint64_t length(const Direction& d) {
    return static_cast<std::uint64_t>(std::max(d.smallest_gap, std::int64_t{0}));
  }

  std::size_t cpus_;
  std::vector<std::uint64_t> gaps_;
};

}  // namespace

void bound_through_others(std::size_t cpus, std::span<Pair> pairs) {
  const auto unknown = [](const Pair& p) { return p.steadiness == Steadiness::unknown; };
  if (std::none_of(pairs.begin(), pairs.end(), unknown)) return;
  const Gaps gaps(cpus, pairs);
  std::vector<std::vector<std::uint64_t>> reached;
  for (std::size_t a = 0; a < cpus; ++a) reached.push_back(gaps.from(a));
  std::size_t i = 0;
  for (std::size_t a = 0; a < cpus; ++a) {
    for (std::size_t b = a + 1; b < cpus; ++b, ++i) {
      const std::uint64_t farther = std::max(reached[a][b], reached[b][a]);
      if (unknown(pairs[i]) && farther != kNoWay) pairs[i].through_others = farther + 1;
    }
  }
}

}  // namespace fathom::clock::cores
