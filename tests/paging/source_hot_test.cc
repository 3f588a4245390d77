// The 80/20 hot set and its wandering.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "paging/source_support.h"
#include "pattern/hot_set.h"
#include "pattern/moving_window.h"
#include "pattern/statistics.h"

namespace fathom::paging {
namespace {

constexpr std::uint64_t kPages = 1000, kSecond = 1'000'000'000;
constexpr std::size_t kHotDraws = 256'000;

// The pages that got more than twice their even share, ascending.
std::vector<std::uint64_t> hot_pages(sources::AccessSource& source, std::uint64_t elapsed_ns) {
  const auto counts = page_counts(source, kPages, kHotDraws, elapsed_ns);
  std::vector<std::uint64_t> hot;
  for (std::uint64_t page = 0; page < kPages; ++page)
    if (counts[page] > 2.0 * kHotDraws / kPages) hot.push_back(page);
  return hot;
}

bool contiguous_on_a_ring(const std::vector<std::uint64_t>& pages) {
  int gaps = 0;
  for (std::size_t i = 0; i < pages.size(); ++i)
    gaps += (pages[i] + 1) % kPages != pages[(i + 1) % pages.size()] ? 1 : 0;
  return gaps == 1;
}

TEST(HotPattern, accesses_split_by_hot_access_and_hot_set_percent) {
  for (const auto& [access, set] : {std::pair{80.0, 20.0}, {95.0, 1.0}, {0.0, 20.0}, {100.0, 50.0}, {20.0, 20.0}}) {
    PatternPlan plan = plan_of("hot");
    plan.hot_access_percent = access;
    plan.hot_set_percent = set;
    const auto hot = static_cast<std::size_t>(kPages * set / 100);
    std::vector<double> expected(kPages);
    for (std::size_t i = 0; i < kPages; ++i)
      expected[i] = kHotDraws / 100.0 *
                    (i < hot ? access / static_cast<double>(hot) : (100 - access) / static_cast<double>(kPages - hot));
    const auto counts = page_counts(plan, kPages, kHotDraws);
    if (access == 0 || access == 100) {
      for (std::size_t i = 0; i < kPages; ++i) EXPECT_EQ(counts[i] > 0, expected[i] > 0) << i;
    }
    const auto chi = pattern::testing::chi_square(counts, expected);
    EXPECT_TRUE(chi.plausible()) << access << '/' << set << ": " << chi.value << " in " << chi.cells;
  }
}

TEST(HotPattern, moves_every_hot_move_s) {
  PatternPlan plan = plan_of("hot");
  plan.hot_move_s = 2;
  const auto source = make(plan, kPages);
  std::vector<std::uint64_t> before;
  for (int place = 0; place < 5; ++place) {
    const auto first = hot_pages(*source, place * 2 * kSecond),
               last = hot_pages(*source, (place * 2 + 2) * kSecond - 1);
    EXPECT_EQ(first.size(), 200u);
    EXPECT_TRUE(contiguous_on_a_ring(first)) << place;
    EXPECT_EQ(first, last) << place;
    std::vector<std::uint64_t> both;
    std::set_intersection(before.begin(), before.end(), first.begin(), first.end(), std::back_inserter(both));
    EXPECT_TRUE(both.empty()) << place;
    before = first;
  }
}

TEST(HotPattern, moves_on_schedule_for_any_block_timing_and_all_workers_alike) {
  PatternPlan plan = plan_of("hot");
  plan.hot_move_s = 0.5;
  const auto often = make(plan, kPages, 0, 2), seldom = make(plan, kPages, 1, 2);
  for (std::uint64_t ms = 0; ms < 9'800; ms += 7) play(*often, 1, ms * 1'000'000);
  const auto where = hot_pages(*often, 98 * kSecond / 10);
  EXPECT_EQ(where, hot_pages(*seldom, 98 * kSecond / 10));
  EXPECT_NE(where, hot_pages(*seldom, 10 * kSecond));
}

TEST(HotPattern, without_hot_move_s_never_moves) {
  const auto source = make(plan_of("hot"), kPages);
  EXPECT_EQ(hot_pages(*source, 0), hot_pages(*source, 1'000'000 * kSecond));
}

TEST(HotPattern, moves_when_permuted_too) {
  PatternPlan plan = plan_of("hot");
  plan.hot_move_s = 1;
  plan.permute = true;
  const auto source = make(plan, kPages);
  const auto first = hot_pages(*source, 0), second = hot_pages(*source, kSecond);
  EXPECT_FALSE(contiguous_on_a_ring(first));
  EXPECT_EQ(first.size(), 200u);
  EXPECT_EQ(second.size(), 200u);
  std::vector<std::uint64_t> both;
  std::set_intersection(second.begin(), second.end(), first.begin(), first.end(), std::back_inserter(both));
  EXPECT_TRUE(both.empty());
}

TEST(HotSetPlaces, are_spread_over_the_range_and_stay_inside) {
  for (const double percent : {0.1, 20.0, 50.0, 70.0, 99.9}) {
    pattern::HotSet set(80, percent, kPages, 9);
    base::Prng prng(4);
    std::set<std::uint64_t> starts;
    for (int i = 0; i < 2000; ++i) {
      starts.insert(set.start());
      ASSERT_LT(set.start(), kPages);
      ASSERT_LT(set(prng).rank, kPages);
      set.move();
    }
    EXPECT_GT(starts.size(), percent == 50 ? 1u : 500u) << percent;
  }
}

TEST(MovingWindow, a_move_replaces_step_pages_and_keeps_the_rest) {
  for (const auto& [w, n, step] :
       {std::tuple{10u, 100u, 3u}, {10u, 10u, 4u}, {7u, 100u, 7u}, {7u, 9u, 0u}, {1u, 5u, 1u}}) {
    pattern::MovingWindow window(w, n, step);
    for (int move = 0; move < 300; ++move) {
      std::vector<std::uint64_t> before, after;
      for (unsigned rank = 0; rank < w; ++rank) before.push_back(window(rank));
      window.move();
      for (unsigned rank = 0; rank < w; ++rank) after.push_back(window(rank));
      EXPECT_EQ(std::set<std::uint64_t>(after.begin(), after.end()).size(), w);
      EXPECT_LT(*std::max_element(after.begin(), after.end()), n);
      unsigned moved = 0;
      for (unsigned rank = 0; rank < w; ++rank) moved += before[rank] != after[rank] ? 1 : 0;
      if (n >= 2 * w) {
        EXPECT_EQ(moved, step);
      }
      EXPECT_LE(moved, step);
      if (move == 0 && step > 0 && n >= 2 * w) {
        EXPECT_NE(before[0], after[0]);
      }
    }
  }
}

}  // namespace
}  // namespace fathom::paging
