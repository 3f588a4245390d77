// The paper's Table 2 from its own numbers: 5 us media, 8.6 us mean of all majors, 3.6 us and 72 % overhead.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "audit/paged_run.h"

namespace fathom::audit::paging {
namespace {

using ::testing::HasSubstr;

// 81 % of majors of 8.0 us and 19 % of 11.2 us: mean 8.6 us; a third of all accesses are hits of 0.5 us.
result::Paging papers(std::uint64_t media_ns = 5'000) {
  result::Paging p;
  fill_latency(p.latency[2][0], 8'000, 40'625);
  fill_latency(p.latency[2][1], 8'000, 40'625);
  fill_latency(p.latency[2][1], 11'200, 18'750);
  fill_latency(p.latency[0][0], 500, 24'615);
  result::DeviceTime time;
  time.device = "nvme0n1";
  time.by = "block requests";
  fill_latency(time.read_ns, media_ns, 1000);
  fill_latency(time.write_ns, 9'999'999, 1000);
  p.devices = {time};
  return p;
}

TEST(Table2, RowsMatchThePapersNumbers) {
  const result::Paging one[] = {papers()};
  const auto column = table2_column("nvme", one);
  EXPECT_EQ(column.name, "nvme");
  EXPECT_NEAR(column.rows[0].mean, 7'000, 1);
  EXPECT_NEAR(column.rows[1].mean, 8'192 - 256 / 2, 0.5) << "the bin of 8.0 us is [7936, 8192)";
  EXPECT_NEAR(column.rows[2].mean, 8'600, 0.01);
  EXPECT_NEAR(column.rows[3].mean, 3'600, 0.01);
  EXPECT_NEAR(column.rows[4].mean, 72, 0.001);
  EXPECT_EQ(column.media_ns, 5'000);
  EXPECT_EQ(column.media, "block requests of nvme0n1: mean of 1000 reads");
  for (const auto& row : column.rows) EXPECT_EQ(row.low, row.high) << "one repetition";
}

TEST(Table2, RepetitionsGiveAnInterval) {
  const result::Paging three[] = {papers(4'000), papers(5'000), papers(6'000)};
  const auto column = table2_column("nvme", three);
  EXPECT_EQ(column.rows[3].values.size(), 3u);
  EXPECT_NEAR(column.rows[3].mean, 3'600, 0.01);
  EXPECT_NEAR(column.rows[3].high - column.rows[3].mean, 4.3027 * 1000 / std::sqrt(3.0), 0.1);
  EXPECT_NEAR(column.rows[4].mean, (115.0 + 72 + 100 * 2600.0 / 6000) / 3, 0.01);
  EXPECT_EQ(column.media_ns, 5'000);
  EXPECT_THAT(column.media, HasSubstr("3000 reads"));
}

TEST(Table2, MediaTimePrefersTracepointsToDirectReads) {
  auto p = papers();
  auto direct = p.devices[0];
  direct.by = "direct reads";
  direct.read_ns = {};
  fill_latency(direct.read_ns, 7'000, 10);
  p.devices.insert(p.devices.begin(), direct);
  const result::Paging both[] = {p};
  EXPECT_EQ(table2_column("x", both).media_ns, 5'000);
  p.devices.pop_back();
  const result::Paging alone[] = {p};
  EXPECT_EQ(table2_column("x", alone).media_ns, 7'000);
  EXPECT_THAT(table2_column("x", alone).media, HasSubstr("direct reads of nvme0n1"));
}

result::PagingSwap swap_on(const std::string& kind, const std::string& disk) {
  result::PagingSwap swap;
  swap.kind = kind;
  swap.disk = disk;
  return swap;
}

TEST(Table2, MediaTimeIsThatOfTheColumnsOwnSwap) {
  auto p = papers();
  auto foreign = p.devices[0];
  foreign.device = "zram4";
  foreign.read_ns = {};
  fill_latency(foreign.read_ns, 1'000, 100'000);
  p.devices.insert(p.devices.begin(), foreign);
  p.pressure.swaps = {swap_on("current", "zram4"), swap_on("dev", "nvme0n1")};
  const result::Paging beside[] = {p};
  EXPECT_EQ(table2_column("dev:/dev/nvme0n1", beside).media_ns, 5'000);
  EXPECT_EQ(table2_column("dev:/dev/nvme0n1", beside).media, "block requests of nvme0n1: mean of 1000 reads");

  p.devices.pop_back();
  const result::Paging others_only[] = {p};
  EXPECT_THAT(table2_column("dev:/dev/nvme0n1", others_only).media, HasSubstr("not known"));
}

TEST(Table2, TwoSwapsOnOneDiskAreTakenInTheirOrder) {
  auto p = papers();
  auto foreign = p.devices[0];
  foreign.read_ns = {};
  fill_latency(foreign.read_ns, 1'000, 100'000);
  p.devices.insert(p.devices.begin(), foreign);
  p.pressure.swaps = {swap_on("current", "nvme0n1"), swap_on("file", "nvme0n1")};
  const result::Paging one[] = {p};
  EXPECT_EQ(table2_column("file:/swap:1G", one).media_ns, 5'000);
}

TEST(Table2, CurrentSwapsAreAllMedia) {
  auto p = papers(4'000);
  p.devices.push_back(papers(6'000).devices[0]);
  p.devices[1].device = "sda";
  p.pressure.swaps = {swap_on("current", "nvme0n1"), swap_on("current", "sda")};
  const result::Paging one[] = {p};
  EXPECT_EQ(table2_column("current", one).media_ns, 5'000);
}

TEST(Table2, MediaNameTheDevicesOfAllRepetitions) {
  result::Paging two[] = {papers(), papers()};
  two[0].devices[0].device = "zram2";
  two[1].devices[0].device = "zram0";
  EXPECT_EQ(table2_column("zram:1G", two).media,
            "block requests of zram2, block requests of zram0: mean of 2000 reads");
}

TEST(Table2, UnknownRowsHaveNoValues) {
  auto p = papers();
  p.devices.clear();
  const result::Paging without[] = {p};
  auto column = table2_column("x", without);
  EXPECT_EQ(column.rows[2].values.size(), 1u);
  EXPECT_TRUE(column.rows[3].values.empty());
  EXPECT_TRUE(column.rows[4].values.empty());
  EXPECT_THAT(column.media, HasSubstr("not known"));
  p.latency[2] = {};
  const result::Paging hits[] = {p};
  column = table2_column("x", hits);
  EXPECT_EQ(column.rows[0].mean, 500);
  EXPECT_TRUE(column.rows[1].values.empty());
  EXPECT_TRUE(column.rows[2].values.empty());
}

TEST(Table2, AccessTouchUsesWallTimeForTheFirstRow) {
  result::Paging p;
  p.access = "touch";
  result::PagingThread w;
  w.accesses[0] = 600;
  w.accesses[1] = 400;
  w.wall_ns = 120'000;
  w.overhead_ns = 20;
  p.workers = {w};
  const result::Paging one[] = {p};
  EXPECT_DOUBLE_EQ(table2_column("x", one).rows[0].mean, 100);
}

}  // namespace
}  // namespace fathom::audit::paging
