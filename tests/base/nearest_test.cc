// Which name was meant.
#include "base/nearest.h"

#include <gtest/gtest.h>

namespace fathom::base {
namespace {

const std::vector<std::string> kNames = {"rx_io_write", "rx_memory_write", "Tx_PCIe_TLP_Data_Payload", "cs"};

TEST(NearestName, IsTheFewestEditsAway) {
  EXPECT_EQ(nearest_name("rx_memory_writ", kNames), "rx_memory_write");
  EXPECT_EQ(nearest_name("tx_pcie_tlp_data_payload", kNames), "Tx_PCIe_TLP_Data_Payload") << "case does not count";
  EXPECT_EQ(nearest_name("rx_mem_write", kNames), "rx_memory_write") << "of two as near, the one that begins alike";
}

TEST(NearestName, DidYouMeanAddsThePrefix) {
  constexpr std::string_view kOptions[] = {"ramp_time", "iodepth"};
  EXPECT_EQ(did_you_mean("iodeph", kOptions, "look", "--"), "did you mean `--iodepth`?");
  EXPECT_EQ(did_you_mean("completion", kOptions, "look", "--"), "look");
}

TEST(NearestName, IsEmptyWhenNothingIsNear) {
  EXPECT_EQ(nearest_name("instructions", kNames), "");
  EXPECT_EQ(did_you_mean("instructions", kNames, "look"), "look");
  EXPECT_EQ(nearest_name("cs", std::vector<std::string>{}), "");
  EXPECT_EQ(nearest_name("x", kNames), "") << "of a short word every letter counts";
  EXPECT_EQ(nearest_name("sc", kNames), "");
  EXPECT_EQ(nearest_name("mrs", std::vector<std::string>{"msr"}), "msr")
      << "neighbours that changed places are one edit";
}

}  // namespace
}  // namespace fathom::base
