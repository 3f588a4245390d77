// The link as the kernel's PCI core shows it. The speed is "16.0 GT/s PCIe" (older kernels: "8 GT/s", "Unknown"). The
// width is a number of lanes (255 or 63: the device was removed). AER statistics are lines such as "BadTLP 0"
// (sysfs-bus-pci-devices-aer_stats).
#include <charconv>
#include <cstdlib>

#include "base/text/parse.h"
#include "host/pci/pci_tree.h"
#include "host/pci/pci_tree_walk.h"
#include "host/proc/proc_text.h"
#include "host/proc/text_file.h"

namespace fathom::host::pci {
namespace {

constexpr const char* kErrorFiles[] = {"aer_dev_correctable", "aer_dev_nonfatal", "aer_dev_fatal"};
constexpr int kMostLanes = 32;

double speed(const std::string& path) {
  const std::string line = proc::read_line(path);
  const auto value = base::text::parse_double(line.substr(0, line.find(' ')));
  return value && *value > 0 ? *value : 0;
}

int width(const std::string& path) {
  const auto lanes = base::text::parse_int(proc::read_line(path));
  return lanes && *lanes > 0 && *lanes <= kMostLanes ? static_cast<int>(*lanes) : 0;
}

// False: the file does not exist.
bool add_errors(const std::string& folder, const char* file, LinkState& state) {
  const std::string text = proc::read_text(folder + "/" + file, 1 << 16);
  for (const auto line : proc::split_lines(text)) {
    const auto fields = proc::split_fields(line);
    if (fields.size() != 2 || fields[0].starts_with("TOTAL_")) continue;
    std::uint64_t count = 0;
    std::from_chars(fields[1].data(), fields[1].data() + fields[1].size(), count);
    state.errors.emplace_back(std::string(file) + "/" + std::string(fields[0]), count);
  }
  return !text.empty();
}

}  // namespace

LinkState read_link(const PciAddress& address, const std::string& prefix) {
  const std::string folder = function_folder(address, prefix);
  LinkState state;
  state.link.speed_gts = speed(folder + "/current_link_speed");
  state.link.max_speed_gts = speed(folder + "/max_link_speed");
  state.link.width = width(folder + "/current_link_width");
  state.link.max_width = width(folder + "/max_link_width");
  state.readable = !proc::read_line(folder + "/current_link_speed").empty();
  for (const char* file : kErrorFiles) state.readable |= add_errors(folder, file, state);
  return state;
}

}  // namespace fathom::host::pci
