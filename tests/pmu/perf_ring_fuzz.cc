// libFuzzer: any bytes as a ring of perf records whose raw parts are block events, and as a tracepoint's format file.
// No record may reach beyond the ring, no field beyond its record.
#include <bit>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "pmu/trace/block_event.h"
#include "pmu/trace/perf_ring.h"

namespace {

void read_as_ring(std::span<const std::byte> bytes, const fathom::pmu::trace::EventFormat& format) {
  using namespace fathom::pmu;
  if (bytes.size() < 64) return;
  const auto data = bytes.first(std::bit_floor(bytes.size()));
  const std::pair<fathom::pmu::trace::BlockPoint, fathom::pmu::trace::EventFormat> formats[] = {
      {fathom::pmu::trace::BlockPoint::rq_issue, format}};
  const auto decoder = fathom::pmu::trace::BlockDecoder::make(formats);
  std::vector<std::byte> scratch;
  std::uint64_t seen = 0;
  const std::uint64_t tail = static_cast<std::uint64_t>(bytes.back()) * 8;
  fathom::pmu::trace::read_records({data, tail, tail + data.size()}, scratch,
                                   [&](const fathom::pmu::trace::PerfRecord& record) {
                                     seen += record.payload.size() + 8;
                                     const auto sample = fathom::pmu::trace::parse_sample(record.payload);
                                     fathom::pmu::trace::parse_lost(record.payload);
                                     if (sample && decoder)
                                       decoder->decode(sample->raw, sample->process, sample->time_ns);
                                   });
  if (seen > data.size()) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fathom::pmu;
  static const auto known = fathom::pmu::trace::parse_event_format(
      "name: e\nID: 1\n\tfield:unsigned short common_type;\toffset:0;\tsize:2;\tsigned:0;\n"
      "\tfield:dev_t dev;\toffset:8;\tsize:4;\tsigned:0;\n\tfield:sector_t sector;\toffset:16;\tsize:8;\tsigned:0;\n"
      "\tfield:unsigned int nr_sector;\toffset:24;\tsize:4;\tsigned:0;\n"
      "\tfield:char rwbs[10];\toffset:28;\tsize:10;\tsigned:0;\n");
  const std::span bytes(reinterpret_cast<const std::byte*>(data), size);
  read_as_ring(bytes, *known);
  const auto format = fathom::pmu::trace::parse_event_format({reinterpret_cast<const char*>(data), size});
  if (format)
    for (const auto& field : format->fields) {
      fathom::pmu::trace::read_field(bytes, field);
      fathom::pmu::trace::read_text(bytes, field);
    }
  if (format) read_as_ring(bytes, *format);
  return 0;
}
