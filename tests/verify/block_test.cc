// Sealed blocks, damage to them, and that no check takes memory.
#include "verify/block.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <new>

#include "verify/blocks.h"

namespace {
std::size_t allocations = 0;  // NOLINT: what the operators below count
}

void* operator new(std::size_t size) {
  ++allocations;
  if (void* const memory = std::malloc(size == 0 ? 1 : size)) return memory;
  throw std::bad_alloc();
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, std::size_t) noexcept { std::free(memory); }

namespace fathom::verify {
namespace {

constexpr IoFacts kFacts{.offset = 0x40000, .numberio = 17, .seed = 0x123456789abcdef1, .sec = 1, .nsec = 2};

PatternBytes a_pattern() {
  const std::size_t place[] = {1};
  return *PatternBytes::make("p01234567q", place);
}

struct Case {
  Layout layout;
  PatternBytes pattern;
};

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const auto& row : methods())
    for (const auto format : {Format::fio_3_33, Format::fio_3_42})
      for (const std::uint32_t interval : {0u, 1024u})
        for (const std::uint32_t offset : {0u, 512u}) {
          if (row.copy_before_3_39 && format == Format::fio_3_33) continue;
          const auto layout = settle({.format = format,
                                      .method = row.method,
                                      .interval = interval,
                                      .offset = offset,
                                      .min_write = 4096,
                                      .max_write = 8192,
                                      .has_pattern = row.pattern});
          EXPECT_TRUE(layout.ok()) << row.name;
          all.push_back({*layout, row.pattern ? a_pattern() : PatternBytes()});
        }
  return all;
}

std::vector<std::byte> sealed(const Case& c, std::size_t size) {
  std::vector<std::byte> io(size);
  auto sealer = Sealer::make(c.layout, c.pattern);
  sealer->seal(io, kFacts);
  return io;
}

Verdict check(const Case& c, std::vector<std::byte> io, Wanted wanted = {.offset = kFacts.offset}) {
  auto checker = Checker::make(c.layout, c.pattern);
  return checker->check(io, wanted);
}

std::string say(const Case& c) {
  return fmt::format("{} interval {} offset {} format {}", row_of(c.layout.method).name, c.layout.interval,
                     c.layout.offset, static_cast<int>(c.layout.format));
}

TEST(SealedBlock, PassesItsOwnCheck) {
  for (const auto& c : cases())
    for (const std::size_t size : {4096, 8192, 8192 + 300, 8192 + 30}) {
      EXPECT_TRUE(check(c, sealed(c, size)).good()) << say(c);
      const std::uint64_t seed = c.pattern.empty() ? kFacts.seed : 0;
      EXPECT_TRUE(check(c, sealed(c, size), {kFacts.offset, kFacts.numberio, seed}).good()) << say(c);
    }
}

TEST(SealedBlock, ADamagedByteThatTheMethodCoversIsDetected) {
  for (const auto& c : cases()) {
    const auto& row = row_of(c.layout.method);
    if (row.digest == nullptr && !row.pattern) continue;
    const auto good = sealed(c, 4096);
    for (std::size_t at = 3; at < good.size(); at += 61) {
      auto bad = good;
      bad[at] ^= std::byte{0x40};
      const auto verdict = check(c, bad);
      EXPECT_FALSE(verdict.good()) << say(c) << " at " << at;
      EXPECT_EQ(verdict.interval, c.layout.interval == 0 ? 0 : at / c.layout.interval) << say(c) << " at " << at;
    }
  }
}

TEST(SealedBlock, AnotherOffsetNumberOrSeedIsDetected) {
  for (const auto& c : cases()) {
    if (!c.layout.has_header()) continue;
    const auto io = sealed(c, 4096);
    EXPECT_EQ(check(c, io, {kFacts.offset + 4096, {}, {}}).flaw, Flaw::offset) << say(c);
    EXPECT_EQ(check(c, io, {kFacts.offset, 16, {}}).flaw, Flaw::numberio) << say(c);
    EXPECT_EQ(check(c, io, {kFacts.offset, {}, 99}).flaw, Flaw::seed) << say(c);
  }
}

