// libFuzzer: any bytes as a report of pmbench. What is refused has a place that lies in the text; what is read holds
// together: bins add up to their moments, and no thread made a read or a write more than its samples.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "import/pmbench_xml.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace fathom;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto run = import::read_pmbench_xml(text, "fuzz.xml");
  if (!run) {
    const auto& place = run.error().place;
    if (!place || place->line < 1 || place->column < 1 ||
        place->column > static_cast<int>(place->line_text.size()) + 1 || run.error().what.empty())
      std::abort();
    return 0;
  }
  const auto& paging = *(*run).paging;
  if (paging.workers.empty() || paging.read_percent < 0 || paging.read_percent > 100) std::abort();
  for (const auto& c : paging.latency)
    for (const auto& latency : c)
      if (latency.histogram_ns.total() != latency.moments_ns.n) std::abort();
  return 0;
}
