// Which name was meant.
#include "base/nearest.h"

#include <gtest/gtest.h>

namespace fathom::base {
namespace {

const std::vector<std::string> kNames = {"rx_io_write", "rx_memory_write", "Tx_PCIe_TLP_Data_Payload", "cs"};

TEST(Nearest, IsTheFewestEditsAway) {
  EXPECT_EQ(nearest_name("rx_memory_writ", kNames), "rx_memory_write");
  EXPECT_EQ(nearest_name("tx_pcie_tlp_data_payload", kNames), "Tx_PCIe_TLP_Data_Payload") << "case does not count";
  EXPECT_EQ(nearest_name("rx_mem_write", kNames), "rx_memory_write") << "of two as near, the one that begins alike";
}

TEST(Nearest, NothingIsBetterThanNonsense) {
  EXPECT_EQ(nearest_name("instructions", kNames), "");
  EXPECT_EQ(did_you_mean("instructions", kNames, "look"), "look");
  EXPECT_EQ(nearest_name("cs", {}), "");
}

}  // namespace
}  // namespace fathom::base
