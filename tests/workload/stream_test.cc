// Properties of the stream that hold for every job: windows, alignment, coverage, shares, reproducibility, no
// allocation.
#include "workload/stream.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <new>
#include <set>

#include "job/fields/offset_choice.h"
#include "workload/make_job.h"

namespace {
thread_local std::uint64_t allocations = 0;
}
[[gnu::noinline]] void* operator new(std::size_t size) {
  ++allocations;
  if (void* p = std::malloc(size == 0 ? 1 : size)) return p;
  throw std::bad_alloc();
}
[[gnu::noinline]] void operator delete(void* p) noexcept { std::free(p); }
[[gnu::noinline]] void operator delete(void* p, std::size_t) noexcept { std::free(p); }

namespace fathom::workload::testing {
namespace {

constexpr const char* kModes[] = {"read",      "write",    "trim",   "rw",        "randread",
                                  "randwrite", "randtrim", "randrw", "trimwrite", "randtrimwrite"};

bool same(const std::vector<io::Request>& a, const std::vector<io::Request>& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(), [](const io::Request& x, const io::Request& y) {
    return x.offset == y.offset && x.length == y.length && x.dir == y.dir && x.target == y.target &&
           x.due_ns == y.due_ns && x.flags == y.flags;
  });
}

// Within 4 standard deviations of a binomial.
void expect_share(std::uint64_t hits, std::uint64_t of, double share) {
  const double n = static_cast<double>(of);
  EXPECT_NEAR(static_cast<double>(hits), n * share, 4 * std::sqrt(n * share * (1 - share)) + 1e-9);
}

job::Job any_job() {
  auto job = make_job(*rc::gen::elementOf(std::vector<std::string>(std::begin(kModes), std::end(kModes))),
                      *rc::gen::inRange<std::uint64_t>(1, 300) * k, *rc::gen::element(512ul, 3000ul, 4096ul, 8192ul));
  if (*rc::gen::arbitrary<bool>()) job.bs_max.fill(job.bs_min[0] * *rc::gen::inRange(1, 5));
  job.norandommap = *rc::gen::arbitrary<bool>();
  job.bs_unaligned = *rc::gen::element(0, 0, 0, 1) != 0;
  job.time_based = *rc::gen::arbitrary<bool>();
  job.loops = *rc::gen::inRange<std::uint64_t>(1, 4);
  job.rwmix_read_percent = *rc::gen::inRange(0u, 101u);
  job.fsync_every = *rc::gen::element(0u, 0u, 1u, 5u);
  if (job.mode.random && *rc::gen::arbitrary<bool>()) job.mode.sequence = *rc::gen::inRange(1u, 9u);
  if (*rc::gen::arbitrary<bool>()) job.io_size = {*rc::gen::inRange<std::uint64_t>(1, 900) * k, 0, true};
  job.randseed = *rc::gen::inRange<std::uint64_t>(0, 1000);
  return job;
}

TEST(Stream, stays_in_the_window_and_aligned) {
  EXPECT_TRUE(rc::check([] {
    const auto job = any_job();
    const std::uint64_t start = *rc::gen::inRange<std::uint64_t>(0, 10) * job.bs_min[0];
    const auto targets = window(start + job.size.bytes, start, job.size.bytes);
    for (const auto& request : all_requests(job, targets, 0, 2000)) {
      if (request.dir == io::Dir::sync) continue;
      RC_ASSERT(request.offset >= start);
      RC_ASSERT(request.offset + request.length <= start + job.size.bytes);
      RC_ASSERT(request.length >= 1u);
      RC_ASSERT(request.length <= job.bs_max[0]);
      if (job.mode.random && !job.bs_unaligned) RC_ASSERT((request.offset - start) % job.bs_min[0] == 0);
    }
  }));
}

TEST(Stream, a_random_window_below_one_block_gives_no_request) {
  for (const bool map : {false, true}) {
    auto job = make_job("randread", 1 * k, 4096);
    job.norandommap = !map;
    EXPECT_TRUE(all_requests(job, window(1 * k, 0, 1 * k), 0, 10).empty());
  }
}

TEST(Stream, requests_do_not_depend_on_the_size_of_the_hand_out) {
  EXPECT_TRUE(rc::check([] {
    const auto job = any_job();
    const auto targets = make_targets(job, *rc::gen::element(1u, 1u, 3u));
    const auto once = all_requests(job, targets, 3, 1000);
    RC_ASSERT(same(once, all_requests(job, targets, 3, 1000)));

    Stream stream(job, targets, 3);
    std::vector<io::Request> other(once.size());
    std::size_t made = 0;
    const std::size_t step = *rc::gen::inRange<std::size_t>(1, 9);
    for (bool restarted = false; made < other.size();) {
      const std::size_t n = stream.next(std::span(other).subspan(made, std::min(step, other.size() - made)));
      made += n;
      if (n == 0 && restarted) break;
      restarted = n == 0;
      if (n == 0 && !stream.begin_pass()) break;
    }
    RC_ASSERT(made == other.size());
    RC_ASSERT(same(once, other));
  }));
}

std::vector<std::uint64_t> offsets_of(const job::Job& job, std::size_t most) {
  std::vector<std::uint64_t> offsets;
  for (const auto& request : all_requests(job, make_targets(job), 0, most)) offsets.push_back(request.offset);
  return offsets;
}

// A read of the same job then touches only what a complete pass wrote. Without verify= the draws continue.
TEST(Stream, time_based_passes_without_a_map_repeat_their_offsets_if_they_are_verified) {
  constexpr std::size_t kPass = 64;
  for (const auto kind : {pattern::Kind::uniform, pattern::Kind::zipf}) {
    auto writer = make_job("randwrite", kPass * 4096);
    for (auto& distribution : writer.distribution) distribution = {kind, 1.1};
    writer.norandommap = writer.time_based = writer.verify = true;
    const auto offsets = offsets_of(writer, 3 * kPass);
    ASSERT_EQ(offsets.size(), 3 * kPass);
    for (std::size_t i = kPass; i < offsets.size(); ++i) EXPECT_EQ(offsets[i], offsets[i - kPass]) << i;
    auto reader = writer;
    reader.mode.reads = true;
    reader.mode.writes = false;
    EXPECT_EQ(offsets_of(reader, 3 * kPass), offsets);
    auto plain = writer;
    plain.verify = false;
    const auto drawn = offsets_of(plain, 2 * kPass);
    EXPECT_TRUE(std::equal(drawn.begin(), drawn.begin() + kPass, offsets.begin())) << "the first pass is the same";
    EXPECT_FALSE(std::equal(drawn.begin(), drawn.begin() + kPass, drawn.begin() + kPass));
  }
}

TEST(Stream, loops_without_a_map_continue_to_draw) {
  for (const bool verify : {false, true}) {
    constexpr std::size_t kPass = 64;
    auto job = make_job("randwrite", kPass * 4096);
    job.norandommap = true;
    job.verify = verify;
    job.loops = 2;
    const auto drawn = offsets_of(job, 2 * kPass);
    ASSERT_EQ(drawn.size(), 2 * kPass);
    EXPECT_FALSE(std::equal(drawn.begin(), drawn.begin() + kPass, drawn.begin() + kPass)) << verify;
  }
}

// One seed gives one order in every direction: what was written in it is read in it.
TEST(Stream, the_offsets_of_a_seed_do_not_depend_on_the_direction) {
  using job::fields::Generator;
  for (const auto generator : {Generator::own, Generator::lfsr, Generator::tausworthe, Generator::tausworthe64})
    for (const bool map : {true, false})
      for (const std::uint64_t largest : {4 * k, 16 * k}) {
        std::vector<std::uint64_t> of_reads;
        for (const char* rw : {"randread", "randwrite", "randtrim", "randrw"}) {
          auto job = make_job(rw, 1024 * k);
          job.bs_max.fill(largest);
          job.norandommap = !map;
          job.own.get<job::fields::OffsetChoice>().generator = generator;
          const auto offsets = offsets_of(job, 1000);
          if (of_reads.empty()) of_reads = offsets;
          EXPECT_EQ(offsets, of_reads) << rw << ' ' << int(generator) << map << largest;
        }
      }
}

TEST(Stream, visits_every_block_once) {
  EXPECT_TRUE(rc::check([] {
    const std::uint64_t blocks = *rc::gen::inRange<std::uint64_t>(1, 3000);
    const auto job = make_job(
        *rc::gen::element(std::string("randread"), std::string("randrw"), std::string("randtrim")), blocks * 4 * k);
    std::set<std::uint64_t> seen;
    for (const auto& request : all_requests(job, make_targets(job))) RC_ASSERT(seen.insert(request.offset).second);
    RC_ASSERT(seen.size() == blocks);
  }));
}

TEST(Stream, mixed_sizes_cover_every_byte_once) {
  EXPECT_TRUE(rc::check([] {
    const std::uint64_t blocks = *rc::gen::inRange<std::uint64_t>(4, 2000);
    auto job = make_job("randrw", blocks * 4 * k);
    job.bs_max.fill(16 * k);
    std::vector<bool> seen(blocks);
    for (const auto& request : all_requests(job, make_targets(job)))
      for (std::uint64_t at = request.offset; at < request.offset + request.length; at += 4 * k) {
        RC_ASSERT(!seen[at / (4 * k)]);
        seen[at / (4 * k)] = true;
      }
    RC_ASSERT(std::find(seen.begin(), seen.end(), false) == seen.end());
  }));
}

TEST(Stream, directions_of_different_block_size_do_not_repeat_themselves) {
  auto job = make_job("randrw", 1024 * k);
  job.bs_min = job.bs_max = {4 * k, 8 * k, 4 * k};
  std::set<std::pair<io::Dir, std::uint64_t>> seen;
  for (const auto& request : all_requests(job, make_targets(job)))
    EXPECT_TRUE(seen.insert({request.dir, request.offset}).second);
}

TEST(Stream, every_file_is_covered) {
  const auto job = make_job("randread", 400 * k);
  std::set<std::pair<int, std::uint64_t>> seen;
  for (const auto& request : all_requests(job, make_targets(job, 5))) seen.insert({request.target, request.offset});
  EXPECT_EQ(seen.size(), 100u);
}

TEST(Stream, time_based_passes_differ_in_order_and_agree_in_coverage) {
  auto job = make_job("randread", 400 * k);
  job.time_based = true;
  const auto requests = all_requests(job, make_targets(job), 0, 200);
  std::set<std::uint64_t> first, second;
  std::uint64_t in_place = 0;
  for (std::size_t i = 0; i < 100; ++i) {
    first.insert(requests[i].offset);
    second.insert(requests[100 + i].offset);
    in_place += requests[i].offset == requests[100 + i].offset ? 1 : 0;
  }
  EXPECT_EQ(first.size(), 100u);
  EXPECT_EQ(first, second);
  EXPECT_LT(in_place, 10u);
}

TEST(Stream, loops_repeat_the_order_with_randrepeat_only) {
  auto job = make_job("randread", 400 * k);
  job.loops = 2;
  auto requests = all_requests(job, make_targets(job));
  ASSERT_EQ(requests.size(), 200u);
  const auto half = [&](int which) {
    return std::vector(requests.begin() + which * 100, requests.begin() + which * 100 + 100);
  };
  EXPECT_TRUE(same(half(0), half(1)));
  job.randrepeat = false;
  requests = all_requests(job, make_targets(job));
  EXPECT_FALSE(same(half(0), half(1)));
}

TEST(Stream, clones_and_seeds_differ) {
  auto job = make_job("randread", 4096 * k);
  const auto targets = make_targets(job);
  const auto first = all_requests(job, targets, 0);
  EXPECT_FALSE(same(first, all_requests(job, targets, 1)));
  auto seeded = job;
  seeded.randseed = 42;
  EXPECT_FALSE(same(first, all_requests(seeded, targets, 0)));
  auto unrepeated = job;
  unrepeated.randrepeat = false;
  EXPECT_FALSE(same(all_requests(unrepeated, targets, 0), all_requests(unrepeated, targets, 0)));
}

TEST(Stream, mix_within_4_sigma) {
  for (const char* rw : {"rw", "randrw"})
    for (const unsigned percent : {0u, 1u, 30u, 70u, 99u, 100u}) {
      auto job = make_job(rw, 100'000 * 4 * k);
      job.rwmix_read_percent = percent;
      std::uint64_t reads = 0, all = 0;
      for (const auto& request : all_requests(job, make_targets(job)))
        reads += request.dir == io::Dir::read ? 1 : 0, ++all;
      EXPECT_EQ(all, 100'000u);
      expect_share(reads, all, percent / 100.0);
    }
}

TEST(Stream, bssplit_within_4_sigma_per_direction) {
  auto job = make_job("randrw", 1'000'000 * 4 * k);
  job.norandommap = true;
  job.bssplit[0] = {{4 * k, 10}, {8 * k, 30}, {64 * k, 60}};
  job.bssplit[1] = {{16 * k, 75}, {32 * k, 25}};
  std::map<std::pair<io::Dir, std::uint32_t>, std::uint64_t> counts;
  std::uint64_t all[2] = {0, 0};
  for (const auto& request : all_requests(job, make_targets(job)))
    ++counts[{request.dir, request.length}], ++all[io::index(request.dir)];
  for (const std::size_t d : {0, 1})
    for (const auto& entry : job.bssplit[d])
      expect_share(counts[{static_cast<io::Dir>(d), static_cast<std::uint32_t>(entry.bytes)}], all[d],
                   entry.percent / 100);
  EXPECT_EQ(counts.size(), 5u);
}

TEST(Stream, trimwrite_pairs_have_equal_offset_and_length) {
  for (const char* rw : {"trimwrite", "randtrimwrite"}) {
    auto job = make_job(rw, 4096 * k);
    job.bs_max.fill(32 * k);
    const auto requests = all_requests(job, make_targets(job));
    ASSERT_EQ(requests.size() % 2, 0u);
    for (std::size_t i = 0; i < requests.size(); i += 2) {
      EXPECT_EQ(requests[i].dir, io::Dir::trim);
      EXPECT_EQ(requests[i + 1].dir, io::Dir::write);
      EXPECT_EQ(requests[i].offset, requests[i + 1].offset);
      EXPECT_EQ(requests[i].length, requests[i + 1].length);
    }
  }
}

TEST(Stream, offsets_of_a_random_job_are_uniform) {
  auto job = make_job("randread", 256 * 4 * k);
  job.norandommap = true;
  job.io_size = {256'000 * 4 * k, 0, true};
  std::vector<double> counts(256);
  for (const auto& request : all_requests(job, make_targets(job))) ++counts[request.offset / (4 * k)];
  double chi = 0;
  for (const double count : counts) chi += (count - 1000) * (count - 1000) / 1000;
  EXPECT_LT(chi, 255 + 4 * std::sqrt(2 * 255.0));
}

TEST(Stream, a_window_below_one_block_gives_no_request_in_any_mode) {
  for (const char* rw : kModes) {
    const auto job = make_job(rw, 2 * k);
    EXPECT_TRUE(all_requests(job, make_targets(job)).empty()) << rw;
  }
}

TEST(Stream, a_file_without_room_does_not_end_a_time_based_job) {
  for (const char* rw : {"read", "randread"}) {
    auto job = make_job(rw, 34 * k);
    job.time_based = true;
    auto targets = make_targets(job, 2);
    targets[0].size = targets[0].length = 2 * k;
    const auto requests = all_requests(job, targets, 0, 100);
    EXPECT_EQ(requests.size(), 100u) << rw;
    for (const auto& request : requests) EXPECT_EQ(request.target, 1);
  }
}

TEST(Stream, next_and_restart_do_not_allocate) {
  for (const char* rw : kModes)
    for (const int variant : {0, 1, 2, 3}) {
      auto job = make_job(rw, 1024 * k);
      if (variant == 1) job.bs_max.fill(16 * k);
      if (variant == 2) job.distribution[0] = job.distribution[1] = {pattern::Kind::zipf, 1.2, -1, {}};
      if (variant == 3) job.fsync_every = 3, job.rate_iops = {1000, 1000, 1000};
      Stream stream(job, make_targets(job, variant == 0 ? 1 : 4), 0);
      io::Request block[64];
      const std::uint64_t before = allocations;
      for (int pass = 0; pass < 3; ++pass) {
        while (stream.next(block) != 0) {
        }
        stream.restart(pass == 0);
      }
      EXPECT_EQ(allocations, before) << rw << ' ' << variant;
    }
}

}  // namespace
}  // namespace fathom::workload::testing
