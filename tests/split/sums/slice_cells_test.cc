// What is kept of slices: differences, nothing of a slice without I/Os, and of a long run as much as of a shorter one.
#include "split/sums/slice_cells.h"

#include <gtest/gtest.h>

namespace fathom::split::sums {
namespace {

class Slices : public ::testing::Test {
 protected:
  void io(std::size_t cell, std::uint64_t ns) {
    ++now_[cell].ios;
    now_[cell].whole_ns += ns;
    now_[cell].part_ns[0] += ns;
  }
  std::vector<BandCell> now_{kCells};
};

TEST_F(Slices, HaveWhatCameSinceTheLast) {
  SliceLedger ledger;
  io(5, 10);
  ledger.take(now_);
  io(5, 11);
  io(90, 100);
  ledger.take(now_);
  ASSERT_EQ(ledger.groups().size(), 2u);
  const auto& second = ledger.groups()[1];
  EXPECT_EQ(second.at, (std::vector<std::uint16_t>{5, 90}));
  EXPECT_EQ(second.cells[0].whole_ns, 11u);
  EXPECT_EQ(second.cells[0].ios, 1u);
  EXPECT_EQ(second.cells[1].part_ns[0], 100u);
}

TEST_F(Slices, WithoutIosAreNone) {
  SliceLedger ledger;
  ledger.take(now_);
  io(5, 10);
  ledger.take(now_);
  ledger.take(now_);
  EXPECT_EQ(ledger.groups().size(), 1u);
  EXPECT_EQ(ledger.slices(), 1u);
}

TEST_F(Slices, OfALongRunArePutTogetherAndLoseNothing) {
  SliceLedger ledger(8);
  for (std::size_t i = 0; i < 1000; ++i) {
    io(10 + i % 7, i);
    ledger.take(now_);
  }
  EXPECT_LE(ledger.groups().size(), 8u);
  EXPECT_GE(ledger.groups().size(), 4u);
  EXPECT_EQ(ledger.slices(), 1000u);
  std::vector<BandCell> sum(kCells);
  for (const auto& group : ledger.groups())
    for (std::size_t i = 0; i < group.at.size(); ++i) sum[group.at[i]].add(group.cells[i]);
  for (std::size_t i = 0; i < kCells; ++i) {
    EXPECT_EQ(sum[i].ios, now_[i].ios);
    EXPECT_EQ(sum[i].whole_ns, now_[i].whole_ns);
  }
}

TEST_F(Slices, NeighboursAddCellByCell) {
  SliceCells a{{1, 4}, {BandCell{1, 10}, BandCell{2, 20}}};
  const SliceCells b{{0, 4, 9}, {BandCell{4, 40}, BandCell{8, 80}, BandCell{16, 160}}};
  a.add(b);
  EXPECT_EQ(a.at, (std::vector<std::uint16_t>{0, 1, 4, 9}));
  EXPECT_EQ(a.cells[2].ios, 10u);
  EXPECT_EQ(a.cells[2].whole_ns, 100u);
  EXPECT_EQ(a.cells[3].ios, 16u);
}

}  // namespace
}  // namespace fathom::split::sums
