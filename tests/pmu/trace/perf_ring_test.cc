// Records are read whole wherever the ring wraps, and a ring that holds nonsense is given up, not followed.
#include "pmu/trace/perf_ring.h"

#include <gtest/gtest.h>

#include "pmu/trace_records.h"

namespace fathom::pmu {
namespace {

using testing::MadeRing;

std::vector<trace::TraceSample> samples_of(const MadeRing& ring, std::vector<std::vector<std::byte>>& raws, bool& well,
                                           std::uint64_t& lost) {
  std::vector<trace::TraceSample> out;
  std::vector<std::byte> scratch;
  well = trace::read_records({ring.bytes(), ring.tail(), ring.head()}, scratch, [&](const trace::PerfRecord& record) {
    if (record.type == PERF_RECORD_LOST) lost += trace::parse_lost(record.payload);
    if (record.type != PERF_RECORD_SAMPLE) return;
    if (const auto sample = trace::parse_sample(record.payload)) {
      out.push_back(*sample);
      raws.emplace_back(sample->raw.begin(), sample->raw.end());
    }
  });
  return out;
}

TEST(PerfRing, RecordsAreReadWholeAtEveryWrapPosition) {
  std::vector<std::byte> raw(52);
  for (std::size_t i = 0; i < raw.size(); ++i) raw[i] = static_cast<std::byte>(i);
  for (std::uint64_t start = 0; start < 256; start += 8) {
    MadeRing ring(256, start);
    ring.add_sample(7, 100, raw);
    ring.add_sample(8, 200, raw);
    std::vector<std::vector<std::byte>> raws;
    bool well = false;
    std::uint64_t lost = 0;
    const auto samples = samples_of(ring, raws, well, lost);
    ASSERT_TRUE(well) << start;
    ASSERT_EQ(samples.size(), 2u) << start;
    EXPECT_EQ(samples[0].process, 7);
    EXPECT_EQ(samples[0].thread, 8);
    EXPECT_EQ(samples[1].time_ns, 200u);
    EXPECT_EQ(raws[0], raw) << start;
    EXPECT_EQ(raws[1], raw) << start;
  }
}

TEST(PerfRing, CountsLostRecords) {
  MadeRing ring(4096);
  const std::uint64_t lost_record[] = {99, 17};
  ring.add(PERF_RECORD_LOST, std::as_bytes(std::span(lost_record)));
  ring.add(12345, {});  // a type that later kernels may have
  ring.add_sample(1, 1, {});
  std::vector<std::vector<std::byte>> raws;
  bool well = false;
  std::uint64_t lost = 0;
  EXPECT_EQ(samples_of(ring, raws, well, lost).size(), 1u);
  EXPECT_TRUE(well);
  EXPECT_EQ(lost, 17u);
}

TEST(PerfRing, StopsAtAnInvalidRecordSize) {
  std::vector<std::byte> scratch;
  const auto none = [](const trace::PerfRecord&) {};
  for (const std::uint16_t size : {0, 7, 4000}) {
    MadeRing ring(4096);
    const perf_event_header header{PERF_RECORD_SAMPLE, 0, size};
    ring.put(std::as_bytes(std::span(&header, 1)));
    ring.put(std::vector<std::byte>(64));
    EXPECT_FALSE(trace::read_records({ring.bytes(), ring.tail(), ring.head()}, scratch, none)) << size;
  }
  const MadeRing ring(64);
  EXPECT_FALSE(trace::read_records({ring.bytes(), 0, 65}, scratch, none)) << "more than the ring holds";
  EXPECT_FALSE(trace::read_records({ring.bytes(), 2, 1}, scratch, none));
  EXPECT_FALSE(trace::read_records({ring.bytes(), 0, 4}, scratch, none)) << "half a header";
  EXPECT_FALSE(trace::parse_sample(std::vector<std::byte>(19)));
  std::vector<std::byte> longer(24);
  longer[16] = std::byte{5};
  EXPECT_FALSE(trace::parse_sample(longer)) << "a raw part that is longer than its record";
}

}  // namespace
}  // namespace fathom::pmu
