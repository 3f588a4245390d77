// Stored logs: bytes that fio 3.42 wrote, and back.
#include "run/logs/log_samples.h"

#include <gtest/gtest.h>

namespace fathom::run::logs {
namespace {

std::string bytes(std::string_view hex) {
  std::string out;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
    out += char(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
  return out;
}

TEST(LogSamples, ASampleMatchesFiosByteForByte) {
  std::string raw;
  append_sample({0, 14722, 14722, io::Dir::read, 0, 4096, 253952, 0}, {}, raw);
  EXPECT_EQ(raw, bytes("0000000000000000823900000000000000000000000000000000000000000000"
                       "0010000000000000"));
}

TEST(LogSamples, EveryColumnSurvivesStoringAndReading) {
  for (unsigned bits = 0; bits < 16; ++bits) {
    const LogColumns columns{(bits & 1) != 0, (bits & 2) != 0, (bits & 4) != 0, (bits & 8) != 0};
    std::string text, raw;
    for (std::uint64_t i = 0; i < 1000; ++i) {
      const LogLine line{i,        i * 7,   i * 9, static_cast<io::Dir>(i % 3), std::uint16_t(i << 3),
                         4096 + i, i << 20, i * 11};
      append_line(line, columns, text);
      append_sample(line, columns, raw);
    }
    const auto back = inflate_log(deflate_samples(raw) + deflate_samples(raw));
    ASSERT_TRUE(back.ok());
    EXPECT_EQ(*back, text + text) << bits;
  }
  EXPECT_EQ(*inflate_log(""), "") << "a log without lines";
}

TEST(LogSamples, InvalidStoredLogsAreRefused) {
  std::string raw;
  append_sample({1, 2, 3}, {.offset = true}, raw);
  const auto stored = deflate_samples(raw);
  EXPECT_FALSE(inflate_log("abc").ok());
  EXPECT_FALSE(inflate_log(stored.substr(0, stored.size() - 1)).ok());
  EXPECT_FALSE(inflate_log(stored + "x").ok());
  EXPECT_FALSE(inflate_log(deflate_samples(raw.substr(0, raw.size() - 1))).ok());
  EXPECT_FALSE(inflate_log(deflate_samples(std::string(48, '\x07'))).ok()) << "no direction";
}

}  // namespace
}  // namespace fathom::run::logs
