// The encoding against bytes that Java's HdrHistogram 2.1.11 wrote, and the lines of a log.
// tests/report/rows/read_back_test.py decodes whole logs.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <zlib.h>

#include <algorithm>
#include <vector>

#include "report/formats.h"
#include "report/rows/hdr_encoding.h"
#include "small_run.h"

namespace fathom::report::rows {
namespace {

std::string hex(std::string_view bytes) {
  std::string out;
  for (const char c : bytes) out += fmt::format("{:02x}", static_cast<unsigned char>(c));
  return out;
}

// 1; 1000, five times; 2047; 2048, twice; 1000000, 300 times.
const std::vector<HdrCount> kRecorded = {{1, 1}, {1000, 5}, {2047, 1}, {2048, 2}, {1'000'000, 300}};

TEST(HdrEncoding, IsThatOfJava) {
  EXPECT_EQ(hex(hdr_encoded(kRecorded)),
            "1c849313"                      // V2
            "0000000e"                      // bytes of the counts
            "00000000"                      // offset
            "00000003"                      // significant digits
            "0000000000000001"              // lowest value
            "00000000000f4240"              // highest value: 1000000
            "3ff0000000000000"              // 1.0
            "0002cb0f0aab100204bf8e01d804"  // as Java
  );
}

TEST(HdrEncoding, AddsValuesOfOneIndexAndSkipsZeros) {
  const std::vector<HdrCount> apart = {{1, 1},    {1000, 2}, {1000, 3},    {1500, 0},       {2047, 1},
                                       {2048, 1}, {2049, 1}, {999'936, 1}, {1'000'000, 299}};
  EXPECT_EQ(hex(hdr_encoded(apart)), hex(hdr_encoded(kRecorded)).substr(0, 80) + "0002cb0f0aab100204bf8e01d804");
}

TEST(HdrEncoding, ReachesTheLargestNumbers) {
  const std::vector<HdrCount> largest = {{0, kMostHdrValue}};
  EXPECT_EQ(hex(hdr_encoded(largest)).substr(80), "feffffffffffffffff") << "nine bytes, the last with eight bits";
  const std::vector<HdrCount> last = {{kMostHdrValue, 1}};  // index 55295, behind as many zeros
  EXPECT_EQ(hex(hdr_encoded(last)).substr(80), "fddf0602");
}

TEST(HdrEncoding, OfNothingHasNoCounts) {
  EXPECT_EQ(hex(hdr_encoded({})),
            "1c8493130000000000000000000000030000000000000001"
            "0000000000000002"
            "3ff0000000000000");
}

TEST(HdrEncoding, IsCompressedWithZlibBehindItsOwnHeader) {
  const auto encoded = hdr_encoded(kRecorded);
  const auto packed = hdr_compressed(encoded);
  EXPECT_EQ(hex(packed.substr(0, 4)), "1c849314");
  EXPECT_EQ(hex(packed.substr(4, 4)), fmt::format("{:08x}", packed.size() - 8));
  std::string back(encoded.size(), '\0');
  uLongf size = back.size();
  ASSERT_EQ(uncompress(reinterpret_cast<Bytef*>(back.data()), &size, reinterpret_cast<const Bytef*>(packed.data()) + 8,
                       packed.size() - 8),
            Z_OK);
  EXPECT_EQ(size, encoded.size());
  EXPECT_EQ(hex(back), hex(encoded));
}

TEST(HdrLog, HasAnIntervalPerLatencyWithItsExactMaximumBeside) {
  const auto text = hdr_log(small_run());
  EXPECT_EQ(text.find("#[fathom 0.1.0; checks: passed; run id-1; host host]\n"
                      "#[values in ns; Interval_Max in ms; begin and length of an interval in s]\n"
                      "#[Histogram log format version 1.3]\n"
                      "#[StartTime: 1721999912.345 (seconds since epoch)]\n"
                      "#[BaseTime: 1721999912.345 (seconds since epoch)]\n"
                      "\"StartTimestamp\",\"Interval_Length\",\"Interval_Max\",\"Interval_Compressed_Histogram\"\n"
                      "#[t/0/read/lat: 4 samples, maximum 1000000 ns]\n"
                      "Tag=t/0/read/lat,0.500,0.002,1.000,HISTFAAAA"),
            0u)
      << text;
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 8);
}

TEST(HdrLog, ATagHasNeitherSpaceNorComma) {
  auto run = small_run();
  run.jobs[0].name = "a b,c\n";
  EXPECT_EQ(line_of(hdr_log(run), 7).find("Tag=a_b_c\\n/0/read/lat,"), 0u) << hdr_log(run);
}

TEST(HdrLog, NamesALatencyThatHasNoInterval) {
  auto run = small_run();
  auto& lat = run.jobs[0].dirs[0].lat;
  lat.histogram_ns = {};
  EXPECT_EQ(line_of(hdr_log(run), 7), "#[t/0/read/lat: no interval: the result has no histogram of it]");
  lat = latency_of({std::uint64_t{1} << 63});
  EXPECT_EQ(line_of(hdr_log(run), 7), "#[t/0/read/lat: no interval: the format has 63 bits per number]");
}

TEST(HdrLog, WarnsOfCountsThatAJavaScriptReaderCuts) {
  auto run = small_run();
  auto& lat = run.jobs[0].dirs[0].lat;
  lat.histogram_ns.add(100, 5'000'000'000);
  lat.moments_ns.n += 5'000'000'000;
  EXPECT_EQ(line_of(hdr_log(run), 7),
            "#[t/0/read/lat: a bucket has more than 4294967295 samples, which a reader in JavaScript cuts]");
  EXPECT_EQ(line_of(hdr_log(run), 8).find("Tag=t/0/read/lat,"), 0u);
}

TEST(HdrLog, ARepetitionBeginsWhenItDid) {
  auto run = small_run();
  run.repetitions = {small_run(), small_run()};
  run.repetitions[1].time_epoch_ms += 10'000;
  const auto text = hdr_log(run);
  EXPECT_EQ(line_of(text, 7).find("Tag=t/0/1/read/lat,0.500,"), 0u) << text;
  EXPECT_EQ(line_of(text, 9).find("Tag=t/0/2/read/lat,10.500,"), 0u) << text;
}

}  // namespace
}  // namespace fathom::report::rows
