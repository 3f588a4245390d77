// Walks once through the merged sequence. A queue of the streams' heads merges them, so millions of entries need not be
// copied and sorted.
#include "clock/cores/entries.h"

#include <algorithm>
#include <functional>
#include <queue>
#include <utility>

#include "clock/cores/through_others.h"

namespace fathom::clock::cores {
namespace {

// Calls f(entry, stream) in the order of the sequence.
template <class F>
void in_sequence(std::span<const std::vector<Entry>> streams, F f) {
  using Head = std::pair<std::uint32_t, std::size_t>;  // next sequence number, stream
  std::priority_queue<Head, std::vector<Head>, std::greater<>> heads;
  std::vector<std::size_t> at(streams.size(), 0);
  for (std::size_t s = 0; s < streams.size(); ++s)
    if (!streams[s].empty()) heads.emplace(streams[s][0].sequence, s);
  while (!heads.empty()) {
    const std::size_t s = heads.top().second;
    heads.pop();
    f(streams[s][at[s]], s);
    if (++at[s] < streams[s].size()) heads.emplace(streams[s][at[s]].sequence, s);
  }
}

class Comparison {
 public:
  Comparison(std::span<const std::vector<Entry>> streams, std::size_t most_mismatches)
      : streams_(streams), most_(most_mismatches), bounds_(streams.size() * streams.size()) {
    const std::size_t n = streams.size();
    for (const auto& s : streams) {
      found_.cpus.push_back(
          {s.empty() ? 0 : s[0].cpu, s.size(), s.empty() ? 0 : s.front().tsc, s.empty() ? 0 : s.back().tsc});
      found_.entries += s.size();
    }
    directions_.resize(n * n);
    per_window_ = found_.entries / OffsetBounds::kWindows + 1;
  }

  Findings run() {
    const Entry* last = nullptr;
    std::size_t last_stream = 0, position = 0;
    in_sequence(streams_, [&](const Entry& entry, std::size_t stream) {
      if (last != nullptr) step(*last, last_stream, entry, stream, position / per_window_);
      last = &entry;
      last_stream = stream;
      ++position;
    });
    make_pairs();
    found_.at_fault = at_fault(found_.cpus, found_.pairs);
    return std::move(found_);
  }

 private:
  void step(const Entry& earlier, std::size_t from, const Entry& later, std::size_t to, std::size_t window) {
    const auto gap = static_cast<std::int64_t>(later.tsc - earlier.tsc);
    const std::uint64_t backward = gap < 0 ? earlier.tsc - later.tsc : 0;
    if (backward != 0) {
      ++found_.mismatches;
      found_.largest_backward = std::max(found_.largest_backward, backward);
      if (found_.first_mismatches.size() < most_) found_.first_mismatches.push_back({earlier, later});
    }
    if (from == to) {
      found_.cpus[from].backward += backward != 0;
      found_.cpus[from].largest_backward = std::max(found_.cpus[from].largest_backward, backward);
      return;
    }
    ++found_.cpus[from].handed_out;
    ++found_.cpus[to].handed_in;
    auto& d = directions_[from * streams_.size() + to];
    d.smallest_gap = d.hand_overs == 0 ? gap : std::min(d.smallest_gap, gap);
    ++d.hand_overs;
    d.mismatches += backward != 0;
    d.largest_backward = std::max(d.largest_backward, backward);
    if (from < to)
      bounds_[from * streams_.size() + to].a_to_b(window, earlier.tsc, gap);
    else
      bounds_[to * streams_.size() + from].b_to_a(window, later.tsc, gap);
  }

  void make_pairs() {
    const std::size_t n = streams_.size();
    for (std::size_t a = 0; a < n; ++a) {
      for (std::size_t b = a + 1; b < n; ++b) {
        found_.pairs.push_back(make_pair(a, b));
        found_.pairs_met += found_.pairs.back().met();
      }
    }
    bound_through_others(n, found_.pairs);
    found_.detectable = worst_detectable();
    for (const auto& c : found_.cpus) {
      const std::uint64_t scarcer = std::min(c.handed_in, c.handed_out);
      found_.fewest_hand_overs = &c == found_.cpus.data() ? scarcer : std::min(found_.fewest_hand_overs, scarcer);
    }
  }

  std::uint64_t worst_detectable() const {
    std::uint64_t worst = 0;
    for (const auto& pair : found_.pairs) {
      const auto detectable = pair.detectable();
      if (!detectable) return 0;
      worst = std::max(worst, *detectable);
    }
    return worst;
  }

  Pair make_pair(std::size_t a, std::size_t b) const {
    const std::size_t n = streams_.size();
    Pair pair;
    pair.a = found_.cpus[a].cpu;
    pair.b = found_.cpus[b].cpu;
    pair.a_to_b = directions_[a * n + b];
    pair.b_to_a = directions_[b * n + a];
    if (!pair.met()) return pair;
    const auto& bounds = bounds_[a * n + b];
    const auto high = static_cast<double>(*bounds.upper()), low = static_cast<double>(*bounds.lower());
    pair.drift = bounds.drift();
    pair.offset = (high + low) / 2;
    pair.offset_bound = std::max(high - low, low - high) / 2;
    const bool one_rate = pair.drift.low_ppm <= pair.drift.high_ppm;
    pair.steadiness = low <= high ? Steadiness::steady : one_rate ? Steadiness::drifts : Steadiness::unsteady;
    return pair;
  }

  std::span<const std::vector<Entry>> streams_;
  std::size_t most_;
  std::size_t per_window_ = 1;
  std::vector<Direction> directions_;  // [from * n + to]
  std::vector<OffsetBounds> bounds_;   // [a * n + b], a < b
  Findings found_;
};

}  // namespace

std::optional<std::uint64_t> Pair::detectable() const {
  if (steadiness == Steadiness::unknown) return through_others;
  if (steadiness != Steadiness::steady) return std::nullopt;
  const std::int64_t gap = std::max({a_to_b.smallest_gap, b_to_a.smallest_gap, std::int64_t{0}});
  return static_cast<std::uint64_t>(gap) + 1;
}

Findings analyse(std::span<const std::vector<Entry>> streams, std::size_t most_mismatches) {
  return Comparison(streams, most_mismatches).run();
}

}  // namespace fathom::clock::cores
