// Zipf's law over n ranks, summed at some two hundred nodes: the first ranks one by one, the rest in steps that grow
// with the rank. Rates there are a power of the rank, so a node represents its step within a few parts in ten thousand.
// Pure.
#pragma once
#include <cmath>
#include <vector>

namespace fathom::paging::learn::fit {

inline constexpr double kMostTheta = 4;  // largest exponent of the search

struct RankNode {
  double rank;    // 1..n, the middle of the step
  double weight;  // ranks that it represents
};

inline std::vector<RankNode> rank_grid(double n) {
  constexpr double kSingles = 48, kStep = 1.06;
  std::vector<RankNode> nodes;
  double from = 1;
  while (from <= n) {
    const double to = from < kSingles ? from + 1 : std::min(std::floor(from * kStep), std::floor(n) + 1);
    const double end = std::max(to, from + 1);
    nodes.push_back({std::sqrt(from * (end - 1)), end - from});
    from = end;
  }
  return nodes;
}

}  // namespace fathom::paging::learn::fit
