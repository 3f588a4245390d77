// What a namespace says of itself, as the passthrough engine reads it.
#include "engine/queue/nvme_passthrough.h"

#include <gtest/gtest.h>

namespace fathom::engine::queue {
namespace {

// Format 0 has blocks of 512 bytes, format 16 blocks of 4096, and FLBAS names the latter where there are so many.
TEST(ReadNamespace, FormatIndexesAbove15UseTheUpperFlbasBits) {
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
}

TEST(ReadNamespace, SeparateMetadataAndItsProtectionAreRead) {
  nvme::IdentifyNamespace facts{};
  facts.lbaf[0].lbads = 12;
  facts.lbaf[0].ms = 16;
  facts.dps = 2;
  auto ns = read_namespace(facts, "it");
  ASSERT_TRUE(ns.ok());
  EXPECT_EQ(ns->metadata_bytes, 16u);
  EXPECT_EQ(ns->protection_type, 2u);
  EXPECT_FALSE(ns->protection_first);
  facts.dps = 8 | 1;
  EXPECT_TRUE(read_namespace(facts, "it")->protection_first);
  facts.flbas = 0x10;
  EXPECT_EQ(read_namespace(facts, "it").error().kind, base::ErrorKind::not_built) << "within each block";
  facts.lbaf[0].ms = 0;
  EXPECT_TRUE(read_namespace(facts, "it").ok()) << "there is none to be anywhere";
}

TEST(ReadNamespace, ProtectionNeedsMetadata) {
  nvme::IdentifyNamespace facts{};
  facts.lbaf[0].lbads = 9;
  facts.dps = 1;
  EXPECT_EQ(read_namespace(facts, "it")->protection_type, 0u);
}

}  // namespace
}  // namespace fathom::engine::queue
