// Pages beyond 2 GiB: where pmbench's page number times the page size overflows an int, so that its fill begins again
// at the front, or crashes. A whole fill of a set that is larger, in little memory: what was filled is looked at and
// given back before the next step.
#include <gtest/gtest.h>
#include <sys/mman.h>

#include <cstring>

#include "base/sanitized.h"
#include "paging/memory/region.h"

namespace fathom::paging::memory {
namespace {

constexpr std::uint64_t kHuge_bytes = 2 << 20, kBorder = std::uint64_t{2} << 30, kPage_bytes = 4096;

// 8 random bytes a page, which its number chooses, and zeros: quick to make, and in huge pages, where there are any.
RegionPlan far_plan() {
  RegionPlan plan;
  plan.map_bytes = plan.set_bytes = kBorder + kHuge_bytes;
  plan.thp = Thp::always;
  plan.fill = Fill::compressible;
  plan.fill_percent = 99.8;
  return plan;
}

bool is_page(const std::byte* at, std::uint64_t number, const RegionPlan& plan) {
  std::byte expected[kPage_bytes];
  fill_page(expected, kPage_bytes, plan.fill, plan.fill_percent, number, plan.seed);
  return std::memcmp(at, expected, kPage_bytes) == 0;
}

TEST(FillBeyondTwoGiB, page_numbers_do_not_wrap) {
  const auto plan = far_plan();
  const std::uint64_t at_border = kBorder / kPage_bytes;
  std::byte first[kPage_bytes], far[kPage_bytes];
  fill_page(first, kPage_bytes, plan.fill, plan.fill_percent, 0, plan.seed);
  for (const std::uint64_t number : {at_border, 2 * at_border, std::uint64_t{1} << 32, std::uint64_t{1} << 40}) {
    fill_page(far, kPage_bytes, plan.fill, plan.fill_percent, number, plan.seed);
    EXPECT_NE(std::memcmp(first, far, kPage_bytes), 0) << number;
  }
}

TEST(FillBeyondTwoGiB, a_large_set_is_filled_to_its_end) {
  if (base::kSanitized) GTEST_SKIP() << "the shadow of what is given back stays";
  const auto plan = far_plan();
  std::vector<result::Finding> findings;
  auto region = Region::map(plan, findings);
  ASSERT_TRUE(region.ok()) << region.error().what;
  std::atomic<std::uint64_t> filled{0};
  std::uint64_t given_back = 0, wrong = 0;
  const auto look = [&](std::uint64_t until) {  // at the first and the last page of what has come
    if (until == given_back) return;
    std::byte* const data = region->data();
    wrong += !is_page(data + given_back, given_back / kPage_bytes, plan);
    wrong += !is_page(data + until - kPage_bytes, until / kPage_bytes - 1, plan);
    ::madvise(data + given_back, until - given_back, MADV_DONTNEED);
    given_back = until;
  };
  const auto stop = [&] {
    const std::uint64_t done = filled.load();
    if (done >= given_back + kHuge_bytes || done + kHuge_bytes >= kBorder) look(done);
    return wrong > 0;
  };
  EXPECT_TRUE(region->fill(plan, stop, &filled).empty());
  look(filled.load());
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(given_back, plan.set_bytes);
}

}  // namespace
}  // namespace fathom::paging::memory