TEST(SealedBlock, ACheckContinuesBehindABadInterval) {
  const Case c{{.method = Method::crc64, .interval = 1024}, {}};
  auto io = sealed(c, 4096);
  io[1500] ^= std::byte{1};
  io[3900] ^= std::byte{1};
  auto checker = Checker::make(c.layout);
  const auto first = checker->check(io, {.offset = kFacts.offset});
  EXPECT_EQ(first.interval, 1u);
  EXPECT_EQ(first.offset, kFacts.offset + 1024);
  EXPECT_EQ(first.length, 1024u);
  const auto second = checker->check(io, {.offset = kFacts.offset}, first.interval + 1);
  EXPECT_EQ(second.interval, 3u);
  EXPECT_TRUE(checker->check(io, {.offset = kFacts.offset}, 4).good());
}

TEST(SealedBlock, TheContentsCanBeMadeAgainFromAnyHeader) {
  for (const auto& c : cases()) {
    if (!c.layout.has_header()) continue;
    const auto good = sealed(c, 8192);
    for (std::uint32_t i = 0; i < c.layout.count(8192); ++i) {
      const auto block = std::span(good).subspan(c.layout.begin(i) + c.layout.offset);
      const auto facts = facts_of(read_header(block, told_apart(block)), c.layout, i);
      std::vector<std::byte> again(8192);
      Sealer::make(c.layout, c.pattern)->seal(again, facts);
      EXPECT_EQ(again, good) << say(c);
    }
  }
}

TEST(SealedBlock, HeadersOfBothFioFormatsAreRead) {
  for (const auto& c : cases()) {
    auto other = c;
    other.layout.format = c.layout.format == Format::fio_3_33 ? Format::fio_3_42 : Format::fio_3_33;
    EXPECT_TRUE(check(other, sealed(c, 4096)).good()) << say(c);
  }
}

TEST(SealedBlock, TheSha512CopyOfFio333ProvesLittle) {
  const Case c{{.format = Format::fio_3_33, .method = Method::sha512, .interval = 1024}, {}};
  auto io = sealed(c, 4096);
  EXPECT_TRUE(check(c, io).good());
  EXPECT_FALSE(check(c, io).proves_little);
  for (std::size_t at = 0; at < 4096; at += 1024)
    sha512_copy(std::span(io).subspan(at + 40 + 128, 1024 - 168), io.data() + at + 40);
  EXPECT_TRUE(check(c, io).good());
  EXPECT_TRUE(check(c, io).proves_little);
  io[500] ^= std::byte{1};  // in the middle: not seen, and the verdict says what it is worth
  EXPECT_TRUE(check(c, io).good());
  io[1020] ^= std::byte{1};
  EXPECT_EQ(check(c, io).flaw, Flaw::digest);
}

TEST(SealedBlock, CheckingMovesTheHeaderToTheStartOfTheInterval) {
  const Case c{{.method = Method::md5, .interval = 1024, .offset = 512}, {}};
  auto io = sealed(c, 2048);
  const auto before = io;
  ASSERT_TRUE(Checker::make(c.layout)->check(io, {.offset = kFacts.offset}).good());
  EXPECT_EQ(read_header(io, Format::fio_3_42).magic, kMagic);
  EXPECT_TRUE(std::equal(io.begin() + 1024, io.begin() + 1024 + 64, before.begin() + 1536));
}

TEST(SealedBlock, CheckZeroesDetectsAnyOtherByte) {
  std::vector<std::byte> io(4096);
  EXPECT_TRUE(check_zeroes(io, 0).good());
  for (const std::size_t at : {0, 1, 4095}) {
    auto bad = io;
    bad[at] = std::byte{9};
    EXPECT_EQ(check_zeroes(bad, 0).flaw, Flaw::zeroes);
    EXPECT_EQ(check_zeroes(bad, 0).pattern_at, at);
  }
}

TEST(SealedBlock, SealingAndCheckingDoNotAllocate) {
  for (const auto& c : cases()) {
    std::vector<std::byte> io(8192);
    auto sealer = Sealer::make(c.layout, c.pattern);
    auto checker = Checker::make(c.layout, c.pattern);
    const auto before = allocations;
    sealer->seal(io, kFacts);
    const bool good = checker->check(io, {.offset = kFacts.offset}).good();
    EXPECT_EQ(allocations, before) << say(c);
    EXPECT_TRUE(good);
  }
}

}  // namespace
}  // namespace fathom::verify
