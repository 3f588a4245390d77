// Rows in memory, deflated, in the file, and where that is full: all come back in order, or are counted.
#include "run/logs/log_store.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>

#include <cerrno>

#include "base/system/affinity.h"

namespace fathom::run::logs {
namespace {

constexpr std::uint64_t kMuch = 1ull << 30;

std::vector<IoRow> rows(std::uint64_t from, std::uint64_t n) {
  std::vector<IoRow> out(n);
  for (std::uint64_t i = 0; i < n; ++i) out[i] = {from + i, (from + i) * 4096, {1, 2, 3}, 4096, io::Dir::read, 0};
  return out;
}

void fill(LogStore& store, std::uint64_t n, std::uint64_t step = 1000) {
  for (std::uint64_t i = 0; i < n; i += step) store.add(rows(i, std::min(step, n - i)));
}

void expect_all(LogStore& store, std::uint64_t n) {
  std::uint64_t at = 0, wrong = 0;
  EXPECT_EQ(store.read([&](std::span<const IoRow> part) {
    for (const auto& row : part) wrong += row.at_ns != at++ || row.offset_bytes != row.at_ns * 4096;
  }),
            0);
  EXPECT_EQ(at, n);
  EXPECT_EQ(wrong, 0u);
  EXPECT_EQ(store.rows(), n);
}

// effect: log_entries
TEST(LogStore, MemoryStartsAtLogEntriesAndDoubles) {
  LogBudget budget{kMuch};
  {
    LogStore store({.first_rows = 4096}, budget);  // log_entries=4096
    store.add(rows(0, 1));
    EXPECT_EQ(store.memory_bytes(), 4096 * sizeof(IoRow));
    store.add(rows(1, 4096));
    EXPECT_EQ(store.memory_bytes(), (4096 + 8192) * sizeof(IoRow));
    EXPECT_EQ(budget.left_bytes, kMuch - store.memory_bytes());
    expect_all(store, 4097);
  }
  EXPECT_EQ(budget.left_bytes, kMuch);
}

TEST(LogStore, RowsBeyondTheMemoryBudgetSpillToAFile) {
  LogBudget budget{1 << 20};
  LogStore store({.directory = testing::TempDir()}, budget);
  fill(store, 200'000);
  EXPECT_GT(store.spilled_bytes(), 7u << 20);
  EXPECT_LE(store.memory_bytes(), (1u << 20) + 32768 * sizeof(IoRow));
  expect_all(store, 200'000);
}

// effect: log_compression
TEST(LogStore, CompressionNeedsLessThanAThirdOfTheMemory) {
  LogBudget budget{kMuch};
  LogStore store({.compressed_bytes = 64 << 10}, budget);  // log_compression=64k
  fill(store, 100'000);
  EXPECT_LT(store.memory_bytes(), 100'000 * sizeof(IoRow) / 3);
  EXPECT_EQ(store.spilled_bytes(), 0u);
  expect_all(store, 100'000);
}

TEST(LogStore, CompressedRowsSpillToAFile) {
  LogBudget budget{128 << 10};
  LogStore store({.compressed_bytes = 64 << 10, .directory = testing::TempDir()}, budget);
  fill(store, 100'000);
  EXPECT_GT(store.spilled_bytes(), 0u);
  EXPECT_LT(store.spilled_bytes(), 100'000 * sizeof(IoRow) / 3);
  expect_all(store, 100'000);
}

TEST(LogStore, AffinityIsRestoredAfterCompression) {
  const auto before = base::system::allowed_cpus();
  LogBudget budget{kMuch};
  LogStore store({.compressed_bytes = 64 << 10, .compression_cpus = {before.back()}}, budget);
  fill(store, 10'000);
  EXPECT_EQ(base::system::allowed_cpus(), before);
  expect_all(store, 10'000);
}

// A file that may grow to 1 MiB stands for a disk that is full.
TEST(LogStore, RowsThatAFullDiskRefusesAreCounted) {
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = signal(SIGXFSZ, SIG_IGN);
  const rlimit small{4 << 20, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  LogBudget budget{};
  LogStore store({.directory = testing::TempDir()}, budget);
  fill(store, 200'000);
  setrlimit(RLIMIT_FSIZE, &before);
  signal(SIGXFSZ, handler);
  EXPECT_EQ(store.error(), EFBIG);
  EXPECT_GT(store.lost_rows(), 0u);
  EXPECT_EQ(store.rows() + store.lost_rows(), 200'000u);
  std::uint64_t there = 0;
  EXPECT_EQ(store.read([&](std::span<const IoRow> part) { there += part.size(); }), 0);
  EXPECT_EQ(there, store.rows());
}

TEST(LogStore, AMissingSpillDirectoryIsReported) {
  LogBudget budget{};
  LogStore store({.directory = "/nonexistent"}, budget);
  fill(store, 100'000);
  EXPECT_EQ(store.error(), ENOENT);
  EXPECT_GT(store.lost_rows(), 0u);
}

}  // namespace
}  // namespace fathom::run::logs
