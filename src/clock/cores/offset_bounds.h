// Bounds on the offset of one counter relative to another, from hand-overs in both directions. They are kept per window
// of the test, to tell a changing offset from a steady one. A hand-over a to b at time t means offset(t) <= gap, and
// one from b to a means offset(t) >= -gap. Both are exact, whatever the hand-over cost. Ticks; any thread.
#pragma once
#include <array>
#include <cstdint>
#include <limits>
#include <optional>

namespace fathom::clock::cores {

// Rates that the hand-overs allow, in parts per million. low > high: no single rate explains them.
struct DriftBounds {
  double low_ppm = -std::numeric_limits<double>::infinity();
  double high_ppm = std::numeric_limits<double>::infinity();
};

class OffsetBounds {
 public:
  static constexpr std::size_t kWindows = 16;

  void a_to_b(std::size_t window, std::uint64_t time, std::int64_t gap) { tighten(upper_[window], time, gap); }
  void b_to_a(std::size_t window, std::uint64_t time, std::int64_t gap) { tighten(lower_[window], time, gap); }

  // offset <= upper() and offset >= lower(), over the whole test. Empty: that direction was not seen.
  std::optional<std::int64_t> upper() const;
  std::optional<std::int64_t> lower() const;
  DriftBounds drift() const;

 private:
  struct Tightest {
    std::int64_t gap = std::numeric_limits<std::int64_t>::max();
    std::uint64_t time = 0;
    bool seen() const { return gap != std::numeric_limits<std::int64_t>::max(); }
  };
  using Windows = std::array<Tightest, kWindows>;
  static void tighten(Tightest& t, std::uint64_t time, std::int64_t gap) {
    if (gap < t.gap) t = {gap, time};
  }
  static std::optional<std::int64_t> smallest(const Windows& windows);

  Windows upper_, lower_;
};

}  // namespace fathom::clock::cores
