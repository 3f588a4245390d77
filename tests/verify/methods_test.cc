// Each method against vectors of its standard, or against a plain way to reckon it where fio is not standard.
#include "verify/methods.h"

#include <gtest/gtest.h>

#include <cstring>
#include <set>

#include "verify/blocks.h"
#include "verify/digest/crc.h"

namespace fathom::verify {
namespace {

using testing::bytes;
using testing::hex;

std::string field_of(std::string_view method, std::span<const std::byte> data) {
  const auto* const row = method_named(method);
  auto state = HashState::make(row->method);
  std::vector<std::byte> field(row->field + 1, std::byte{0xee});
  row->digest(*state, data, field.data());
  EXPECT_EQ(field.back(), std::byte{0xee}) << method << " writes behind its field";
  field.pop_back();
  return hex(field);
}
std::string field_of(std::string_view method, std::string_view data) { return field_of(method, bytes(data)); }

std::vector<std::byte> noise(std::size_t size) {
  std::vector<std::byte> data(size);
  std::uint32_t state = 12345;
  for (auto& byte : data) byte = static_cast<std::byte>((state = state * 1664525 + 1013904223) >> 24);
  return data;
}

// A bit at a time, as the polynomial says it.
std::uint64_t by_bits(std::span<const std::byte> data, unsigned width, std::uint64_t polynomial, bool reflected,
                      std::uint64_t start) {
  const std::uint64_t top = 1ull << (width - 1), mask = top | (top - 1);
  std::uint64_t state = start;
  for (const std::byte byte : data)
    for (unsigned bit = 0; bit < 8; ++bit) {
      const auto in = (std::to_integer<unsigned>(byte) >> (reflected ? bit : 7 - bit)) & 1;
      const bool out = (reflected ? state & 1 : (state & top) != 0) != (in != 0);
      state = reflected ? state >> 1 : (state << 1) & mask;
      if (out) state ^= polynomial;
    }
  return state;
}

TEST(VerifyMethods, ChecksumsMatchStandardVectors) {
  const auto digits = bytes("123456789");
  EXPECT_EQ(digest::crc7(digits), 0x75);                    // CRC-7/MMC
  EXPECT_EQ(digest::crc16(digits), 0xbb3d);                 // CRC-16/ARC
  EXPECT_EQ(~digest::crc32c(digits), 0xe3069283u);          // RFC 3720 B.4
  EXPECT_EQ(digest::crc32(digits), 0x89a1897fu);            // CRC-32/POSIX before it is inverted, without its length
  EXPECT_EQ(digest::crc64(digits), 0xe9c6d914c4b8d9caull);  // CRC-64/REDIS, which is Jones'
}

TEST(VerifyMethods, ChecksumsOfEveryLengthMatchABitwiseVersion) {
  const auto all = noise(300);
  for (std::size_t size = 0; size <= all.size(); ++size) {
    const auto data = std::span(all).first(size);
    ASSERT_EQ(digest::crc7(data), by_bits(data, 7, 0x09, false, 0)) << size;
    ASSERT_EQ(digest::crc16(data), by_bits(data, 16, 0xa001, true, 0)) << size;
    ASSERT_EQ(digest::crc32(data), by_bits(data, 32, 0x04c11db7, false, 0)) << size;
    ASSERT_EQ(digest::crc32c(data), by_bits(data, 32, 0x82f63b78, true, 0xffffffff)) << size;
    ASSERT_EQ(digest::crc64(data), by_bits(data, 64, 0x95ac9329ac4bc9b5ull, true, 0)) << size;
  }
}

TEST(VerifyMethods, HashesMatchStandardVectors) {
  EXPECT_EQ(field_of("md5", "abc"), "900150983cd24fb0d6963f7d28e17f72");                               // RFC 1321 A.5
  EXPECT_EQ(field_of("sha3-224", "abc"), "e642824c3f8cf24ad09234ee7d3c766fc9a3a5168d0c94ad73b46fdf");  // FIPS 202
  EXPECT_EQ(field_of("sha3-256", "abc"), "3a985da74fe225b2045c172d6bd390bd855f086e3e9d525b46bfe24511431532");
  EXPECT_EQ(field_of("sha3-384", "abc"),
            "ec01498288516fc926459f58e2c6ad8df9b473cb0fc08c2596da7cf0e49be4b298d88cea927ac7f539f1edf228376d25");
  EXPECT_EQ(field_of("sha3-512", "abc"),
            "b751850b1a57168a5693cd924b6b096e08f621827444f70d884f5d0240d2712e"
            "10e116e9192af3c91a7ec57647e3934057340b4cf408d5a56592f8274eec53f0");
  EXPECT_EQ(field_of("sha512", "abc").substr(0, 128),  // FIPS 180-4
            "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a"
            "2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f");
  EXPECT_EQ(field_of("sha1", "abc"), "363e99a96a81064771253eba6cc250789dd8d09c");  // words the other way round
  EXPECT_EQ(field_of("xxhash", ""), "92b72c0b");  // of nothing with seed 1, the reference's own check
}

// Around the ends of blocks, where padding takes another one.
TEST(VerifyMethods, PaddingBehindADigestMatchesFio) {
  const auto all = noise(600);
  for (const std::size_t size : {0, 1, 54, 55, 56, 63, 64, 110, 111, 112, 127, 128, 129, 239, 240, 255, 256, 519}) {
    const auto data = std::span(all).first(size);
    const auto bits = static_cast<unsigned>(size * 8);
    const auto sha256 = field_of("sha256", data), sha512 = field_of("sha512", data);
    EXPECT_EQ(sha256.substr(112), hex(std::as_bytes(std::span(&bits, 1))) + "00000000") << size;
    EXPECT_EQ(sha512.substr(248), fmt::format("{:08x}", bits)) << size;
    const std::size_t rest = size % 64;
    if (rest >= 8 && rest < 56) {
      EXPECT_EQ(sha256.substr(16, 2 * (rest - 8) + 2), hex(data.last(rest).subspan(8)) + "80") << size;
    }
  }
}

TEST(VerifyMethods, Sha512OfFio333CopiesTheData) {
  const auto data = noise(128 * 2 + 40);
  std::vector<std::byte> field(128);
  sha512_copy(data, field.data());
  EXPECT_EQ(hex(field), hex(std::span(data).last(40)) + hex(std::span(data).subspan(40, 88)));
  std::vector<std::byte> kept(128, std::byte{7});
  sha512_copy(std::span(data).first(3), kept.data());
  EXPECT_EQ(hex(std::span(kept).first(4)), hex(std::span(data).first(3)) + "07");
}

TEST(VerifyMethods, NamesAndNumbersAreUnique) {
  for (const auto& row : methods()) EXPECT_EQ(row.field != 0, row.digest != nullptr) << row.name;
  std::set<std::string_view> names;
  std::set<Method> numbers;
  for (const auto& row : methods()) {
    EXPECT_TRUE(names.insert(row.name).second && numbers.insert(row.method).second);
    EXPECT_EQ(method_named(row.name), &row);
    EXPECT_EQ(method_numbered(static_cast<std::uint64_t>(row.method)), &row);
    EXPECT_TRUE(HashState::make(row.method).ok()) << row.name;
  }
  EXPECT_EQ(names.size(), 18u);
  EXPECT_EQ(method_named("crc32c-intel")->method, Method::crc32c);
  EXPECT_EQ(method_named("crc"), nullptr);
  EXPECT_EQ(method_numbered(6), nullptr);
  EXPECT_EQ(method_numbered(0x1000000000002), nullptr);
}

}  // namespace
}  // namespace fathom::verify
