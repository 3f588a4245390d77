// Loads are logarithms during the search for a crossing, because a width is a share of the load.
#include "stats/loads/slo_search.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <span>

#include "stats/comparison/student.h"

namespace fathom::stats::loads {
namespace {

constexpr std::array<std::size_t, 7> kLooks = {3, 5, 8, 12, 18, 26, 36};
// Pocock's level for both sides of each of seven looks. Over all looks, the error on one side is 2.5 %.
constexpr double kBothSides = 0.0130;
constexpr double kEndAt = 0.45;    // of the width, from the root: the bracket is 0.9 of the width
constexpr double kSure = 1.0 / 8;  // of the width: below this error, the root is known well enough
constexpr double kFlat = 0.1;      // a smaller slope has no root
constexpr std::size_t kNearAtLeast = 4, kNearAtMost = 16;
constexpr unsigned kMostMoves = 8;

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (const double value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double squares_of(std::span<const double> values) {
  const double mean = mean_of(values);
  double sum = 0;
  for (const double value : values) sum += (value - mean) * (value - mean);
  return sum;
}

// A step of a rising function.
struct Block {
  double first = 0, last = 0, sum = 0, n = 0;
  double value() const { return sum / n; }
};

bool is_look(std::size_t n) { return std::find(kLooks.begin(), kLooks.end(), n) != kLooks.end(); }

}  // namespace

SloSearch::SloSearch(const SloRange& range, std::uint64_t seed) : range_(range), random_(seed) {}

void SloSearch::know(double load, double over) { seen_.push_back({std::log(load), over}); }

// The pool adjacent violators algorithm.
SloSearch::Crossing SloSearch::crossing() const {
  std::map<double, Block> loads;
  for (const auto& seen : seen_) {
    auto& block = loads[seen.at];
    block.first = block.last = seen.at;
    block.sum += seen.over, block.n += 1;
  }
  std::vector<Block> steps;
  for (const auto& [at, block] : loads) {
    steps.push_back(block);
    while (steps.size() > 1 && steps[steps.size() - 2].value() >= steps.back().value()) {
      auto& before = steps[steps.size() - 2];
      before.last = steps.back().last, before.sum += steps.back().sum, before.n += steps.back().n;
      steps.pop_back();
    }
  }
  Crossing out;
  const auto above = std::find_if(steps.begin(), steps.end(), [](const Block& step) { return step.value() > 0; });
  if (above == steps.end()) return out.all_meet = true, out.below = steps.back().last, out;
  if (above == steps.begin()) return out.all_miss = true, out.above = above->first, out;
  const auto below = above - 1;
  out.below = below->last, out.above = above->first;
  const double share = -below->value() / (above->value() - below->value());
  out.root = out.below + std::clamp(share, 0.0, 1.0) * (out.above - out.below);
  return out;
}

SloSearch::Line SloSearch::line_near(double root) const {
  std::vector<double> at, over;
  for (const auto& seen : seen_)
    if (std::abs(seen.at - root) <= 1.5 * range_.width) at.push_back(seen.at), over.push_back(seen.over);
  const double across = squares_of(at), n = static_cast<double>(at.size());
  if (at.size() < kNearAtLeast || across <= 0) return {};
  const double mean_at = mean_of(at), mean_over = mean_of(over);
  double products = 0;
  for (std::size_t i = 0; i < at.size(); ++i) products += (at[i] - mean_at) * (over[i] - mean_over);
  const double slope = products / across;
  if (slope < kFlat) return {};
  const double rest = std::max(squares_of(over) - slope * products, 0.0) / (n - 2);
  const double deviation = std::max(std::sqrt(rest), range_.resolution / std::sqrt(12.0));
  const double away = -mean_over / slope;
  if (std::abs(mean_at + away - root) > 2 * range_.width) return {};
  return {mean_at + away, deviation / slope * std::sqrt(1 / n + away * away / across), true};
}

double SloSearch::fitting(double load, bool down) const {
  if (range_.whole) load = down ? std::floor(load + 1e-9) : std::ceil(load - 1e-9);
  return std::clamp(load, range_.low, range_.high);
}

SloSearch::Run SloSearch::give(double load, Stage stage) {
  given_ = Run{load, stage};
  return *given_;
}

std::optional<SloSearch::Run> SloSearch::next() {
  if (given_) return given_;
  if (ended_) return std::nullopt;
  if (!confirms_)
    if (auto run = explore()) return run;
  return ended_ ? std::nullopt : confirm();
}

// The next run. Empty: the ends are set.
std::optional<SloSearch::Run> SloSearch::explore() {
  if (seen_.empty()) return give(fitting(std::sqrt(range_.low * range_.high), true), Stage::explore);
  const auto found = crossing();
  if (found.all_meet || found.all_miss) {
    const double at = std::exp(found.all_meet ? found.below : found.above);
    const double edge = found.all_meet ? range_.high : range_.low;
    if (found.all_meet ? at < edge * (1 - 1e-9) : at > edge * (1 + 1e-9))
      return give(fitting(found.all_meet ? at * 2 : at / 2, found.all_miss), Stage::explore);
    (found.all_meet ? low_ : high_) = SloEnd{edge, false, {}};
    confirms_ = true;
    return std::nullopt;
  }
  const double gap = found.above - found.below;
  if (range_.whole && std::round(std::exp(found.above)) - std::round(std::exp(found.below)) < 1.5) {
    low_ = SloEnd{std::round(std::exp(found.below)), false, {}};
    high_ = SloEnd{std::round(std::exp(found.above)), false, {}};
    confirms_ = true;
    return std::nullopt;
  }
  if (gap > 2 * range_.width) {
    const double share = std::clamp((found.root - found.below) / gap, 0.3, 0.7);
    const double load = fitting(std::exp(found.below + share * gap), share < 0.5);
    // For whole numbers, excludes the ends of the gap.
    const double least = range_.whole ? std::round(std::exp(found.below)) + 1 : load;
    const double most = range_.whole ? std::round(std::exp(found.above)) - 1 : load;
    return give(std::clamp(load, least, most), Stage::explore);
  }
  const auto line = line_near(found.root);
  const bool sure = line.good && line.error <= kSure * range_.width;
  if ((near_ >= kNearAtLeast && sure) || near_ >= kNearAtMost) {
    put_ends(line.good ? line.root : found.root);
    return std::nullopt;
  }
  const double side = near_++ % 2 == 0 ? -0.5 : 0.5;
  return give(fitting(std::exp(found.root) * (1 + side * range_.width), side < 0), Stage::explore);
}

void SloSearch::put_ends(double root) {
  const double load = std::exp(root);
  low_ = SloEnd{fitting(load * (1 - kEndAt * range_.width), true), false, {}};
  high_ = SloEnd{fitting(load * (1 + kEndAt * range_.width), false), false, {}};
  confirms_ = true;
}

std::optional<SloSearch::Run> SloSearch::confirm() {
  const bool low_open = low_ && !low_->shown, high_open = high_ && !high_->shown;
  if (!low_open && !high_open) return ended_ = true, std::nullopt;
  to_low_ = low_open;
  if (low_open && high_open) {
    const auto n_low = low_->over.size(), n_high = high_->over.size();
    if (n_low == n_high) low_first_ = random_.below(2) == 0;
    to_low_ = n_low == n_high ? low_first_ : n_low < n_high;
  }
  return give((to_low_ ? low_ : high_)->load, Stage::confirm);
}

void SloSearch::add(double over) {
  if (!given_) return;
  ++runs_;
  seen_.push_back({std::log(given_->load), over});
  if (given_->stage == Stage::confirm) {
    (to_low_ ? low_ : high_)->over.push_back(over);
    judge();
  }
  given_.reset();
}

void SloSearch::judge() {
  const bool low_open = low_ && !low_->shown, high_open = high_ && !high_->shown;
  if (low_open && high_open && low_->over.size() != high_->over.size()) return;
  double squares = 0, degrees = 0;
  for (const auto* end : {&low_, &high_}) {
    if (!*end || (*end)->over.size() < 2) continue;
    squares += squares_of((*end)->over), degrees += static_cast<double>((*end)->over.size() - 1);
  }
  if (degrees <= 0) return;
  const double deviation = std::max(std::sqrt(squares / degrees), range_.resolution / std::sqrt(12.0));
  // Each moved end adds a chance of error, so its level is divided.
  const double t = comparison::student_quantile(1 - kBothSides / (1 + moves_), degrees);
  enum Side { unknown, meets, misses };
  const auto side_of = [&](const SloEnd& end) {
    const double mean = mean_of(end.over), half = t * deviation / std::sqrt(static_cast<double>(end.over.size()));
    return mean + half < 0 ? meets : mean - half > 0 ? misses : unknown;
  };
  const Side low = low_open && is_look(low_->over.size()) ? side_of(*low_) : unknown;
  const Side high = high_open && is_look(high_->over.size()) ? side_of(*high_) : unknown;
  if (low == meets) low_->shown = true;
  if (high == misses) high_->shown = true;
  if (low == misses) {
    high_ = low_, high_->shown = true;
    move_low(high_->load * (1 - 2 * kEndAt * range_.width));
  } else if (high == meets) {
    low_ = high_, low_->shown = true;
    move_high(low_->load * (1 + 2 * kEndAt * range_.width));
  }
  const auto tired = [&](const std::optional<SloEnd>& end) {
    return end && !end->shown && end->over.size() >= kLooks.back();
  };
  if (tired(low_)) move_low(low_->load * (1 - range_.width / 2));
  if (tired(high_)) move_high(high_->load * (1 + range_.width / 2));
}

void SloSearch::move_low(double from) {
  const bool at_edge = low_ && low_->load <= range_.low * (1 + 1e-9);
  if (++moves_ > kMostMoves || at_edge) {
    if (at_edge && high_ && high_->load <= range_.low * (1 + 1e-9)) low_.reset();
    ended_ = true;
    return;
  }
  low_ = SloEnd{fitting(from, true), false, {}};
}

void SloSearch::move_high(double from) {
  const bool at_edge = high_ && high_->load >= range_.high * (1 - 1e-9);
  if (++moves_ > kMostMoves || at_edge) {
    if (at_edge && low_ && low_->load >= range_.high * (1 - 1e-9)) high_.reset();
    ended_ = true;
    return;
  }
  high_ = SloEnd{fitting(from, false), false, {}};
}

SloBracket SloSearch::bracket() const { return {low_, high_, ended_}; }

}  // namespace fathom::stats::loads
