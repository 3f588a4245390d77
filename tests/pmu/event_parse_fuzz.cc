// libFuzzer: any bytes as what a user writes behind -e, and as what a driver writes into format/ and events/. Recorded
// PMUs are read once; an error must have a place that lies in the text, an event must fit its PMU.
#include <cstdint>
#include <cstdlib>
#include <string>

#include "base/system/cpu_list.h"
#include "pmu/events/format.h"
#include "pmu/events/sources.h"
#include "pmu/recorded.h"

namespace {

using namespace fathom;

const fathom::pmu::events::EventSources& sources() {
  static const fathom::pmu::events::EventSources kSources = pmu::testing::recorded("dwc_rootport");
  return kSources;
}

void as_event(std::string_view text) {
  const auto events = fathom::pmu::events::parse_events(text, sources());
  if (events) {
    for (const auto& event : *events)
      if (event.name.empty() || event.mention < 0 || (event.pmu.empty() && event.type == 0)) std::abort();
    return;
  }
  const auto& error = events.error();
  const int columns = static_cast<int>(text.size()) + 1;
  if (!error.place || error.place->column < 1 || error.place->column > columns || error.what.empty()) std::abort();
}

void as_driver(std::string_view text) {
  if (const auto format = fathom::pmu::events::parse_format(text)) {
    std::uint64_t config[fathom::pmu::events::kConfigWords] = {};
    const int bits = format->bits();
    if (bits < 1 || bits > 64) std::abort();
    if (!fathom::pmu::events::place_bits(*format, bits == 64 ? ~0ull : (1ull << bits) - 1, config)) std::abort();
  }
  for (const auto& term : fathom::pmu::events::split_terms(text))
    if (!term.name.empty() && (term.name.data() < text.data() || term.name.data() >= text.data() + text.size()))
      std::abort();
  (void)fathom::base::system::parse_cpu_list(text);
  (void)fathom::pmu::events::parse_number(text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size > 4096) return 0;
  const std::string text(reinterpret_cast<const char*>(data), size);
  as_event(text);
  as_driver(text);
  return 0;
}
