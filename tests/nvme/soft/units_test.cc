// The controller's units without a controller: regions, PRP lists, latency samples, faults, events, log pages, the
// gate.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>
#include <thread>

#include "nvme/soft/commands/log_pages.h"
#include "nvme/soft/faults.h"
#include "nvme/soft/gate.h"
#include "nvme/soft/latency.h"
#include "nvme/soft/memory/events.h"
#include "nvme/soft/memory/prp.h"
#include "nvme/soft/transport.h"

namespace fathom::nvme::soft {
namespace {

constexpr std::uint32_t kPage = 4096;

TEST(SoftRegions, OnlyMappedAddressesAreFound) {
  std::byte memory[256];
  memory::Regions regions;
  EXPECT_TRUE(regions.add(0x1000, memory, 100));
  EXPECT_TRUE(regions.add(0x3000, memory + 100, 100));
  EXPECT_EQ(regions.find(0x1000, 100, memory::Access::read), memory);
  EXPECT_EQ(regions.find(0x3001, 99, memory::Access::read), memory + 101);
  EXPECT_EQ(regions.find(0x1001, 100, memory::Access::read), nullptr);
  EXPECT_EQ(regions.find(0xfff, 1, memory::Access::read), nullptr);
  EXPECT_EQ(regions.find(0x2000, 1, memory::Access::read), nullptr);
  EXPECT_EQ(regions.find(0x1000, 0, memory::Access::read), nullptr);
  EXPECT_EQ(regions.find(0x1000, ~0ull, memory::Access::read), nullptr);
  EXPECT_TRUE(regions.remove(0x1000, 100));
  EXPECT_EQ(regions.find(0x1000, 1, memory::Access::read), nullptr);
  EXPECT_EQ(regions.find(0x3000, 1, memory::Access::read), memory + 100);
}

TEST(SoftRegions, OverlapsAndUnmappedAccessesAreRefused) {
  std::byte memory[256];
  memory::Regions regions;
  EXPECT_TRUE(regions.add(0x1000, memory, 100));
  EXPECT_FALSE(regions.add(0x1063, memory, 1));
  EXPECT_FALSE(regions.add(0xff0, memory, 0x11));
  EXPECT_FALSE(regions.add(0x1000, memory, 100));
  EXPECT_FALSE(regions.add(~0ull - 9, memory, 11));
  EXPECT_TRUE(regions.add(~0ull - 9, memory, 10));
  EXPECT_FALSE(regions.add(0x5000, memory, 0));
  EXPECT_FALSE(regions.add(0x5000, nullptr, 8));
  EXPECT_FALSE(regions.remove(0x1000, 99));
  EXPECT_FALSE(regions.remove(0x1001, 99));
  EXPECT_EQ(regions.find(~0ull, 1, memory::Access::read), memory + 9);
}

// Eight pages of memory at 1 MiB; lists are written into the last four.
TEST(SoftRegions, ReadOnlyMemoryIsNotFoundForWriting) {
  memory::Regions regions;
  std::byte memory[200];
  EXPECT_TRUE(regions.add(0x1000, memory, 100, memory::Access::read));
  EXPECT_TRUE(regions.add(0x2000, memory + 100, 100));
  EXPECT_EQ(regions.find(0x1000, 100, memory::Access::read), memory);
  EXPECT_EQ(regions.find(0x1000, 100, memory::Access::write), nullptr);
  EXPECT_EQ(regions.find(0x2000, 100, memory::Access::write), memory + 100);
}

struct PrpWalk : testing::Test {
  alignas(kPage) std::byte memory[8 * kPage] = {};
  memory::Regions regions;
  std::vector<memory::Segment> out;
  static constexpr std::uint64_t kIova = 1 << 20;
  void SetUp() override { ASSERT_TRUE(regions.add(kIova, memory, sizeof memory)); }
  std::uint64_t page(unsigned i) const { return kIova + i * kPage; }
  void slot(std::uint64_t iova, std::uint64_t value) { std::memcpy(memory + (iova - kIova), &value, 8); }
  Status walk(std::uint64_t first, std::uint64_t second, std::uint64_t bytes) {
    return memory::resolve(regions, {first, second}, bytes, memory::Access::read, kPage, out);
  }
  std::uint64_t total() const {
    std::uint64_t sum = 0;
    for (const memory::Segment& s : out) sum += s.bytes;
    return sum;
  }
};

TEST_F(PrpWalk, OnePageUsesPrp1) {
  EXPECT_EQ(walk(page(0) + 512, 0xdead, kPage - 512), kSuccess);
  ASSERT_EQ(out.size(), 1u);
  EXPECT_EQ(out[0].memory, memory + 512);
}

TEST_F(PrpWalk, TwoPagesUsePrp2) {
  EXPECT_EQ(walk(page(0) + 512, page(3), kPage), kSuccess);
  ASSERT_EQ(out.size(), 2u);
  EXPECT_EQ(out[1].memory, memory + 3 * kPage);
  EXPECT_EQ(out[1].bytes, 512u);
  EXPECT_EQ(walk(page(0), page(1) + 4, 2 * kPage), kInvalidPrpOffset);
}

TEST_F(PrpWalk, MorePagesUseAList) {
  const std::uint64_t list = page(4) + 16;
  for (unsigned i = 0; i < 3; ++i) slot(list + 8 * i, page(3 - i));
  EXPECT_EQ(walk(page(0), list, 4 * kPage), kSuccess);
  ASSERT_EQ(out.size(), 4u);
  EXPECT_EQ(out[1].memory, memory + 3 * kPage);
  EXPECT_EQ(out[3].memory, memory + kPage);
  EXPECT_EQ(walk(page(0), list + 4, 4 * kPage), kInvalidPrpOffset);
  slot(list + 8, page(2) + 8);
  EXPECT_EQ(walk(page(0), list, 4 * kPage), kInvalidPrpOffset);
}

TEST_F(PrpWalk, AListsLastSlotHoldsTheLastPageOrTheNextList) {
  const std::uint64_t list = page(5) - 16;  // two slots
  slot(list, page(1));
  slot(list + 8, page(2));
  EXPECT_EQ(walk(page(0), list, 3 * kPage), kSuccess);  // fits: the last slot is data
  EXPECT_EQ(out[2].memory, memory + 2 * kPage);
  slot(list + 8, page(6));  // does not fit: the last slot is the next list
  slot(page(6), page(2));
  slot(page(6) + 8, page(3));
  EXPECT_EQ(walk(page(0), list, 4 * kPage), kSuccess);
  ASSERT_EQ(out.size(), 4u);
  EXPECT_EQ(out[2].memory, memory + 2 * kPage);
  EXPECT_EQ(total(), 4u * kPage);
  slot(list + 8, page(6) + 8);
  EXPECT_EQ(walk(page(0), list, 4 * kPage), kInvalidPrpOffset);
}

TEST_F(PrpWalk, AListThatNamesItselfEnds) {
  const std::uint64_t list = page(5) - 8;
  slot(list, page(4));
  for (unsigned i = 0; i < 512; ++i) slot(page(4) + 8 * i, page(4));
  EXPECT_EQ(walk(page(0), list, 4000 * std::uint64_t{kPage}), kSuccess);
  EXPECT_EQ(out.size(), 4000u);
}

TEST_F(PrpWalk, AddressesOutsideMappedMemoryAreRefused) {
  EXPECT_EQ(walk(page(8), 0, 4), kDataTransferError);
  EXPECT_EQ(walk(page(0) + 2, 0, 4), kInvalidPrpOffset);
  EXPECT_EQ(walk(page(0), page(8), 2 * kPage), kDataTransferError);
  EXPECT_EQ(walk(page(0), page(8), 3 * kPage), kDataTransferError);
  EXPECT_EQ(walk(~0ull - 3, ~0ull & ~7ull, 1 << 20), kDataTransferError);
}

std::vector<std::uint64_t> samples(const LatencyModel& model, std::size_t count, std::uint64_t seed = 1) {
  LatencySampler sampler(model, seed);
  std::vector<std::uint64_t> all(count);
  for (auto& ns : all) ns = sampler.next_ns();
  std::sort(all.begin(), all.end());
  return all;
}

LatencyModel model_of(std::string_view text) { return parse_options("latency=" + std::string(text))->latency; }

TEST(SoftLatency, FixedIsAlwaysTheSame) {
  const auto all = samples(model_of("fixed:80us"), 100);
  EXPECT_EQ(all.front(), 80'000u);
  EXPECT_EQ(all.back(), 80'000u);
}

// Quantiles of 100,000 samples against the definition; the bounds are about six standard errors.
TEST(SoftLatency, LognormalQuantilesMatchTheDefinition) {
  const auto all = samples(model_of("lognormal:80us:0.3"), 100'000);
  const auto at = [&](double share) { return static_cast<double>(all[static_cast<std::size_t>(share * 1e5)]); };
  EXPECT_NEAR(at(0.5), 80'000, 600);
  EXPECT_NEAR(at(0.841345), 80'000 * std::exp(0.3), 1'000);
  EXPECT_NEAR(at(0.158655), 80'000 * std::exp(-0.3), 600);
  EXPECT_NEAR(at(0.998650), 80'000 * std::exp(0.9), 6'000);
}

TEST(SoftLatency, TableSharesMatchTheDefinition) {
  const auto all = samples(model_of("table:0.5=80us;0.99=200us;1=1ms"), 100'000);
  const auto count = [&](std::uint64_t ns) { return std::count(all.begin(), all.end(), ns); };
  EXPECT_NEAR(static_cast<double>(count(80'000)), 50'000, 950);
  EXPECT_NEAR(static_cast<double>(count(200'000)), 49'000, 950);
  EXPECT_NEAR(static_cast<double>(count(1'000'000)), 1'000, 190);
  EXPECT_EQ(count(80'000) + count(200'000) + count(1'000'000), 100'000);
}

TEST(SoftLatency, SamplesDependOnTheSeedAlone) {
  const LatencyModel model = model_of("lognormal:80us:0.3");
  EXPECT_EQ(samples(model, 100, 5), samples(model, 100, 5));
  EXPECT_NE(samples(model, 100, 5), samples(model, 100, 6));
}

std::string strikes(const std::vector<Fault>& faults, unsigned commands) {
  FaultPlan plan(faults);
  std::string text;
  for (unsigned i = 0; i < commands; ++i) {
    const Fault* fault = plan.next();
    text += fault == nullptr ? '.' : fault->kind == FaultKind::drop ? 'd' : 'l';
  }
  return text;
}

TEST(SoftFaults, AfterAndEverySelectCommands) {
  EXPECT_EQ(strikes({{FaultKind::drop, 3, 0}}, 8), "...d....");
  EXPECT_EQ(strikes({{FaultKind::drop, 2, 3}}, 10), "..d..d..d.");
  EXPECT_EQ(strikes({{FaultKind::drop, 0, 1}}, 4), "dddd");
  EXPECT_EQ(strikes({{FaultKind::drop, 1, 2}, {FaultKind::late, 1, 1}}, 6), ".dldld");
  EXPECT_EQ(strikes({{FaultKind::never_ready}}, 3), "...");
}

TEST(SoftEvents, ARequestAnswersOneEventAndMasksItsType) {
  memory::Events events;
  events.happen(memory::kInvalidDoorbellValue);
  EXPECT_FALSE(events.answer());
  EXPECT_TRUE(events.lend(7));
  const auto first = events.answer();
  ASSERT_TRUE(first);
  EXPECT_EQ(first->cid, 7);
  EXPECT_EQ(first->event.result(), 0x010100u);
  EXPECT_TRUE(events.lend(8));
  events.happen(memory::kInvalidDoorbellRegister);
  events.happen(memory::kInvalidDoorbellRegister);
  EXPECT_FALSE(events.answer());
  events.happen(memory::kNamespaceChanged);
  EXPECT_EQ(events.answer()->event.result(), 0x040002u);
  events.unmask(0x01);
  EXPECT_FALSE(events.answer());
  EXPECT_TRUE(events.lend(9));
  EXPECT_EQ(events.answer()->cid, 9);
  EXPECT_TRUE(events.lend(10));
  EXPECT_FALSE(events.answer());  // the same event twice was kept once
}

TEST(SoftEvents, OutstandingRequestsAreLimited) {
  memory::Events events;
  for (std::uint16_t cid = 0; cid < memory::Events::kRequestsMax; ++cid) EXPECT_TRUE(events.lend(cid));
  EXPECT_FALSE(events.lend(99));
  EXPECT_TRUE(events.take_back(2));
  EXPECT_FALSE(events.take_back(2));
  EXPECT_TRUE(events.lend(99));
}

TEST(SoftLogPages, ErrorsAreListedNewestFirst) {
  commands::ErrorLog log;
  for (std::uint16_t cid = 0; cid < 70; ++cid) {
    commands::ErrorEntry entry;
    entry.cid = cid;
    log.add(entry);
  }
  std::vector<std::byte> page;
  log.write_to(page);
  ASSERT_EQ(page.size(), 64u * 64);
  commands::ErrorEntry first, last;
  std::memcpy(&first, page.data(), 64);
  std::memcpy(&last, page.data() + 63 * 64, 64);
  EXPECT_EQ(first.cid, 69);
  EXPECT_EQ(first.count, 70u);
  EXPECT_EQ(last.cid, 6);
}

TEST(SoftLogPages, ChangedNamespacesAreSortedAndUnique) {
  commands::ChangedNamespaces changed;
  changed.add(9);
  changed.add(2);
  changed.add(9);
  std::vector<std::byte> page;
  changed.write_to(page);
  std::uint32_t ids[3];
  std::memcpy(ids, page.data(), sizeof ids);
  EXPECT_EQ(ids[0], 2u);
  EXPECT_EQ(ids[1], 9u);
  EXPECT_EQ(ids[2], 0u);
  for (std::uint32_t nsid = 1; nsid <= 1025; ++nsid) changed.add(nsid);
  changed.write_to(page);
  std::memcpy(ids, page.data(), sizeof ids);
  EXPECT_EQ(ids[0], 0xffffffffu);
  EXPECT_EQ(ids[1], 0u);
}

TEST(SoftIova, TakesTheLowestAlignedFit) {
  IovaSpace space;
  const std::uint64_t a = space.take(4096), b = space.take(100), c = space.take(2 << 20);
  EXPECT_EQ(a, 1u << 20);
  EXPECT_EQ(b, a + 4096);
  EXPECT_EQ(c % (2 << 20), 0u);
  space.give_back(a);
  EXPECT_EQ(space.take(8192), b + 4096);
  EXPECT_EQ(space.take(4096), a);
}

// Control and steps write the same plain memory; the gate must keep them apart (the thread sanitizer looks on).
TEST(SoftGate, ControlAndStepsExcludeEachOther) {
  Gate gate;
  volatile std::uint64_t both = 0;
  std::uint64_t steps = 0;
  const auto pass_time = [] {
    for (int i = 0; i < 50'000; ++i) asm volatile("");
  };
  const auto add_slowly = [&] {  // longer than the barrier on the control side takes
    const std::uint64_t before = both;
    pass_time();
    both = before + 1;
  };
  std::atomic<bool> end{false};
  std::thread stepper([&] {
    while (!end.load(std::memory_order_relaxed)) {
      if (!gate.enter()) continue;
      add_slowly();
      ++steps;
      gate.leave();
    }
  });
  constexpr std::uint64_t kRounds = 500;
  for (std::uint64_t i = 0; i < kRounds; ++i) {
    pass_time();
    const Gate::Closed closed(gate);
    add_slowly();
  }
  end = true;
  stepper.join();
  EXPECT_EQ(both, steps + kRounds);
}

}  // namespace
}  // namespace fathom::nvme::soft
