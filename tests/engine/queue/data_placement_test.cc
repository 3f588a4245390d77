// Directive type and specific field of writes, by placement and by what chooses it.
#include "engine/queue/data_placement.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <map>

namespace fathom::engine::queue {
namespace {

using io::DataPlacementOptions;
using io::Placement;
using io::PlacementSelect;

std::pair<unsigned, unsigned> placed(DataPlacement& placement, std::uint64_t offset = 0) {
  nvme_uring_cmd command{};
  command.cdw12 = 7;
  placement.place(offset, command);
  EXPECT_EQ(command.cdw12 & 0xffff, 7u);
  return {command.cdw12 >> 20, command.cdw13 >> 16};
}

// effect: fdp dataplacement plids
TEST(DataPlacement, fdp_dataplacement_and_plids_are_the_directive_of_a_write) {
  DataPlacementOptions options;
  EXPECT_FALSE(DataPlacement::make(options, {})->used());
  const std::uint16_t available[] = {10, 11, 12, 13};
  options.kind = Placement::fdp;
  auto all = DataPlacement::make(options, available);
  ASSERT_TRUE(all.ok());
  for (const unsigned id : {10u, 11u, 12u, 13u, 10u}) EXPECT_EQ(placed(*all), (std::pair{2u, id}));
  options.ids = {3, 1};
  auto some = DataPlacement::make(options, available);
  for (const unsigned id : {13u, 11u, 13u}) EXPECT_EQ(placed(*some), (std::pair{2u, id}));
  options.ids = {4};
  EXPECT_FALSE(DataPlacement::make(options, available).ok());
  options.kind = Placement::streams;
  auto streams = DataPlacement::make(options, {});
  EXPECT_EQ(placed(*streams), (std::pair{1u, 4u}));
  options.ids = {};
  EXPECT_FALSE(DataPlacement::make(options, {}).ok()) << "streams have numbers";
}

// effect: plid_select
TEST(DataPlacement, plid_select_random_takes_each_plid_equally_often) {
  DataPlacementOptions options;
  options.kind = Placement::streams;
  options.ids = {1, 2, 3, 4};
  options.select = PlacementSelect::random;
  auto placement = DataPlacement::make(options, {});
  std::map<unsigned, int> seen;
  for (int i = 0; i < 8000; ++i) ++seen[placed(*placement).second];
  for (const auto& [id, count] : seen) EXPECT_NEAR(count, 2000, 200) << id;
}

// effect: plid_select dp_scheme
TEST(DataPlacement, plid_select_scheme_goes_by_the_ranges_of_dp_scheme) {
  const std::string file = ::testing::TempDir() + "/fathom-scheme-" + std::to_string(::getpid());
  std::ofstream(file) << "4096, 8192, 0\n\n0, 8192, 1\n";
  DataPlacementOptions options;
  options.kind = Placement::streams;
  options.ids = {7, 9};
  options.select = PlacementSelect::scheme;
  options.scheme_file = file;
  auto placement = DataPlacement::make(options, {});
  ASSERT_TRUE(placement.ok());
  EXPECT_EQ(placed(*placement, 0).second, 9u);
  EXPECT_EQ(placed(*placement, 4096).second, 7u) << "the first line that fits";
  EXPECT_EQ(placed(*placement, 8192).second, 0u) << "outside of all";
  std::ofstream(file) << "0, 4096\n";
  EXPECT_FALSE(DataPlacement::make(options, {}).ok());
  std::ofstream(file) << "0, 4096, 2\n";
  EXPECT_FALSE(DataPlacement::make(options, {}).ok()) << "a placement that the job has not";
  ::unlink(file.c_str());
}

TEST(DataPlacement, handles_are_read_as_the_device_lists_them) {
  std::vector<std::byte> status(16 + 3 * 32);
  status[14] = std::byte{2};
  status[16] = std::byte{0x34};
  status[17] = std::byte{0x12};
  status[48] = std::byte{5};
  EXPECT_EQ(placement_ids(status), (std::vector<std::uint16_t>{0x1234, 5}));
  status[14] = std::byte{200};
  EXPECT_EQ(placement_ids(status).size(), 3u) << "no more than there are bytes";
  EXPECT_TRUE(placement_ids({}).empty());
}

}  // namespace
}  // namespace fathom::engine::queue
