// Several block sizes over a random map: every block once, in the declared mix, the same again from the same seed.
#include "workload/places/tiling.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "workload/make_job.h"
#include "workload/places/offsets.h"
#include "workload/read_back.h"

namespace fathom::workload::testing {
namespace {

job::Job split_job(const std::string& rw, std::uint64_t size, std::vector<job::BlockSplit> split) {
  auto job = make_job(rw, size);
  job.bssplit.fill(split);
  return job;
}

// True where the requests cover [0, size) and no byte twice.
bool cover_once(std::vector<io::Request> requests, std::uint64_t size) {
  std::sort(requests.begin(), requests.end(), [](const auto& a, const auto& b) { return a.offset < b.offset; });
  std::uint64_t at = 0;
  for (const auto& request : requests) {
    if (request.offset != at) return false;
    at += request.length;
  }
  return at == size;
}

std::map<std::uint32_t, double> shares_of(const std::vector<io::Request>& requests) {
  std::map<std::uint32_t, double> shares;
  for (const auto& request : requests) shares[request.length] += 1.0 / static_cast<double>(requests.size());
  return shares;
}

TEST(Tiling, a_pass_delivers_the_declared_mix) {
  const auto job = split_job("randread", 256 * 1024 * k, {{4 * k, 60}, {16 * k, 25}, {64 * k, 15}});
  const auto requests = all_requests(job, make_targets(job));
  EXPECT_TRUE(cover_once(requests, job.size.bytes));
  const auto shares = shares_of(requests);
  const double n = static_cast<double>(requests.size());
  EXPECT_LE(shares.size(), 4u) << "the last tile may be of another size";
  for (const auto& [bytes, share] : {std::pair{4 * k, 0.6}, {16 * k, 0.25}, {64 * k, 0.15}})
    EXPECT_NEAR(shares.at(static_cast<std::uint32_t>(bytes)), share, 4 * std::sqrt(share * (1 - share) / n)) << bytes;
}

TEST(Tiling, every_quarter_of_a_pass_delivers_the_declared_mix) {
  const auto job = split_job("randread", 256 * 1024 * k, {{4 * k, 50}, {64 * k, 50}});
  const auto requests = all_requests(job, make_targets(job));
  for (std::size_t quarter = 0; quarter < 4; ++quarter) {
    const std::size_t n = requests.size() / 4;
    const auto from = requests.begin() + static_cast<std::ptrdiff_t>(quarter * n);
    const double small = static_cast<double>(
        std::count_if(from, from + static_cast<std::ptrdiff_t>(n), [](const auto& r) { return r.length == 4 * k; }));
    EXPECT_NEAR(small / static_cast<double>(n), 0.5, 4 * std::sqrt(0.25 / static_cast<double>(n))) << quarter;
  }
}

TEST(Tiling, the_end_of_the_window_keeps_the_mix) {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    auto job = split_job("randread", 16 * 1024 * k, {{4 * k, 50}, {512 * k, 50}});
    job.randseed = seed;
    const auto requests = all_requests(job, make_targets(job));
    const double n = static_cast<double>(requests.size());
    EXPECT_NEAR(shares_of(requests)[4 * k], 0.5, 5 * std::sqrt(0.25 / n)) << seed;
  }
}

TEST(Tiling, covers_any_window_once) {
  EXPECT_TRUE(rc::check([] {
    const auto unit = *rc::gen::inRange<std::uint64_t>(1, 9) * 512;
    auto job = make_job("randwrite", unit * *rc::gen::inRange<std::uint64_t>(1, 5000), unit);
    job.bs_max.fill(unit * *rc::gen::inRange<std::uint64_t>(2, 40));
    job.randseed = *rc::gen::inRange<std::uint64_t>(1, 1000);
    RC_ASSERT(cover_once(all_requests(job, make_targets(job)), job.size.bytes));
  }));
}

TEST(Tiling, directions_with_mixes_of_their_own_keep_them) {
  auto job = split_job("randrw", 512 * 1024 * k, {{4 * k, 50}, {32 * k, 50}});
  job.bssplit[1] = {{4 * k, 90}, {128 * k, 10}};
  job.rwmix_read_percent = 70;
  const auto requests = all_requests(job, make_targets(job));
  EXPECT_TRUE(cover_once(requests, job.size.bytes));
  std::vector<io::Request> reads, writes;
  for (const auto& request : requests) (request.dir == io::Dir::read ? reads : writes).push_back(request);
  EXPECT_NEAR(static_cast<double>(reads.size()) / static_cast<double>(requests.size()), 0.7, 0.02);
  // The last of the two mixes to run out may take a few of the other's tiles.
  EXPECT_NEAR(shares_of(reads)[32 * k], 0.5, 0.02);
  EXPECT_NEAR(shares_of(writes)[128 * k], 0.1, 0.02);
}

TEST(Tiling, reading_back_repeats_the_order) {
  auto job = split_job("randwrite", 16 * 1024 * k, {{4 * k, 60}, {16 * k, 25}, {64 * k, 15}});
  const auto targets = make_targets(job);
  const auto writes = all_requests(job, targets);
  ReadBack read_back(job, targets, 0);
  std::vector<io::Request> reads;
  io::Request block[Source::kBlock];
  for (std::size_t n = read_back.next(block); n > 0; n = read_back.next(block))
    reads.insert(reads.end(), block, block + n);
  ASSERT_EQ(reads.size(), writes.size());
  for (std::size_t i = 0; i < reads.size(); ++i)
    ASSERT_EQ(std::tuple(reads[i].offset, reads[i].length), std::tuple(writes[i].offset, writes[i].length)) << i;
}

TEST(Tiling, another_pass_has_another_order) {
  auto job = split_job("randread", 4096 * k, {{4 * k, 50}, {16 * k, 50}});
  job.loops = 2;
  job.randrepeat = false;
  job.randseed = 5;
  const auto requests = all_requests(job, make_targets(job));
  std::uint64_t bytes = 0;
  std::size_t first = 0;
  while (bytes < job.size.bytes) bytes += requests[first++].length;
  const std::vector<io::Request> one(requests.begin(), requests.begin() + static_cast<std::ptrdiff_t>(first));
  const std::vector<io::Request> two(requests.begin() + static_cast<std::ptrdiff_t>(first), requests.end());
  EXPECT_TRUE(cover_once(one, job.size.bytes));
  EXPECT_TRUE(cover_once(two, job.size.bytes));
  EXPECT_NE(one[0].offset, two[0].offset);
}

// However large tiles are beside the smallest block, a tile is found in one step of the permutation.
TEST(Tiling, few_large_tiles_among_many_units_cover_the_window) {
  auto job = split_job("randread", 1024 * 1024 * k, {{512, 1}, {1024 * k, 99}});
  const auto requests = all_requests(job, make_targets(job));
  EXPECT_TRUE(cover_once(requests, job.size.bytes));
  EXPECT_LT(requests.size(), 1200u);
}

// More tiles than there are samples, several times.
TEST(Tiling, a_window_with_more_tiles_than_samples_is_covered_once) {
  auto job = split_job("randread", std::uint64_t{4'000'123} * 512, {{512, 40}, {4 * k, 60}});
  const places::Layout layout(job);
  places::Tiling tiling(job.size.bytes, layout.lanes[0], 7);
  tiling.begin(3);
  std::uint64_t bytes = 0;
  places::Tiling::Tile tile;
  while (tiling.next(0, tile)) bytes += tile.length;
  EXPECT_EQ(bytes, job.size.bytes);
}

}  // namespace
}  // namespace fathom::workload::testing
