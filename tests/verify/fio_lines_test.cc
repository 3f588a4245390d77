// Lines as fio wrote them: those of 3.42 from its own output, those of 3.33 beside it (fio_live_test.cc).
#include "verify/fio_lines.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace fathom::verify {
namespace {

using Lines = std::vector<std::string>;
constexpr RequestedBlock kIo{.file = "bad", .offset = 16384, .length = 4096};

Verdict of(Flaw flaw, std::uint64_t found, std::uint64_t wanted) {
  Verdict verdict;
  verdict.flaw = flaw;
  verdict.method = Method::md5;
  verdict.offset = 16384;
  verdict.length = 4096;
  verdict.found = found;
  verdict.wanted = wanted;
  return verdict;
}

void put_hex(std::array<std::byte, kLargestField>& field, std::string_view hex) {
  for (std::size_t i = 0; i < hex.size() / 2; ++i)
    field[i] = static_cast<std::byte>(std::stoi(std::string(hex.substr(2 * i, 2)), nullptr, 16));
}

TEST(FioLines, ADigestMismatchReadsAsInFio) {
  auto verdict = of(Flaw::digest, 0, 0);
  put_hex(verdict.digest_stored, "99f00c75620a455cc00047b5d4da1a6a");
  put_hex(verdict.digest_of_data, "85c00acacadfca66b1eb4ceca1f772f2");
  Lines wanted = {
      "md5: verify failed at file bad offset 16384, length 4096 (requested block: offset=16384, length=4096, flags=8)",
      "       Expected CRC: 99f00c75620a455cc00047b5d4da1a6a", "       Received CRC: 85c00acacadfca66b1eb4ceca1f772f2"};
  EXPECT_EQ(fio_lines(verdict, kIo), wanted);
  verdict.header = Header{.type = 5};
  wanted.emplace_back("fio: verify type mismatch (5 media, 2 given)");
  EXPECT_EQ(fio_lines(verdict, kIo), wanted);
}

TEST(FioLines, AHeaderMismatchReadsAsInFio) {
  const std::string place = " at file bad offset 16384, length 4096 (requested block: offset=16384, length=4096)";
  const auto line = [](Flaw flaw, std::uint64_t found, std::uint64_t wanted) {
    return fio_lines(of(flaw, found, wanted), kIo).at(0);
  };
  EXPECT_EQ(line(Flaw::magic, 0xac77, kMagic), "verify: bad magic header ac77, wanted acca" + place);
  EXPECT_EQ(
      line(Flaw::version, 2, 0x81),
      "verify: unsupported header version 2, wanted 81. Are you trying to verify across versions of fio?" + place);
  EXPECT_EQ(line(Flaw::length, 1, 2), "verify: bad header length 1, wanted 2" + place);
  EXPECT_EQ(line(Flaw::seed, 1, 2), "verify: bad header rand_seed 1, wanted 2" + place);
  EXPECT_EQ(line(Flaw::offset, 1, 2), "verify: bad header offset 1, wanted 16384" + place);
  EXPECT_EQ(line(Flaw::numberio, 1, 2), "verify: bad header numberio 1, wanted 2" + place);
  EXPECT_EQ(line(Flaw::header_crc, 0x1f, 0x2e), "verify: bad header crc 1f, calculated 2e" + place);
}

TEST(FioLines, APatternMismatchReadsAsInFio) {
  auto verdict = of(Flaw::pattern, 0x77, 0xff);
  verdict.offset = 5120;
  verdict.length = 1024;
  verdict.pattern_at = 840;
  EXPECT_EQ(fio_lines(verdict, {.file = "x", .offset = 4096, .length = 4096}),
            (Lines{"fio: got pattern '77', wanted 'ff'. Bad bits 2", "fio: bad pattern block offset 840",
                   "pattern: verify failed at file x offset 5120, length 1024 (requested block: offset=4096, "
                   "length=4096, flags=8)"}));
}

TEST(FioLines, NonZeroTrimmedDataReadsAsInFio) {
  auto verdict = of(Flaw::zeroes, 1, 0);
  verdict.pattern_at = 12;
  EXPECT_EQ(fio_lines(verdict, {.file = "x", .offset = 4096, .length = 4096, .format = Format::fio_3_33}),
            Lines{"trim: verify failed at file x offset 4096, length 4096, block offset 12"});
  EXPECT_EQ(fio_lines(verdict, {.file = "x", .offset = 4096, .length = 4096}),
            Lines{"verify failed for zeroed data at file x offset 4096, length 4096, block offset 12"});
}

TEST(FioLines, DumpNamesAndLinesReadAsInFio) {
  EXPECT_EQ(fio_dump_name("/a/b/bad", 16384, "expected"), "bad.16384.expected");
  EXPECT_EQ(fio_dump_name("bad", 0, "hdr_fail"), "bad.0.hdr_fail");
  EXPECT_EQ(fio_dump_line("received", "bad.16384.received"), "       received data dumped as bad.16384.received");
  EXPECT_TRUE(fio_lines({}, kIo).empty());
}

}  // namespace
}  // namespace fathom::verify
