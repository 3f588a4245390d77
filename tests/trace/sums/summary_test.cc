// The summary of a trace, its footprint and its depth.
#include <gtest/gtest.h>

#include "base/prng.h"
#include "trace/sums/summary.h"

namespace fathom::trace::sums {
namespace {

Event io(std::uint64_t time_ns, std::uint64_t offset, std::uint64_t length, Action action = Action::read,
         std::uint64_t response_ns = kNotKnown) {
  return {
      .time_ns = time_ns, .offset_bytes = offset, .length_bytes = length, .response_ns = response_ns, .action = action};
}

TEST(Summary, AddsUp) {
  Summary s;
  s.add({.action = Action::add});
  s.add(io(1000, 0, 4096, Action::read, 500));
  s.add(io(1200, 4096, 4096, Action::read, 500));
  s.add(io(1600, 65536, 8192, Action::write, 100));
  s.add(io(1500, 0, 0, Action::sync));
  s.add(io(2'000'001'000, 0, 4096, Action::read));
  EXPECT_EQ(s.ios(), 5u);
  EXPECT_EQ(s.bytes(), 3 * 4096u + 8192u);
  EXPECT_EQ(s.duration_ns(), 2'000'000'000u);
  EXPECT_EQ(s.kind(Action::read).ios, 3u);
  EXPECT_EQ(s.kind(Action::read).sequential, 1u);
  EXPECT_EQ(s.kind(Action::sync).ios, 1u);
  EXPECT_EQ(s.busiest_second(), 4u);
  EXPECT_EQ(s.gaps().seen.n, 4u);
  EXPECT_EQ(s.gaps().seen.min(), 0u);
  EXPECT_EQ(s.depth().most(), 2u);
  EXPECT_EQ(s.footprint().bytes(), 4 * 4096u);
  ASSERT_EQ(s.sizes(Action::read).size(), 1u);
  EXPECT_EQ(s.sizes(Action::read)[0].ios, 3u);
}

TEST(Summary, SizesAreBounded) {
  Summary s;
  for (std::uint64_t i = 1; i <= 5000; ++i) s.add(io(i, 0, i));
  EXPECT_EQ(s.sizes(Action::read).size(), Summary::kMostSizes);
  EXPECT_EQ(s.other_sizes(), 5000 - Summary::kMostSizes);
}

TEST(Footprint, IsExactUpToAMillionBlocks) {
  Footprint f;
  for (int pass = 0; pass < 2; ++pass)
    for (std::uint64_t i = 0; i < 100'000; ++i) f.add(0, i * 8192 + 100, 4096);  // each touches two blocks
  EXPECT_TRUE(f.is_exact());
  EXPECT_EQ(f.bytes(), 200'000u * 4096);
  f.add(1, 0, 512);
  EXPECT_EQ(f.bytes(), 200'001u * 4096);
}

TEST(Footprint, EstimatesBeyond) {
  Footprint f;
  constexpr std::uint64_t kBlocks = 3'000'000;
  for (std::uint64_t i = 0; i < kBlocks; i += 1024) f.add(0, i * 4096, 4'194'304);
  EXPECT_FALSE(f.is_exact());
  EXPECT_NEAR(static_cast<double>(f.bytes()) / 4096, kBlocks, kBlocks * 0.01);
  EXPECT_FALSE(f.add(0, 0, std::uint64_t{1} << 60));
}

TEST(DepthMeter, CountsTheOutstanding) {
  DepthMeter d;
  d.add(io(0, 0, 512, Action::read, 100));
  d.add(io(50, 0, 512, Action::read, 100));
  d.add(io(100, 0, 512, Action::read, 100));
  d.add(io(120, 0, 512, Action::read));
  EXPECT_EQ(d.most(), 2u);
  EXPECT_NEAR(d.mean(), 5.0 / 3, 1e-9);
  for (int i = 0; i < 70'000; ++i) d.add(io(200, 0, 512, Action::read, kNotKnown - 1));
  EXPECT_EQ(d.most(), DepthMeter::kMost);
}

}  // namespace
}  // namespace fathom::trace::sums
