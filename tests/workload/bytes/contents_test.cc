// What writes carry: which of the three ways a job gets, and the bytes of each, against known answers.
#include "workload/bytes/contents.h"

#include <gtest/gtest.h>

#include <cstring>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/random_fill.h"
#include "workload/bytes/randomness.h"
#include "workload/make_job.h"

namespace fathom::workload::bytes {
namespace {

using job::fields::ContentOptions;
using Write = Contents::Write;
using Bytes = Contents::Bytes;

struct Case {
  const char* name;
  void (*set)(job::Job&, ContentOptions&);
  Write write;
  Bytes bytes;
};

// effect: zero_buffers refill_buffers scramble_buffers buffer_pattern buffer_compress_percentage dedupe_percentage verify
TEST(Contents, OptionsSelectHowWritesAreFilled) {
  const Case kCases[] = {
      {"default", [](job::Job&, ContentOptions&) {}, Write::stamped, Bytes::streams},
      {"refill_buffers", [](job::Job&, ContentOptions& o) { o.refill = true; }, Write::anew, Bytes::streams},
      {"scramble_buffers=0", [](job::Job&, ContentOptions& o) { o.scramble = false; }, Write::kept, Bytes::streams},
      {"scramble and refill",
       [](job::Job&, ContentOptions& o) {
         o.scramble = true;
         o.refill = true;
       },
       Write::anew, Bytes::streams},
      {"zero_buffers", [](job::Job&, ContentOptions& o) { o.zero = true; }, Write::kept, Bytes::fixed},
      {"zero_buffers, scramble_buffers=1",
       [](job::Job&, ContentOptions& o) {
         o.zero = true;
         o.scramble = true;
       },
       Write::stamped, Bytes::fixed},
      {"zero_buffers, reads too",
       [](job::Job& j, ContentOptions& o) {
         o.zero = true;
         j.mode.reads = true;
       },
       Write::anew, Bytes::fixed},
      {"buffer_pattern", [](job::Job&, ContentOptions& o) { o.pattern = "x"; }, Write::kept, Bytes::fixed},
      {"buffer_pattern, scramble_buffers=1",
       [](job::Job&, ContentOptions& o) {
         o.pattern = "x";
         o.scramble = true;
       },
       Write::kept, Bytes::fixed},
      {"compress", [](job::Job&, ContentOptions& o) { o.compress_percent = 1; }, Write::anew, Bytes::mixed},
      {"dedupe", [](job::Job&, ContentOptions& o) { o.dedupe_percent = 1; }, Write::anew, Bytes::mixed},
      {"verify", [](job::Job& j, ContentOptions&) { j.verify = true; }, Write::anew, Bytes::streams},
      {"verify, refill_buffers=0",
       [](job::Job& j, ContentOptions& o) {
         j.verify = true;
         o.refill = false;
       },
       Write::kept, Bytes::streams},
      {"fill=random", [](job::Job& j, ContentOptions&) { j.fill = job::Fill::random; }, Write::anew, Bytes::random},
  };
  for (const auto& c : kCases) {
    auto job = testing::make_job("write", 1 << 20);
    c.set(job, job.own.get<ContentOptions>());
    const auto plan = plan_contents(job);
    EXPECT_EQ(plan.write, c.write) << c.name;
    EXPECT_EQ(plan.bytes, c.bytes) << c.name;
  }
}

Contents anew(Bytes bytes) { return {.write = Write::anew, .bytes = bytes}; }

std::vector<std::byte> made(Refill& refill, std::size_t length) {
  std::vector<std::byte> out(length);
  refill(out);
  return out;
}
std::string text(const std::vector<std::byte>& bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// effect: zero_buffers buffer_pattern
TEST(Refill, FixedBytesRepeatFromTheStartOfEachBlock) {
  auto plan = anew(Bytes::fixed);
  plan.pattern = "abc";
  Refill pattern(plan, 1);
  EXPECT_EQ(text(made(pattern, 8)), "abcabcab");
  EXPECT_EQ(text(made(pattern, 2)), "ab");
  EXPECT_EQ(text(made(pattern, 4100)).substr(4092), "abcaabca") << "a part of a laid-out file: two writes";
  plan.pattern = {};
  Refill zeros(plan, 1);
  std::vector<std::byte> dirty(9, std::byte{7});
  zeros(dirty);
  EXPECT_EQ(dirty, std::vector<std::byte>(9));
}

TEST(Refill, KeptBuffersAreNotRefilled) {
  Refill kept({.write = Write::kept, .bytes = Bytes::fixed}, 1);
  std::vector<std::byte> bytes(9, std::byte{7});
  kept(bytes);
  EXPECT_EQ(bytes, std::vector<std::byte>(9, std::byte{7}));
  kept.fill(bytes);
  EXPECT_EQ(bytes, std::vector<std::byte>(9));
}

// Length of the fixed bytes at the end of each chunk.
std::set<std::size_t> tails(const std::vector<std::byte>& bytes, std::size_t chunk) {
  std::set<std::size_t> found;
  for (std::size_t at = 0; at < bytes.size(); at += chunk) {
    std::size_t n = 0;
    while (n < chunk && bytes[at + chunk - 1 - n] == std::byte{0}) ++n;
    found.insert(n);
  }
  return found;
}

// effect: buffer_compress_percentage buffer_compress_chunk
TEST(Refill, CompressibleChunksEndInZeroesOrThePattern) {
  auto job = testing::make_job("write", 1 << 20);
  auto& options = job.own.get<ContentOptions>();
  options.compress_percent = 80;
  Refill by_512(plan_contents(job), 3);
  const auto bytes = made(by_512, 16384);
  // 102 random bytes of 512; one of them may be a zero.
  for (const auto tail : tails(bytes, 512)) EXPECT_NEAR(static_cast<double>(tail), 410, 2);
  EXPECT_NE(std::memcmp(bytes.data(), bytes.data() + 512, 102), 0);
  options.compress_chunk = 0;
  Refill by_block(plan_contents(job), 3);
  for (const auto tail : tails(made(by_block, 16384), 4096)) EXPECT_NEAR(static_cast<double>(tail), 4096 - 819, 2);
  options.compress_chunk = 1 << 20;
  Refill no_more_than_a_block(plan_contents(job), 3);
  for (const auto tail : tails(made(no_more_than_a_block, 16384), 4096))
    EXPECT_NEAR(static_cast<double>(tail), 4096 - 819, 2);
  options.compress_chunk = 512;
  options.pattern = "xy";
  Refill with_pattern(plan_contents(job), 3);
  EXPECT_EQ(text(made(with_pattern, 512)).substr(102), [] {
    std::string s;
    while (s.size() < 410) s += "xy";
    return s;
  }());
}

std::vector<std::uint64_t> seeds(const Contents& plan, std::uint64_t begin, std::size_t n) {
  BlockSeeds blocks(plan, begin);
  std::vector<std::uint64_t> out(n);
  for (auto& seed : out) seed = blocks.next();
  return out;
}
double unique_share(const std::vector<std::uint64_t>& of) {
  return static_cast<double>(std::set<std::uint64_t>(of.begin(), of.end()).size()) / static_cast<double>(of.size());
}

// effect: dedupe_percentage dedupe_mode=repeat
TEST(BlockSeeds, DedupePercentageRepeatsThatShareOfBlocks) {
  for (const unsigned percent : {0u, 1u, 30u, 50u, 99u, 100u}) {
    const auto all = seeds({.dedupe_percent = percent}, 7, 100000);
    // Six standard deviations of 100,000 draws at most.
    EXPECT_NEAR(unique_share(all), 1 - percent / 100.0, 0.01) << percent;
    std::uint64_t made = 0;
    for (const auto seed : all) {
      if (seed == BlockSeeds::seed_of(7, made)) ++made;
      ASSERT_EQ(seed, BlockSeeds::seed_of(7, made - 1)) << percent;
    }
  }
}

// effect: dedupe_mode=working_set dedupe_working_set_percentage
TEST(BlockSeeds, AWorkingSetIsDrawnFromEvenly) {
  auto job = testing::make_job("write", 4096 * 1000);
  auto& options = job.own.get<ContentOptions>();
  options.dedupe_percent = 50;
  options.dedupe_mode = job::fields::DedupeMode::working_set;
  options.working_set_percent = 10;
  const auto plan = plan_contents(job, 4096 * 1000);
  EXPECT_EQ(plan.working_set, 100u);
  std::map<std::uint64_t, std::size_t> often;
  for (const auto seed : seeds(plan, 7, 100000)) ++often[seed];
  for (std::uint64_t n = 0; n < 100; ++n)
    EXPECT_NEAR(static_cast<double>(often[BlockSeeds::seed_of(7, n)]), 501, 150) << n;
  EXPECT_EQ(often[BlockSeeds::seed_of(7, 100)], 1u);
}

// effect: dedupe_global
TEST(BlockSeeds, DedupeGlobalSharesBlocksAmongJobs) {
  const std::uint64_t both[] = {7, 1000};
  const Contents plan{.dedupe_percent = 100, .working_set = 6, .shared_seeds = both};
  std::set<std::uint64_t> expected;
  for (std::uint64_t n = 0; n < 3; ++n)
    for (const auto seed : both) expected.insert(BlockSeeds::seed_of(seed, n));
  for (const std::uint64_t own : both) {
    const auto drawn = seeds(plan, own, 1000);
    EXPECT_EQ(std::set<std::uint64_t>(drawn.begin(), drawn.end()), expected);
  }
}

// effect: dedupe_percentage
TEST(Refill, ABlockThatComesAgainIsTheSameToTheLastByte) {
  auto job = testing::make_job("write", 1 << 20);
  job.own.get<ContentOptions>().dedupe_percent = 50;
  Refill refill(plan_contents(job), 5);
  std::map<std::string, int> often;
  for (int i = 0; i < 500; ++i) {
    const auto bytes = text(made(refill, 8192));  // two of the smallest blocks
    ++often[bytes.substr(0, 4096)];
    ++often[bytes.substr(4096)];
  }
  EXPECT_NEAR(static_cast<double>(often.size()), 500, 100);
}

// What tells the two fills apart: the lowest bits.
TEST(Refill, StreamsDifferFromRandomFillInTheirLowestBits) {
  std::vector<std::byte> bytes(1 << 20);
  Refill streams(anew(Bytes::streams), 1), random(anew(Bytes::random), 1);
  streams(bytes);
  const auto first = bytes;
  streams(bytes);
  EXPECT_EQ(blocks_of(bytes).size() + blocks_of(first).size(), 512u);
  EXPECT_NE(bytes, first);
  EXPECT_GT(entropy(bytes, 7), 7.99);
  random(bytes);
  for (std::size_t place = 0; place < 8; ++place) EXPECT_GT(entropy(bytes, place), 7.99) << place;
}

TEST(Refill, FillsToTheLastByteOfAnyLength) {
  for (const auto fill : {Bytes::streams, Bytes::random, Bytes::mixed})
    for (std::size_t length = 1; length < 100; ++length) {
      Refill refill(anew(fill), length);
      std::vector<std::byte> bytes(length + 1);
      bool last = false;
      for (int i = 0; i < 64 && !last; ++i) {
        refill({bytes.data(), length});
        last = bytes[length - 1] != std::byte{0};
      }
      EXPECT_TRUE(last) << length;
      EXPECT_EQ(bytes[length], std::byte{0}) << length;
    }
}

// Each word of a stream is the one before times a constant: four of them, which begin at the seed times 1, 2, 3 and 5.
TEST(Refill, StreamsFollowFiosRecurrence) {
  std::uint64_t words[8];
  base::fill_streams(std::as_writable_bytes(std::span(words)), 0x1234567);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(words[i + 4], words[i] * 0x61c8864680b583ebull);
  EXPECT_EQ(words[1], words[0] * 2);
  EXPECT_EQ(words[2], words[0] * 3);
  EXPECT_EQ(words[3], words[0] * 5);
}

}  // namespace
}  // namespace fathom::workload::bytes
