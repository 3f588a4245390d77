// percentage_random, random_generator, bs_is_seq_rand, random_distribution=sequence, softrandommap, zonemode=strided:
// what the stream makes of them. Orders that follow from the job alone are those that fio 3.42 logged (--write_iolog).
#include "job/fields/offset_choice.h"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <set>

#include "base/sanitized.h"
#include "workload/make_job.h"

namespace fathom::workload::testing {
namespace {

using job::fields::Generator;
using job::fields::OffsetChoice;
using job::fields::StridedZones;

job::Job generated(const std::string& rw, std::uint64_t size, Generator generator, bool norandommap = false) {
  auto job = make_job(rw, size);
  job.own.get<OffsetChoice>().generator = generator;
  job.norandommap = norandommap;
  return job;
}

job::Job zoned(const std::string& rw, std::uint64_t size, StridedZones zones) {
  auto job = make_job(rw, size);
  zones.used = true;
  job.own.get<StridedZones>() = zones;
  return job;
}

std::vector<std::uint64_t> offsets_of(const std::vector<io::Request>& requests) {
  std::vector<std::uint64_t> offsets;
  for (const auto& request : requests) offsets.push_back(request.offset);
  return offsets;
}

std::set<std::uint64_t> places(const std::vector<io::Request>& requests) {
  const auto offsets = offsets_of(requests);
  return {offsets.begin(), offsets.end()};
}

// Trims of several ranges, each with its ranges.
std::vector<std::vector<io::Range>> trims_of(const job::Job& job, std::size_t num_range,
                                             std::vector<io::Request>& requests) {
  const auto targets = make_targets(job);
  Stream stream(job, targets, 0);
  io::TrimRanges ranges(num_range, 32);
  stream.put_ranges_into(ranges);
  std::vector<std::vector<io::Range>> all;
  io::Request block[16];
  while (const std::size_t n = stream.next(block)) {
    requests.insert(requests.end(), block, block + n);
    for (std::size_t i = 0; i < n; ++i) {
      const auto taken = ranges.take();
      all.emplace_back(taken.begin(), taken.end());
    }
  }
  return all;
}

// effect: num_range
TEST(OffsetChoice, num_range_extents_are_one_request_of_their_sum) {
  for (const std::string rw : {"trim", "randtrim"})
    for (const std::uint64_t io_size : {0 * k, 400 * k}) {
      auto job = make_job(rw, 1000 * k);
      if (io_size != 0) job.io_size = {io_size, 0, true};
      std::vector<io::Request> requests;
      const auto trims = trims_of(job, 8, requests);
      const std::uint64_t blocks = io_size != 0 ? 100 : 250;
      ASSERT_EQ(requests.size(), (blocks + 7) / 8) << rw;
      std::set<std::uint64_t> seen;
      for (std::size_t i = 0; i < requests.size(); ++i) {
        EXPECT_EQ(trims[i].size(), i + 1 < requests.size() ? 8u : blocks % 8) << i;
        EXPECT_EQ(requests[i].offset, trims[i].front().offset);
        std::uint64_t bytes = 0;
        for (const auto& range : trims[i]) bytes += range.length, seen.insert(range.offset);
        EXPECT_EQ(requests[i].length, bytes);
      }
      EXPECT_EQ(seen.size(), blocks) << "each block once";
      if (rw == "trim") {
        EXPECT_EQ(trims[1][2].offset, 10 * 4 * k);
      }
    }
}

TEST(OffsetChoice, num_range_counts_and_paces_requests) {
  auto job = make_job("randtrim", 1000 * k);
  job.number_ios = 5;
  job.rate_iops = {0, 0, 1000};
  std::vector<io::Request> requests;
  EXPECT_EQ(trims_of(job, 8, requests).size(), 5u);
  EXPECT_EQ(requests[3].due_ns, 3'000'000u);
}

// effect: percentage_random
TEST(OffsetChoice, percentage_random_is_the_share_that_does_not_follow_on) {
  for (const unsigned percent : {0u, 30u, 70u, 100u}) {
    auto job = make_job("randread", 64 * 1024 * k);
    job.norandommap = true;
    job.own.get<OffsetChoice>().percentage_random.fill(percent);
    const auto requests = all_requests(job, make_targets(job));
    std::uint64_t follows = 0;
    for (std::size_t i = 1; i < requests.size(); ++i)
      follows += requests[i].offset == requests[i - 1].offset + requests[i - 1].length ? 1 : 0;
    const double n = static_cast<double>(requests.size()), share = 1 - percent / 100.0;
    ASSERT_EQ(requests.size(), 16384u);
    EXPECT_NEAR(static_cast<double>(follows), n * share, 4 * std::sqrt(n * share * (1 - share)) + 10) << percent;
  }
}

// effect: percentage_random
TEST(OffsetChoice, percentage_random_is_of_each_direction) {
  auto job = make_job("randrw", 64 * 1024 * k);
  job.own.get<OffsetChoice>().percentage_random = {0, 100, 100};
  std::uint64_t read_end = 0, write_end = 0, writes = 0, writes_follow = 0, reads_jump = 0;
  for (const auto& request : all_requests(job, make_targets(job))) {
    const bool reads = request.dir == io::Dir::read;
    auto& end = reads ? read_end : write_end;
    if (reads)
      reads_jump += request.offset != end ? 1 : 0;
    else
      ++writes, writes_follow += request.offset == end ? 1 : 0;
    end = request.offset + request.length;
  }
  EXPECT_EQ(reads_jump, 0u);
  EXPECT_GT(writes, 7000u);
  EXPECT_LT(writes_follow, 20u);
}

// effect: random_generator
TEST(OffsetChoice, random_generator_visits_each_block_once_a_pass_with_a_map_or_lfsr) {
  for (const auto generator : {Generator::own, Generator::tausworthe, Generator::lfsr, Generator::tausworthe64})
    for (const std::uint64_t blocks : {1ull, 7ull, 256ull, 1000ull}) {
      const auto job = generated("randread", blocks * 4 * k, generator, generator == Generator::lfsr);
      const auto requests = all_requests(job, make_targets(job));
      EXPECT_EQ(requests.size(), blocks);
      EXPECT_EQ(places(requests).size(), blocks) << int(generator);
    }
}

// effect: random_generator
TEST(OffsetChoice, random_generator_decides_the_order) {
  for (const bool norandommap : {false, true}) {
    std::set<std::vector<std::uint64_t>> orders;
    for (const auto generator : {Generator::own, Generator::tausworthe, Generator::lfsr, Generator::tausworthe64}) {
      const auto job = generated("randread", 4096 * k, generator, norandommap);
      const auto offsets = offsets_of(all_requests(job, make_targets(job)));
      EXPECT_EQ(offsets, offsets_of(all_requests(job, make_targets(job)))) << "the same again";
      EXPECT_TRUE(orders.insert(offsets).second) << int(generator) << norandommap;
    }
  }
}

// effect: random_generator=tausworthe random_generator=tausworthe64
TEST(OffsetChoice, random_generator_without_a_map_is_uniform) {
  for (const auto generator : {Generator::tausworthe, Generator::tausworthe64}) {
    auto job = generated("randrw", 64 * 4 * k, generator, true);
    job.io_size = {64 * 4 * k * 1000, 0, true};
    std::map<std::uint64_t, int> hits;
    for (const auto& request : all_requests(job, make_targets(job))) ++hits[request.offset];
    double chi = 0;
    for (const auto& [offset, count] : hits) chi += (count - 1000.0) * (count - 1000.0) / 1000.0;
    EXPECT_EQ(hits.size(), 64u);
    EXPECT_LT(chi, 110);
  }
}

// The numbers are the generator's: each draw of taus88 is one offset.
// effect: random_generator=tausworthe
TEST(OffsetChoice, random_generator_tausworthe_draws_one_offset_a_number) {
  const auto job = generated("randread", (1ull << 32) * 4 * k, Generator::tausworthe, true);
  Stream stream(job, make_targets(job), 0);
  io::Request block[3];
  ASSERT_EQ(stream.next(block), 3u);
  const auto wider = generated("randread", (1ull << 34) * 4 * k, Generator::tausworthe, true);
  const auto of64 = generated("randread", (1ull << 34) * 4 * k, Generator::tausworthe64, true);
  EXPECT_EQ(offsets_of(all_requests(wider, make_targets(wider), 0, 100)),
            offsets_of(all_requests(of64, make_targets(of64), 0, 100)));
}

// effect: random_generator=lfsr
TEST(OffsetChoice, random_generator_lfsr_does_not_shorten_ios) {
  auto job = generated("randwrite", 4096 * k, Generator::lfsr);
  job.bs_max.fill(16 * k);
  job.loops = 3;
  const auto requests = all_requests(job, make_targets(job));
  std::map<std::uint32_t, std::uint64_t> sizes;
  std::uint64_t bytes = 0;
  for (const auto& request : requests) {
    ++sizes[request.length];
    bytes += request.length;
    EXPECT_LE(request.offset + request.length, 4096 * k);
  }
  EXPECT_GE(bytes, 3 * 4096 * k);
  for (const auto& [size, count] : sizes) EXPECT_NEAR(static_cast<double>(count) / requests.size(), 0.25, 0.08) << size;
}

// effect: bs_is_seq_rand
TEST(OffsetChoice, bs_is_seq_rand_gives_sequential_and_random_ios_their_sizes) {
  auto job = make_job("randread", 16 * 1024 * k);
  job.bs_min = job.bs_max = {64 * k, 4 * k, 4 * k};
  job.own.get<OffsetChoice>().bs_is_seq_rand = true;
  for (const auto& request : all_requests(job, make_targets(job))) ASSERT_EQ(request.length, 4 * k);
  job.own.get<OffsetChoice>().percentage_random.fill(50);
  std::uint64_t end = 0, follows = 0, jumps = 0;
  for (const auto& request : all_requests(job, make_targets(job))) {
    const bool followed = request.length == 64 * k;
    ++(followed ? follows : jumps);
    if (followed)
      ASSERT_EQ(request.offset, end);
    else
      ASSERT_EQ(request.length, 4 * k);
    end = request.offset + request.length;
  }
  EXPECT_GT(follows, 100u);
  EXPECT_GT(jumps, 100u);
  auto sequential = make_job("write", 256 * k);
  sequential.bs_min = sequential.bs_max = {64 * k, 4 * k, 4 * k};
  sequential.own.get<OffsetChoice>().bs_is_seq_rand = true;
  EXPECT_EQ(log_of(all_requests(sequential, make_targets(sequential))), "w0+64 w64+64 w128+64 w192+64");
}

// --rw=randread --random_distribution=sequence:0,3,1,2 --number_ios=16
// effect: random_distribution=sequence
TEST(OffsetChoice, random_distribution_sequence_repeats_its_list) {
  auto job = make_job("randread", 256 * k);
  job.own.get<OffsetChoice>().sequence = {0, 3, 1, 2};
  job.number_ios = 9;
  EXPECT_EQ(log_of(all_requests(job, make_targets(job))), "r0+4 r12+4 r4+4 r8+4 r0+4 r12+4 r4+4 r8+4 r0+4");
}

// effect: random_sequence_stride
TEST(OffsetChoice, random_sequence_stride_moves_the_list_on_to_the_end_of_the_file) {
  auto job = make_job("randread", 40 * k);
  job.own.get<OffsetChoice>().sequence = {2, 0, 1};
  job.own.get<OffsetChoice>().sequence_stride = true;
  EXPECT_EQ(log_of(all_requests(job, make_targets(job))), "r8+4 r0+4 r4+4 r20+4 r12+4 r16+4 r32+4 r24+4 r28+4");
}

// --rw=read --size=256k --zonesize=16k --zonerange=32k --zoneskip=32k
// effect: zonemode=strided zonesize zonerange zoneskip
TEST(OffsetChoice, zonemode_strided_moves_on_after_zonesize) {
  // a zonerange of more than a zone, and a zoneskip between two ranges
  const auto job = zoned("read", 256 * k, {{}, true, 16 * k, 32 * k, 32 * k});
  std::string pass;
  for (const int zone : {0, 64, 128, 192})
    for (int at = 0; at < 16; at += 4) pass += (pass.empty() ? "r" : " r") + std::to_string(zone + at) + "+4";
  EXPECT_EQ(log_of(all_requests(job, make_targets(job))), pass + " " + pass + " " + pass + " " + pass);
}

// effect: zonesize zonerange
TEST(OffsetChoice, zonesize_above_zonerange_wraps_in_the_zone) {
  const auto job = zoned("read", 64 * k, {{}, true, 24 * k, 16 * k, 0});
  EXPECT_EQ(log_of(all_requests(job, make_targets(job))),
            "r0+4 r4+4 r8+4 r12+4 r0+4 r4+4 r16+4 r20+4 r24+4 r28+4 r16+4 r20+4 r32+4 r36+4 r40+4 r44+4");
}

// effect: zonemode=strided
TEST(OffsetChoice, zonemode_strided_visits_each_block_of_a_zone_once_at_random) {
  for (const auto generator : {Generator::own, Generator::lfsr, Generator::tausworthe64}) {
    auto job = zoned("randread", 1024 * k, {{}, true, 128 * k, 64 * k, 64 * k});
    job.own.get<OffsetChoice>().generator = generator;
    const auto requests = all_requests(job, make_targets(job));
    ASSERT_EQ(requests.size(), 256u);
    for (std::size_t i = 0; i < requests.size(); i += 16) {
      const std::uint64_t zone = i / 32 % 8 * 128 * k;
      std::set<std::uint64_t> met;
      for (std::size_t j = i; j < i + 16; ++j) {
        EXPECT_GE(requests[j].offset, zone);
        EXPECT_LE(requests[j].offset + 4 * k, zone + 64 * k);
        EXPECT_TRUE(met.insert(requests[j].offset).second);
      }
    }
  }
}

// effect: zonemode=strided
TEST(OffsetChoice, zonemode_strided_wraps_when_time_based_with_zones_for_each_file) {
  auto job = zoned("write", 128 * k, {{}, true, 8 * k, 8 * k, 24 * k});
  job.time_based = true;
  const auto two_files = all_requests(job, make_targets(job, 2), 0, 12);
  EXPECT_EQ(log_of(two_files, true),
            "0:w0+4 1:w0+4 0:w4+4 1:w4+4 0:w32+4 1:w32+4 0:w36+4 1:w36+4 0:w0+4 1:w0+4 0:w4+4 1:w4+4");
}

// effect: softrandommap
TEST(OffsetChoice, softrandommap_goes_without_a_map_that_does_not_fit_the_memory) {
#if FATHOM_ASAN || FATHOM_TSAN
  GTEST_SKIP() << "a sanitizer ends the program where so much memory is asked for";
#endif
  auto job = make_job("randread", 1ull << 62, 512);
  job.bs_max.fill(4 * k);  // several sizes: a bit a block, 2^50 bytes of them
  EXPECT_THROW(Stream(job, make_targets(job), 0), std::exception);
  job.own.get<OffsetChoice>().softrandommap = true;
  Stream stream(job, make_targets(job), 0);
  EXPECT_TRUE(stream.without_map());
  io::Request block[64];
  EXPECT_EQ(stream.next(block), 64u);
  const auto fits = make_job("randread", 64 * k);
  EXPECT_FALSE(Stream(fits, make_targets(fits), 0).without_map());
}

}  // namespace
}  // namespace fathom::workload::testing
