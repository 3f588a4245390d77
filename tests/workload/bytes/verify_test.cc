// A block says where it belongs and whether it is whole; reading back is the job's writes once more.
#include "workload/bytes/verify.h"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "workload/make_job.h"
#include "workload/read_back.h"

namespace fathom::workload::bytes {
namespace {

using testing::all_requests;
using testing::k;
using testing::make_job;
using testing::make_targets;

constexpr std::uint64_t kGeneration = 77;

std::vector<std::byte> stamped(std::size_t length, std::uint64_t offset, std::uint32_t interval) {
  std::vector<std::byte> block(length);
  for (std::size_t i = 0; i < length; ++i) block[i] = static_cast<std::byte>(i * 131 >> 3);
  stamp_block(block, offset, interval, kGeneration);
  return block;
}

std::uint64_t word_at(const std::vector<std::byte>& block, std::size_t at, std::size_t bytes) {
  std::uint64_t word = 0;
  std::memcpy(&word, block.data() + at, bytes);
  return word;
}

TEST(Crc32c, MatchesRfc3720) {
  const char* digits = "123456789";
  EXPECT_EQ(crc32c(std::as_bytes(std::span(digits, 9))), 0xe3069283u);
  const std::vector<std::byte> zeroes(32), ones(32, std::byte{0xff});
  EXPECT_EQ(crc32c(zeroes), 0x8a9136aau);  // RFC 3720 B.4
  EXPECT_EQ(crc32c(ones), 0x62a8ab43u);
  EXPECT_EQ(crc32c(std::as_bytes(std::span(digits + 4, 5)), crc32c(std::as_bytes(std::span(digits, 4)))), 0xe3069283u);
  EXPECT_EQ(crc32c({}), 0u);
}

TEST(StampedBlock, HasTheDocumentedHeader) {
  const auto block = stamped(4096, 0x1234000, 1024);
  for (std::size_t chunk = 0; chunk < 4096; chunk += 1024) {
    EXPECT_EQ(std::memcmp(block.data() + chunk, "FATHOMv1", 8), 0);
    EXPECT_EQ(word_at(block, chunk + 8, 8), 0x1234000 + chunk);
    EXPECT_EQ(word_at(block, chunk + 16, 8), kGeneration);
    EXPECT_EQ(word_at(block, chunk + 24, 4), 1024u);
    const std::span<const std::byte> bytes(block.data() + chunk, 1024);
    EXPECT_EQ(word_at(block, chunk + 28, 4), crc32c(bytes.subspan(32), crc32c(bytes.first(28))));
  }
}

TEST(StampedBlock, PassesItsOwnCheck) {
  for (const std::size_t length : {64, 512, 4096, 12288, 4096 + 100, 4096 + 20})
    for (const std::uint32_t interval : {64u, 512u, 4096u}) {
      const auto block = stamped(length, 512, interval);
      EXPECT_TRUE(check_block(block, 512, interval, kGeneration).good()) << length << " " << interval;
      EXPECT_TRUE(check_block(block, 512, interval, 0).good());
    }
  EXPECT_TRUE(check_block({}, 0, 512, 0).good());
}

TEST(StampedBlock, AnyFlippedBitFailsTheCheck) {
  const auto good = stamped(512, 1 << 20, 128);
  for (std::size_t bit = 0; bit < 512 * 8; ++bit) {
    auto block = good;
    block[bit / 8] ^= std::byte{1} << bit % 8;
    const auto verdict = check_block(block, 1 << 20, 128, kGeneration);
    ASSERT_FALSE(verdict.good()) << bit;
    EXPECT_EQ(verdict.offset, (1u << 20) + bit / 8 / 128 * 128) << bit;
  }
}

struct Wrong {
  const char* what;
  std::size_t at;
  Flaw flaw;
};

TEST(StampedBlock, ACheckNamesTheFlaw) {
  for (const auto& [what, at, flaw] :
       {Wrong{"magic", 0, Flaw::magic}, Wrong{"offset", 9, Flaw::offset}, Wrong{"length", 25, Flaw::length},
        Wrong{"crc", 28, Flaw::crc}, Wrong{"crc", 16, Flaw::crc}, Wrong{"crc", 511, Flaw::crc}}) {
    auto block = stamped(1024, 8192, 512);
    block[512 + at] ^= std::byte{1};
    const auto verdict = check_block(block, 8192, 512, kGeneration);
    EXPECT_EQ(verdict.flaw, flaw) << at;
    EXPECT_EQ(verdict.offset, 8704u);
    EXPECT_NE(verdict.expected, verdict.found);
    EXPECT_STREQ(name(verdict.flaw), what);
  }
  const auto block = stamped(1024, 8192, 512);
  const auto misplaced = check_block(block, 4096, 512, kGeneration);
  EXPECT_EQ(misplaced.flaw, Flaw::offset);
  EXPECT_EQ(misplaced.expected, 4096u);
  EXPECT_EQ(misplaced.found, 8192u);
  EXPECT_EQ(check_block(block, 8192, 1024, kGeneration).flaw, Flaw::length);
  const auto stale = check_block(block, 8192, 512, 78);
  EXPECT_EQ(stale.flaw, Flaw::generation);
  EXPECT_EQ(stale.expected, 78u);
  EXPECT_EQ(stale.found, 77u);
}

TEST(StampedBlock, WritesThatOverlapAtIntervalsPass) {
  std::vector<std::byte> file = stamped(8192, 0, 512);
  const auto over = stamped(2048, 1536, 512);
  std::memcpy(file.data() + 1536, over.data(), over.size());
  EXPECT_TRUE(check_block(file, 0, 512, kGeneration).good());
  std::memcpy(file.data() + 1536 + 100, over.data(), over.size());
  EXPECT_EQ(check_block(file, 0, 512, kGeneration).offset, 1536u);
}

std::vector<io::Request> replayed(const job::Job& job, const std::vector<io::Target>& targets, std::uint64_t limit) {
  ReadBack read_back(job, targets, 3);
  if (limit != 0) read_back.limit(limit);
  std::vector<io::Request> out;
  io::Request block[Source::kBlock];
  while (const std::size_t n = read_back.next(block)) out.insert(out.end(), block, block + n);
  EXPECT_EQ(read_back.next(block), 0u);
  return out;
}

void expect_the_writes(const job::Job& job, std::uint32_t files, std::uint64_t limit) {
  const auto targets = make_targets(job, files);
  std::vector<io::Request> writes;
  for (const auto& r : all_requests(job, targets, 3, 20'000))
    if (r.dir == io::Dir::write && (limit == 0 || writes.size() < limit)) writes.push_back(r);
  const auto reads = replayed(job, targets, limit);
  ASSERT_EQ(reads.size(), writes.size());
  ASSERT_FALSE(reads.empty());
  for (std::size_t i = 0; i < reads.size(); ++i) {
    EXPECT_EQ(reads[i].dir, io::Dir::read);
    EXPECT_FALSE(io::is_paced(reads[i]));
    ASSERT_EQ(io::noted_write(reads[i]), i);
    ASSERT_EQ(reads[i].offset, writes[i].offset) << i;
    ASSERT_EQ(reads[i].length, writes[i].length) << i;
    ASSERT_EQ(reads[i].target, writes[i].target) << i;
  }
}

TEST(ReadBack, RepeatsTheWritesOfTheJob) {
  for (const char* rw : {"write", "randwrite", "rw", "randrw"})
    for (const bool norandommap : {false, true})
      for (const std::uint64_t loops : {1, 3})
        for (const std::uint32_t files : {1u, 3u})
          for (const std::uint64_t largest : {4 * k, 24 * k}) {
            SCOPED_TRACE(std::string(rw) + (norandommap ? " norandommap" : "") + " loops " + std::to_string(loops) +
                         " files " + std::to_string(files) + " largest " + std::to_string(largest));
            auto job = make_job(rw, 3 << 20);
            job.norandommap = norandommap;
            job.loops = loops;
            job.bs_max.fill(largest);
            expect_the_writes(job, files, 0);
            expect_the_writes(job, files, 100);
          }
}

TEST(ReadBack, ContinuesAsATimeBasedJobDoes) {
  for (const char* rw : {"write", "randwrite", "randrw"}) {
    SCOPED_TRACE(rw);
    auto job = make_job(rw, 256 * k);
    job.time_based = true;
    job.runtime_ns = 1'000'000'000;
    expect_the_writes(job, 1, 1000);
  }
}

TEST(ReadBack, SkipsFilteredWritesAndCountsThem) {
  auto job = make_job("randwrite", 256 * k);
  const auto targets = make_targets(job, 1);
  ReadBack read_back(job, targets, 3);
  read_back.limit(10);
  read_back.only_where([](const io::Request& read, std::uint64_t number) {
    EXPECT_EQ(io::noted_write(read), number);
    return number % 2 == 1;
  });
  io::Request block[Source::kBlock];
  ASSERT_EQ(read_back.next(block), 5u);
  EXPECT_EQ(io::noted_write(block[4]), 9u);
  EXPECT_EQ(read_back.next(block), 0u);
}

TEST(ReadBack, LeavesOutSyncsAndPacing) {
  auto job = make_job("randrw", 1 << 20);
  job.fsync_every = 5;
  job.rate_iops = {100, 100, 0};
  expect_the_writes(job, 1, 0);
}

}  // namespace
}  // namespace fathom::workload::bytes
