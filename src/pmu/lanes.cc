// A port from the name of its PMU, and the port's lanes from its link's greatest width, as the drivers count them. Two
// ways of writing a port into a name: pcie_bdf_ has segment, bus, device and function in a byte each, dwc_rootport_
// domain << 16 | bus << 8 | devfn.
// Source: drivers/perf/dwc_pcie_pmu.c and Alibaba's driver before it.
#include <charconv>

#include "base/parse.h"
#include "host/text_file.h"
#include "pmu/event_parse.h"
#include "pmu/pcie.h"

namespace fathom::pmu {
namespace {

constexpr unsigned kMostLanes = 16;

struct Form {
  std::string_view prefix;
  unsigned domain, bus, device;  // where each begins; the function is last
  unsigned device_mask, function_mask;
};
constexpr Form kForms[] = {{"pcie_bdf_", 24, 16, 8, 0xff, 0xff}, {"dwc_rootport_", 16, 8, 3, 0x1f, 0x7}};

}  // namespace

std::optional<host::PciAddress> named_port(std::string_view pmu) {
  for (const auto& form : kForms) {
    if (!pmu.starts_with(form.prefix)) continue;
    const std::string_view digits = pmu.substr(form.prefix.size());
    std::uint32_t value = 0;
    const auto [end, ec] = std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (ec != std::errc() || end != digits.data() + digits.size()) return std::nullopt;
    return host::PciAddress{value >> form.domain, static_cast<std::uint8_t>(value >> form.bus & 0xff),
                            static_cast<std::uint8_t>(value >> form.device & form.device_mask),
                            static_cast<std::uint8_t>(value & form.function_mask)};
  }
  return std::nullopt;
}

unsigned lanes_of(std::string_view pmu, const std::string& prefix) {
  const auto port = named_port(pmu);
  if (!port) return kMostLanes;
  const std::string folder = prefix + "/sys/bus/pci/devices/" + host::to_string(*port);
  const auto width = base::parse_int(host::read_line(folder + "/max_link_width"));
  return width && *width >= 1 && *width <= 32 ? static_cast<unsigned>(*width) : kMostLanes;
}

}  // namespace fathom::pmu
