// Both forms of the header, byte for byte, and the order in which their fields are looked at.
#include "verify/header.h"

#include <gtest/gtest.h>

#include <cstring>

#include "verify/blocks.h"

namespace fathom::verify {
namespace {

using testing::hex;

Header sample(Format format) {
  return {.format = format,
          .type = 5,
          .thread = 3,
          .length = 4096,
          .sec = 7,
          .nsec = 0x11223344,
          .seed = 0x0102030405060708,
          .offset = 0x10000,
          .numberio = 0x50042};
}

TEST(VerifyHeader, FieldsAreAtFiosOffsets) {
  std::vector<std::byte> small(40), large(48, std::byte{0xab});
  write_header(small, sample(Format::fio_3_33));
  EXPECT_EQ(hex(std::span(small).first(36)),
            "caac0500001000000807060504030201000001000000000007000000443322110300"
            "4200");
  write_header(large, sample(Format::fio_3_42));
  EXPECT_EQ(hex(std::span(large).first(44)),
            "caac8105001000000807060504030201000001000000000007000000443322114200050000000000"
            "0300"
            "abab");
}

TEST(VerifyHeader, FieldsSurviveWritingAndReading) {
  for (const auto format : {Format::fio_3_33, Format::fio_3_42}) {
    std::vector<std::byte> bytes(64);
    write_header(bytes, sample(format));
    EXPECT_EQ(told_apart(bytes), format);
    const auto read = read_header(bytes, format);
    EXPECT_EQ(read.type, 5);
    EXPECT_EQ(read.thread, 3);
    EXPECT_EQ(read.sec, 7u);
    EXPECT_EQ(read.nsec, 0x11223344u);
    EXPECT_EQ(read.crc, header_crc(bytes, format));
    EXPECT_EQ(check_header(read, bytes, {4096, 0x10000, 0x0102030405060708, 0x50042}).flaw, Flaw::none);
    EXPECT_EQ(check_header(read, bytes, {4096, 0x10000, {}, {}}).flaw, Flaw::none);
  }
}

// The CRC of a header that fio 3.42 wrote (block 4 of its md5 fixture).
TEST(VerifyHeader, TheCrcMatchesFios) {
  const char raw[] =
      "\xca\xac\x81\x02\x00\x10\x00\x00\x32\x91\x14\x53\x62\x94\xe8\xa8\x00\x40\0\0\0\0\0\0\0\0\0\0\xfa\x14\xd3\x07"
      "\x04\0\0\0\0\0\0\0\x01\x00\x0f\xe5\x44\x79\x04\x67";
  const auto bytes = std::as_bytes(std::span(raw, 48));
  EXPECT_EQ(told_apart(bytes), Format::fio_3_42);
  EXPECT_EQ(header_crc(bytes, Format::fio_3_42), 0x67047944u);
}

TEST(VerifyHeader, TheFirstWrongFieldIsReported) {
  const WantedHeader wanted{4096, 0x10000, 0x0102030405060708, 0x50042};
  const struct {
    std::size_t at;
    Flaw flaw;
  } large[] = {{0, Flaw::magic},      {2, Flaw::version},    {5, Flaw::length},      {8, Flaw::seed},
               {18, Flaw::offset},    {34, Flaw::numberio},  {24, Flaw::header_crc}, {43, Flaw::header_crc},
               {3, Flaw::header_crc}, {46, Flaw::header_crc}};
  std::vector<std::byte> good(48);
  write_header(good, sample(Format::fio_3_42));
  auto worse = good;
  for (const auto& [at, flaw] : large) {
    auto bytes = good;
    bytes[at] ^= std::byte{0x20};
    EXPECT_EQ(check_header(read_header(bytes, told_apart(bytes)), bytes, wanted).flaw, flaw) << at;
  }
  // Each that comes earlier hides the ones that are wrong already.
  for (int i = 5; i >= 0; --i) {
    worse[large[i].at] ^= std::byte{0x20};
    EXPECT_EQ(check_header(read_header(worse, told_apart(worse)), worse, wanted).flaw, large[i].flaw);
  }
}

TEST(VerifyHeader, TheFio333HeaderCompares16BitsOfTheNumber) {
  std::vector<std::byte> bytes(48);
  auto header = sample(Format::fio_3_33);
  write_header(bytes, header);
  EXPECT_EQ(check_header(read_header(bytes, Format::fio_3_33), bytes, {4096, 0x10000, {}, 0x70042}).flaw, Flaw::none);
  const auto verdict = check_header(read_header(bytes, Format::fio_3_33), bytes, {4096, 0x10000, {}, 0x50043});
  EXPECT_EQ(verdict.flaw, Flaw::numberio);
  EXPECT_EQ(verdict.found, 0x42u);
  EXPECT_EQ(verdict.wanted, 0x43u);
}

}  // namespace
}  // namespace fathom::verify
