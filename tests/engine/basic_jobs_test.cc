// Every engine, opened every way, runs every basic job: on a real file with its content checked where the engine has
// files, and by its results alone where it has none.
#include <algorithm>

#include "base/prng.h"
#include "bench.h"

namespace fathom::engine::test {
namespace {

constexpr std::uint32_t kBlocks = 64;

class FileEngine : public ::testing::TestWithParam<Case> {
 protected:
  std::vector<std::uint32_t> depths() const {
    return GetParam().info().asynchronous ? std::vector<std::uint32_t>{1, 2, 3, 8, 32, 64}
                                          : std::vector<std::uint32_t>{1};
  }
};
INSTANTIATE_TEST_SUITE_P(Engines, FileEngine, ::testing::ValuesIn(cases(moves_file_data)), case_name);

// Calls job(slot, block) for every block in a random order, `depth` blocks a batch, with after(slot, block, result) for
// each.
template <class Job, class After>
void each_block(Bench& bench, std::uint32_t depth, Job job, After after) {
  std::vector<std::uint32_t> order(kBlocks);
  for (std::uint32_t i = 0; i < kBlocks; ++i) order[i] = i;
  base::Prng prng(depth);
  for (std::uint32_t i = kBlocks - 1; i > 0; --i) std::swap(order[i], order[prng.below(i + 1)]);
  for (std::uint32_t first = 0; first < kBlocks; first += depth) {
    const std::uint32_t n = std::min(depth, kBlocks - first);
    for (std::uint32_t slot = 0; slot < n; ++slot) bench.post(slot, job(slot, order[first + slot]));
    bench.submit();
    const auto results = bench.finish();
    ASSERT_EQ(results.size(), n);
    for (const auto& [slot, result] : results) after(slot, order[first + slot], result);
  }
}

TEST_P(FileEngine, ReadsTheFilesContents) {
  const TempFile file(kBlocks * kBlock);
  for (const std::uint32_t depth : depths()) {
    Bench bench(GetParam(), {file.target()}, depth);
    ASSERT_TRUE(bench.open());
    each_block(
        bench, depth, [&](auto, auto block) { return request(io::Dir::read, std::uint64_t{block} * kBlock); },
        [&](auto slot, auto block, auto result) {
          EXPECT_EQ(result, static_cast<std::int32_t>(kBlock));
          EXPECT_TRUE(holds({bench.buffer(slot), kBlock}, pattern(std::uint64_t{block} * kBlock, kBlock))) << block;
        });
  }
}

TEST_P(FileEngine, WritesTheBuffersContents) {
  for (const std::uint32_t depth : depths()) {
    const TempFile file(kBlocks * kBlock);
    Bench bench(GetParam(), {file.target()}, depth);
    ASSERT_TRUE(bench.open());
    each_block(
        bench, depth,
        [&](auto slot, auto block) {
          const auto content = pattern(std::uint64_t{block} * kBlock, kBlock, 7);
          std::memcpy(bench.buffer(slot), content.data(), kBlock);
          return request(io::Dir::write, std::uint64_t{block} * kBlock);
        },
        [](auto, auto, auto result) { EXPECT_EQ(result, static_cast<std::int32_t>(kBlock)); });
    EXPECT_TRUE(holds(file.read(0, kBlocks * kBlock), pattern(0, kBlocks * kBlock, 7))) << "depth " << depth;
  }
}

TEST_P(FileEngine, SyncsBetweenWrites) {
  const TempFile file(4 * kBlock);
  Bench bench(GetParam(), {file.target()}, 1);
  ASSERT_TRUE(bench.open());
  EXPECT_EQ(bench.one(request(io::Dir::write, 0)), static_cast<std::int32_t>(kBlock));
  EXPECT_EQ(bench.one(sync_request()), 0);
  EXPECT_EQ(bench.one(request(io::Dir::read, kBlock)), static_cast<std::int32_t>(kBlock));
  EXPECT_TRUE(holds({bench.buffer(0), kBlock}, pattern(kBlock, kBlock)));
  EXPECT_EQ(bench.one(sync_request(true)), 0);
}

// A slot that has done a sync does the next read right: no field of the sync is left behind (fixed buffers name their
// buffer in it).
TEST_P(FileEngine, ASlotReadsCorrectlyAfterASync) {
  const std::uint32_t depth = GetParam().info().asynchronous ? 8 : 1;
  const TempFile file(kBlocks * kBlock);
  Bench bench(GetParam(), {file.target()}, depth);
  ASSERT_TRUE(bench.open());
  for (std::uint32_t slot = 0; slot < depth; ++slot) bench.post(slot, sync_request(slot % 2));
  bench.submit();
  for (const auto& [slot, result] : bench.finish()) EXPECT_EQ(result, 0) << slot;
  for (std::uint32_t slot = 0; slot < depth; ++slot) bench.post(slot, request(io::Dir::read, slot * kBlock));
  bench.submit();
  for (const auto& [slot, result] : bench.finish()) {
    EXPECT_EQ(result, static_cast<std::int32_t>(kBlock));
    EXPECT_TRUE(holds({bench.buffer(slot), kBlock}, pattern(slot * kBlock, kBlock)));
  }
}

TEST_P(FileEngine, TrimPunchesAHoleAndKeepsTheSize) {
  ASSERT_TRUE(GetParam().info().trims);
  const TempFile file(8 * kBlock);
  Bench bench(GetParam(), {file.target()}, 1);
  ASSERT_TRUE(bench.open());
  EXPECT_EQ(bench.one(request(io::Dir::trim, 2 * kBlock, 3 * kBlock)), static_cast<std::int32_t>(3 * kBlock));
  EXPECT_TRUE(holds(file.read(0, 2 * kBlock), pattern(0, 2 * kBlock)));
  EXPECT_TRUE(holds(file.read(2 * kBlock, 3 * kBlock), std::vector<std::byte>(3 * kBlock)));
  EXPECT_TRUE(holds(file.read(5 * kBlock, 3 * kBlock), pattern(5 * kBlock, 3 * kBlock)));
}

TEST_P(FileEngine, ReadIsShortAtTheEnd) {
  constexpr std::uint64_t kSize = 3 * kBlock + 1000;
  const TempFile file(kSize);
  Bench bench(GetParam(), {file.target()}, 1);
  ASSERT_TRUE(bench.open());
  EXPECT_EQ(bench.one(request(io::Dir::read, 3 * kBlock)), 1000);
  EXPECT_TRUE(holds({bench.buffer(0), 1000}, pattern(3 * kBlock, 1000)));
  EXPECT_EQ(bench.one(request(io::Dir::read, 4 * kBlock)), 0);
  EXPECT_EQ(bench.one(request(io::Dir::read, kBlock)), static_cast<std::int32_t>(kBlock));
  EXPECT_TRUE(holds({bench.buffer(0), kBlock}, pattern(kBlock, kBlock)));
}

TEST_P(FileEngine, RequestsGoToTheirTarget) {
  const TempFile first(8 * kBlock, O_RDWR, 1), second(8 * kBlock, O_RDWR, 2);
  Bench bench(GetParam(), {first.target(), second.target()}, 1);
  ASSERT_TRUE(bench.open());
  for (std::uint64_t i = 0; i < 16; ++i) {
    const auto target = static_cast<std::uint16_t>(i % 2);
    const std::uint64_t offset = i / 2 * kBlock;
    EXPECT_EQ(bench.one(request(io::Dir::read, offset, kBlock, target)), static_cast<std::int32_t>(kBlock));
    EXPECT_TRUE(holds({bench.buffer(0), kBlock}, pattern(offset, kBlock, 1u + target))) << i;
  }
}

TEST_P(FileEngine, ReadsSizesFromOneSectorToManyPages) {
  constexpr std::uint32_t kMost = 256 * 1024;
  const TempFile file(2 * kMost);
  Bench bench(GetParam(), {file.target()}, 1, kMost);
  ASSERT_TRUE(bench.open());
  for (const std::uint32_t length : {512u, 1024u, 4096u, 12288u, 65536u, kMost}) {
    EXPECT_EQ(bench.one(request(io::Dir::read, length, length)), static_cast<std::int32_t>(length));
    EXPECT_TRUE(holds({bench.buffer(0), length}, pattern(length, length))) << length;
  }
}

TEST_P(FileEngine, OpensAgainAfterClose) {
  const TempFile file(4 * kBlock);
  Bench bench(GetParam(), {file.target()}, 1);
  for (int i = 0; i < 3; ++i) {
    ASSERT_TRUE(bench.open());
    EXPECT_EQ(bench.one(request(io::Dir::read, kBlock)), static_cast<std::int32_t>(kBlock));
    bench.box().close();
  }
}

TEST_P(FileEngine, ReadsAndWritesADirectFile) {
  const TempFile file(kBlocks * kBlock, O_RDWR | O_DIRECT);
  for (const std::uint32_t depth : depths()) {
    if (depth == 2 || depth == 8) continue;  // ReadsTheFilesContents has them all
    Bench bench(GetParam(), {file.target()}, depth);
    ASSERT_TRUE(bench.open());
    each_block(
        bench, depth,
        [&](auto slot, auto block) {
          const auto content = pattern(std::uint64_t{block} * kBlock, kBlock, depth);
          std::memcpy(bench.buffer(slot), content.data(), kBlock);
          return request(io::Dir::write, std::uint64_t{block} * kBlock);
        },
        [](auto, auto, auto result) { EXPECT_EQ(result, static_cast<std::int32_t>(kBlock)); });
    each_block(
        bench, depth, [&](auto, auto block) { return request(io::Dir::read, std::uint64_t{block} * kBlock); },
        [&](auto slot, auto block, auto result) {
          EXPECT_EQ(result, static_cast<std::int32_t>(kBlock));
          EXPECT_TRUE(holds({bench.buffer(slot), kBlock}, pattern(std::uint64_t{block} * kBlock, kBlock, depth)));
        });
  }
}

// Eight blocks in order, the third again, and the fourth: system_calls_test.py counts the seeks that this makes.
TEST(SyncEngine, SeeksOnlyWhenThePositionDiffers) {
  const TempFile file(8 * kBlock);
  ASSERT_STREQ(kCases[1].engine, "sync");
  Bench bench(kCases[1], {file.target()}, 1);
  ASSERT_TRUE(bench.open());
  for (const std::uint64_t block : {0, 1, 2, 3, 4, 5, 6, 7, 2, 3}) {
    EXPECT_EQ(bench.one(request(io::Dir::read, block * kBlock)), static_cast<std::int32_t>(kBlock));
    EXPECT_TRUE(holds({bench.buffer(0), kBlock}, pattern(block * kBlock, kBlock)));
  }
}

class FilelessEngine : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Engines, FilelessEngine,
                         ::testing::ValuesIn(cases([](const Info& i) { return !i.needs_files && i.trims; })),
                         case_name);

TEST_P(FilelessEngine, EveryDirectionReturnsItsLength) {
  for (const std::uint32_t depth : {1u, 3u, 64u}) {
    Bench bench(GetParam(), {}, depth);
    ASSERT_TRUE(bench.open());
    for (int round = 0; round < 100; ++round) {
      for (std::uint32_t slot = 0; slot < depth; ++slot)
        bench.post(slot, request(static_cast<io::Dir>(slot % 3), slot * kBlock, (slot + 1) * 512));
      bench.submit();
      const auto results = bench.finish();
      ASSERT_EQ(results.size(), depth);
      for (const auto& [slot, result] : results) EXPECT_EQ(result, static_cast<std::int32_t>((slot + 1) * 512));
    }
    EXPECT_EQ(bench.one(sync_request()), 0);
  }
}

TEST(EngineRows, EveryEngineIsTested) {
  for (const Info& info : io::engines())  // those that look at devices themselves have tests of their own
    EXPECT_TRUE(targets_of(info.name) != nullptr ||
                std::any_of(std::begin(kCases), std::end(kCases), [&](const Case& c) { return info.name == c.engine; }))
        << info.name;
}

TEST(EngineRows, FindEngineTakesExactNamesOnly) {
  ASSERT_NE(io::find_engine("io_uring"), nullptr);
  EXPECT_EQ(io::find_engine("io_uring")->name, "io_uring");
  EXPECT_EQ(io::find_engine("io_urin"), nullptr);
  EXPECT_EQ(io::find_engine(""), nullptr);
  EXPECT_EQ(targets_of("io_uring"), nullptr);
  EXPECT_NE(targets_of("nvme"), nullptr);
}

}  // namespace
}  // namespace fathom::engine::test
