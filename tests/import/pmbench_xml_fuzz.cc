// libFuzzer: any bytes as a report of pmbench or ours. What is refused has a place that lies in the text; what is read
// holds together: bins add up to their moments, in every thread and of every device; a series is bounded; a run has
// threads, or runs that have them.
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "import/pmbench/pmbench_xml.h"

using namespace fathom;

namespace {

void check(const result::AccessLatency& latency) {
  if (latency.histogram_ns.total() != latency.moments_ns.n) std::abort();
}

void check(const result::AccessLatencies& latencies) {
  for (const auto& c : latencies)
    for (const auto& latency : c) check(latency);
}

void check(const result::Paging& paging) {
  if (!(paging.read_percent >= (paging.imported ? 0 : -1) && paging.read_percent <= 100)) std::abort();
  check(paging.latency);
  for (const auto& worker : paging.workers) check(worker.latency);
  for (const auto& device : paging.devices) check(device.read_ns), check(device.write_ns);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  const auto run = fathom::import::pmbench::read_pmbench_xml(text, "fuzz.xml");
  if (!run) {
    const auto& place = run.error().place;
    if (!place || place->line < 1 || place->column < 1 ||
        (!place->line_text.empty() && place->column > static_cast<int>(place->line_text.size()) + 1) ||
        run.error().what.empty())
      std::abort();
    return 0;
  }
  if ((*run).paging->workers.empty() && (*run).repetitions.empty()) std::abort();
  check(*(*run).paging);
  for (const auto& repetition : (*run).repetitions) check(*repetition.paging);
  return 0;
}
