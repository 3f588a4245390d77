// With native multipath (drivers/nvme/host/multipath.c), the disk nvme0n1 is under the virtual nvme-subsystem. Each
// controller with a path to it has a hidden disk nvme0c<controller>n1 in its directory.
#include "host/pci/pci_tree_walk.h"

#include <charconv>
#include <filesystem>

#include "host/proc/text_file.h"

namespace fathom::host::pci {
namespace {

constexpr std::uint32_t kPciToPci = 0x0604, kSemiTransparent = 0x0609;

// "pci0000:00": the directory of a host bridge.
bool is_host_bridge(std::string_view part) {
  return part.starts_with("pci") && part.find(':') != std::string_view::npos &&
         part.find('.') == std::string_view::npos;
}

// True if `path` is a hidden path of `disk`: nvme0c3n1 of nvme0n1.
bool is_path_of(std::string_view path, std::string_view disk) {
  const std::size_t n = disk.rfind('n');
  if (n == std::string_view::npos || n == 0) return false;
  const std::string_view head = disk.substr(0, n), tail = disk.substr(n);
  if (!path.starts_with(head) || !path.ends_with(tail) || path.size() < head.size() + tail.size() + 2) return false;
  const std::string_view middle = path.substr(head.size(), path.size() - head.size() - tail.size());
  return middle[0] == 'c' && middle.substr(1).find_first_not_of("0123456789") == std::string_view::npos;
}

std::vector<std::string> multipath_controllers(const std::string& disk, const std::string& prefix) {
  std::vector<std::string> found;
  const std::string all = prefix + "/sys/class/nvme/";
  for (const auto& controller : proc::list_names(all)) {
    for (const auto& name : proc::list_names(all + controller)) {
      if (is_path_of(name, disk)) found.push_back(real_path(all + controller));
    }
  }
  return found;
}

}  // namespace

std::vector<PciAddress> pci_chain(const std::string& path) {
  std::vector<PciAddress> chain;
  for (const auto& part : std::filesystem::path(path)) {
    const std::string name = part.string();
    if (is_host_bridge(name)) chain.clear();
    if (const auto address = parse_pci_address(name); address && name.find(':') != name.rfind(':')) {
      chain.push_back(*address);
    }
  }
  return chain;
}

std::string function_folder(const PciAddress& address, const std::string& prefix) {
  return prefix + "/sys/bus/pci/devices/" + to_string(address);
}

std::string real_path(const std::string& path) {
  std::error_code ec;
  const auto real = std::filesystem::canonical(path, ec);
  return ec ? std::string() : real.string();
}

std::uint32_t read_hex(const std::string& path) {
  const std::string text = proc::read_line(path);
  std::uint32_t value = 0;
  if (text.starts_with("0x")) std::from_chars(text.data() + 2, text.data() + text.size(), value, 16);
  return value;
}

bool is_bridge(std::uint32_t class_code) {
  const std::uint32_t kind = class_code >> 8;
  return kind == kPciToPci || kind == kSemiTransparent;
}

std::vector<std::string> carriers(const std::string& disk, const std::string& prefix) {
  const std::string own = real_path(prefix + "/sys/class/block/" + disk);
  if (own.find("/nvme-subsystem/") != std::string::npos) return multipath_controllers(disk, prefix);
  return own.empty() ? std::vector<std::string>() : std::vector<std::string>{own};
}

}  // namespace fathom::host::pci
