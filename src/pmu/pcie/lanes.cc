// Gets a port from the name of its PMU. Gets the port's lanes from the maximum width of its link, as the drivers count
// them. Names have two formats. pcie_bdf_ has one byte each for segment, bus, device and function. dwc_rootport_ has
// domain << 16 | bus << 8 | devfn. Source: drivers/perf/dwc_pcie_pmu.c and Alibaba's driver before it.
#include <charconv>

#include "base/text/parse.h"
#include "host/proc/text_file.h"
#include "pmu/events/event_parse.h"
#include "pmu/pcie/pcie.h"

namespace fathom::pmu::pcie {
namespace {

constexpr unsigned kMostLanes = 16;

struct Form {
  std::string_view prefix;
  unsigned domain, bus, device;  // where each begins; the function is last
  unsigned device_mask, function_mask;
};
constexpr Form kForms[] = {{"pcie_bdf_", 24, 16, 8, 0xff, 0xff}, {"dwc_rootport_", 16, 8, 3, 0x1f, 0x7}};

}  // namespace

std::optional<host::pci::PciAddress> named_port(std::string_view pmu) {
  for (const auto& form : kForms) {
    if (!pmu.starts_with(form.prefix)) continue;
    const std::string_view digits = pmu.substr(form.prefix.size());
    std::uint32_t value = 0;
    const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (ec != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return host::pci::PciAddress{value >> form.domain, static_cast<std::uint8_t>(value >> form.bus & 0xff),
                                 static_cast<std::uint8_t>(value >> form.device & form.device_mask),
                                 static_cast<std::uint8_t>(value & form.function_mask)};
  }
  return std::nullopt;
}

}  // namespace fathom::pmu::pcie

namespace fathom::pmu::events {

unsigned lanes_of(std::string_view pmu, const std::string& prefix) {
  const auto port = pcie::named_port(pmu);
  if (!port) return pcie::kMostLanes;
  const std::string folder = prefix + "/sys/bus/pci/devices/" + host::pci::to_string(*port);
  const auto width = base::text::parse_int(host::proc::read_line(folder + "/max_link_width"));
  return width && *width >= 1 && *width <= 32 ? static_cast<unsigned>(*width) : pcie::kMostLanes;
}

}  // namespace fathom::pmu::events
