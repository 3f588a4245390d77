// What a namespace says of itself, as the passthrough engine reads it.
#include "engine/nvme_passthrough.h"

#include <gtest/gtest.h>

namespace fathom::engine {
namespace {

// Format 0 has blocks of 512 bytes, format 16 blocks of 4096, and FLBAS names the latter where there are so many.
TEST(ReadNamespace, FormatsBeyondSixteenHaveTheirUpperBits) {
  nvme::IdentifyNamespace facts{};
  facts.nsze = 1000;
  facts.lbaf[0].lbads = 9;
  facts.lbaf[16].lbads = 12;
  facts.nlbaf = 16;
  facts.flbas = 1u << 5;
  auto ns = read_namespace(facts, "it");
  ASSERT_TRUE(ns.ok());
  EXPECT_EQ(ns->block_bytes(), 4096u);
  EXPECT_EQ(ns->blocks, 1000u);
  facts.nlbaf = 15;
  ns = read_namespace(facts, "it");
  ASSERT_TRUE(ns.ok());
  EXPECT_EQ(ns->block_bytes(), 512u) << "reserved bits of a controller with 16 formats";
  facts.lbaf[0].ms = 8;
  EXPECT_EQ(read_namespace(facts, "it").error().kind, base::ErrorKind::not_built);
}

}  // namespace
}  // namespace fathom::engine
