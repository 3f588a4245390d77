// Ports and endpoints come from the real paths of /sys/bus/pci/devices. The first function below a host bridge is the
// root port (or an endpoint integrated into the root complex). Bridges below it (switches, PCIe to PCI) only forward
// transactions. So their endpoints share the port and its counters.
#include "host/pci/pci_tree.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>

#include "base/text/parse.h"
#include "host/pci/pci_tree_walk.h"
#include "host/proc/text_file.h"

namespace fathom::host::pci {
namespace {

constexpr std::uint32_t kBridgeBase = 0x06;  // base class of every bridge: host, ISA, PCI to PCI ...

template <class T>
bool hex(std::string_view text, std::size_t most_digits, T& value) {
  if (text.empty() || text.size() > most_digits) return false;
  const auto end = text.data() + text.size();
  const auto [at, error] = std::from_chars(text.data(), end, value, 16);
  return error == std::errc() && at == end;
}

int numa_node(const std::string& folder) {
  const auto node = base::text::parse_int(proc::read_line(folder + "/numa_node"));
  return node && *node >= 0 ? static_cast<int>(*node) : -1;
}

std::string driver_of(const std::string& folder) {
  std::error_code ec;
  const auto link = std::filesystem::read_symlink(folder + "/driver", ec);
  return ec ? std::string() : link.filename().string();
}

// Disks stacked on others (dm, md), and hidden ones (a path of native multipath), do not belong to one function.
std::multimap<PciAddress, std::string> disks_by_function(const std::string& prefix) {
  std::multimap<PciAddress, std::string> disks;
  const std::string all = prefix + "/sys/class/block/";
  for (const auto& name : proc::list_names(all)) {
    const std::string folder = all + name;
    if (proc::read_line(folder + "/hidden") == "1" || !proc::read_text(folder + "/partition", 8).empty()) continue;
    for (const auto& carrier : carriers(name, prefix)) {
      if (const auto chain = pci_chain(carrier); !chain.empty()) disks.emplace(chain.back(), name);
    }
  }
  return disks;
}

PciFunction read_function(const PciAddress& address, const std::string& prefix,
                          const std::multimap<PciAddress, std::string>& disks) {
  const std::string folder = function_folder(address, prefix);
  PciFunction f;
  f.address = address;
  f.class_code = read_hex(folder + "/class");
  f.vendor = static_cast<std::uint16_t>(read_hex(folder + "/vendor"));
  f.device = static_cast<std::uint16_t>(read_hex(folder + "/device"));
  f.driver = driver_of(folder);
  const auto [first, last] = disks.equal_range(address);
  for (auto at = first; at != last; ++at) f.block_devices.push_back(at->second);
  return f;
}

RootPort& port_at(std::vector<RootPort>& ports, const PciAddress& address, const std::string& prefix) {
  const auto found =
      std::find_if(ports.begin(), ports.end(), [&](const RootPort& port) { return port.address == address; });
  if (found != ports.end()) return *found;
  RootPort port;
  port.address = address;
  port.link = read_link(address, prefix).link;
  port.numa_node = numa_node(function_folder(address, prefix));
  ports.push_back(std::move(port));
  return ports.back();
}

}  // namespace

std::optional<PciAddress> parse_pci_address(std::string_view text) {
  PciAddress a;
  const std::size_t dot = text.rfind('.');
  if (dot == std::string_view::npos) return std::nullopt;
  const std::string_view front = text.substr(0, dot);
  const std::size_t second = front.rfind(':');
  if (second == std::string_view::npos) return std::nullopt;
  const std::size_t first = second == 0 ? std::string_view::npos : front.rfind(':', second - 1);
  const std::size_t bus_at = first == std::string_view::npos ? 0 : first + 1;
  if (first != std::string_view::npos && !hex(front.substr(0, first), 8, a.domain)) return std::nullopt;
  if (!hex(front.substr(bus_at, second - bus_at), 2, a.bus) || !hex(front.substr(second + 1), 2, a.device) ||
      !hex(text.substr(dot + 1), 1, a.function) || a.device > 31 || a.function > 7) {
    return std::nullopt;
  }
  return a;
}

std::string to_string(const PciAddress& a) {
  return fmt::format("{:04x}:{:02x}:{:02x}.{:x}", a.domain, a.bus, a.device, a.function);
}

std::string six_digits(const PciAddress& a) { return fmt::format("{:02x}{:02x}{:02x}", a.bus, a.device, a.function); }

std::vector<RootPort> root_ports(const std::string& prefix) {
  std::vector<RootPort> ports;
  const auto disks = disks_by_function(prefix);
  const std::string devices = prefix + "/sys/bus/pci/devices";
  for (const auto& name : proc::list_names(devices)) {
    const auto chain = pci_chain(real_path(fmt::format("{}/{}", devices, name)));
    if (chain.empty()) continue;
    const PciFunction function = read_function(chain.back(), prefix, disks);
    const bool integrated = chain.size() == 1 && !is_bridge(function.class_code);
    if (integrated && function.class_code >> 16 == kBridgeBase) continue;
    RootPort& port = port_at(ports, chain.front(), prefix);
    port.integrated = integrated;
    if (!is_bridge(function.class_code)) port.behind.push_back(function);
  }
  std::sort(ports.begin(), ports.end(), [](const RootPort& a, const RootPort& b) { return a.address < b.address; });
  return ports;
}

}  // namespace fathom::host::pci
