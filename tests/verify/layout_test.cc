// Intervals as fio 3.33 settles them (seen in what it wrote), and its words where it refuses.
#include "verify/layout.h"

#include <gtest/gtest.h>

namespace fathom::verify {
namespace {

std::uint32_t interval(LayoutAsk ask) {
  const auto layout = settle(ask);
  return layout ? layout->interval : ~0u;
}
std::string words(LayoutAsk ask) {
  const auto layout = settle(ask);
  return layout ? "" : layout.error().what;
}

TEST(VerifyLayout, TheIntervalOfOneBlockSizeMatchesFio) {
  EXPECT_EQ(interval({}), 0u);
  EXPECT_EQ(interval({.interval = 1024}), 1024u);
  EXPECT_EQ(interval({.interval = 8192}), 4096u);
  EXPECT_EQ(interval({.interval = 4096, .min_write = 6144, .max_write = 6144}), 6144u);
  EXPECT_EQ(interval({.interval = 1536}), 4096u);
  EXPECT_EQ(interval({.interval = 4096, .min_write = 8192, .max_write = 8192, .min_read = 2048}), 2048u);
}

TEST(VerifyLayout, TheIntervalOfSeveralBlockSizesMatchesFio) {
  EXPECT_EQ(interval({.min_write = 4096, .max_write = 12288}), 4096u);
  EXPECT_EQ(interval({.interval = 1536, .min_write = 4096, .max_write = 12288}), 4096u);
  EXPECT_EQ(interval({.interval = 1024, .min_write = 4096, .max_write = 10240}), 1024u);
  EXPECT_EQ(interval({.min_write = 4096, .max_write = 10240}), 2048u);
  EXPECT_EQ(interval({.min_write = 4096, .max_write = 12288, .unaligned_sizes = true}), 0u);
}

TEST(VerifyLayout, RefusesInFiosWords) {
  EXPECT_EQ(words({.interval = 16}), "verify_interval: min value out of range: 16 (96 min)");
  EXPECT_EQ(words({.format = Format::fio_3_33, .interval = 64}),
            "verify_interval: min value out of range: 64 (80 min)");
  EXPECT_EQ(words({.format = Format::fio_3_33, .offset = 16}), "verify_offset: min value out of range: 16 (40 min)");
  EXPECT_EQ(words({.offset = 4080}), "cannot offset verify header beyond the verify interval.");
  EXPECT_EQ(words({.method = Method::sha512, .min_write = 176, .max_write = 176}), "Blocksize too small");
  EXPECT_EQ(words({.method = Method::sha512, .min_write = 177, .max_write = 177}), "");
  EXPECT_EQ(words({.offset = 4096 - 52}), "");
  EXPECT_EQ(words({.offset = 4096 - 51}), "cannot offset verify header beyond the verify interval.");
}

TEST(VerifyLayout, RefusesAnOffsetThatFio333ItselfReportsBad) {
  EXPECT_NE(words({.format = Format::fio_3_33, .method = Method::md5, .offset = 40}), "");
  EXPECT_EQ(words({.format = Format::fio_3_33, .method = Method::md5, .offset = 56}), "");
}

TEST(VerifyLayout, Sha512OfFio333IsReadOnly) {
  EXPECT_NE(words({.format = Format::fio_3_33, .method = Method::sha512}), "");
  EXPECT_EQ(words({.format = Format::fio_3_33, .method = Method::sha512, .writes = false}), "");
  EXPECT_EQ(words({.method = Method::sha512}), "");
}

TEST(VerifyLayout, APatternMethodNeedsAPattern) {
  EXPECT_NE(words({.method = Method::pattern}), "");
  EXPECT_EQ(words({.method = Method::pattern, .min_write = 16, .max_write = 16, .has_pattern = true}), "");
}

TEST(VerifyLayout, AnIoIsSplitIntoIntervals) {
  Layout layout{.interval = 1024};
  EXPECT_EQ(layout.count(4096), 4u);
  EXPECT_EQ(layout.count(4097), 5u);
  EXPECT_EQ(layout.length(3, 4096), 1024u);
  EXPECT_EQ(layout.length(4, 4097), 1u);
  EXPECT_EQ(layout.count(100), 1u);
  EXPECT_EQ(layout.length(0, 100), 100u);
  layout.interval = 0;
  EXPECT_EQ(layout.count(1 << 20), 1u);
  EXPECT_EQ(layout.length(0, 1 << 20), 1u << 20);
}

}  // namespace
}  // namespace fathom::verify
