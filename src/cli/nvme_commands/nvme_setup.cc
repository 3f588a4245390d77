// `fathom nvme setup`: reserves huge pages and prints the change, then lists what this machine lacks for a user-space
// driver. It changes nothing else: modules and the kernel's command line are the administrator's decision.
#include <fmt/format.h>

#include "cli/manuals.h"
#include "cli/nvme_commands/nvme_command.h"
#include "cli/subcommand.h"
#include "nvme/pci/controllers.h"
#include "nvme/pci/setup.h"
#include "options/rows.h"

namespace fathom::cli::nvme_commands {
namespace {

constexpr std::uint64_t kPageMib = 2;

struct AskedSetup {
  std::uint64_t mib = 256;
  int node = -1;
};

constexpr options::Row kSetupRows[] = {
    options::count<&AskedSetup::mib>(
        {"huge=MIB", "at least 256", "reserve exactly MIB in huge pages of 2 MiB; 0 frees all"}, 0, 1u << 24),
    options::count<&AskedSetup::node>(
        {"node=N", "", "reserve on this NUMA node (`fathom nvme list` shows that of the device)"}, 0, 1023),
    options::noted({"check", "", "change nothing; print the state"}),
};
constexpr options::Group kSetupOptions[] = {{"", kSetupRows}};
constexpr Manual kSetupManual{
    "fathom nvme setup", "[--huge=MIB] [--node=N] [--check]",
    "Prepares the machine for a user-space driver: reserves huge pages for rings and buffers. Prints what it changed,\n"
    "and what vfio-pci lacks. The emulated controller needs no setup.\n",
    kSetupOptions};

std::string pages_text(const nvme::pci::HugePages& pages) {
  std::string out = pages.before == pages.after ? fmt::format("unchanged: {} huge pages of 2 MiB, {} free ({})\n",
                                                              pages.after, pages.free, pages.file)
                                                : fmt::format("changed: {}: {} -> {} huge pages of 2 MiB, {} free\n",
                                                              pages.file, pages.before, pages.after, pages.free);
  if (!pages.shortfall.empty()) out += "short: " + pages.shortfall + "\n";
  return out;
}

std::string vfio_text(const nvme::pci::VfioState& state) {
  std::string out;
  out += state.iommu_groups > 0 ? fmt::format("IOMMU: on, {} groups\n", state.iommu_groups)
                                : std::string(
                                      "IOMMU: not in use by the kernel. Enable it in the firmware, and with "
                                      "intel_iommu=on (Intel) on the kernel command line\n");
  out += state.driver_loaded ? "vfio-pci: loaded\n" : "vfio-pci: not loaded; modprobe vfio-pci\n";
  return out;
}

base::Expected<nvme::pci::HugePages> arrange_pages(nvme::pci::Sysfs& sysfs, const Given& given,
                                                   const AskedSetup& asked) {
  const auto there = nvme::pci::huge_pages(sysfs, asked.node);
  if (given.has("check")) return there;
  const auto wanted = (asked.mib + kPageMib - 1) / kPageMib;
  const bool enough = !given.has("huge") && there.before >= wanted;
  return enough ? there : nvme::pci::reserve_huge_pages(sysfs, asked.node, wanted);
}

base::Expected<std::string> setup(const Given& given, const AskedSetup& asked) {
  if (!given.arguments.empty()) return usage_error("`" + given.arguments[0] + "`: setup takes no arguments", "", "");
  nvme::pci::Sysfs sysfs;
  const auto pages = arrange_pages(sysfs, given, asked);
  if (!pages) return pages.error();
  return pages_text(*pages) + vfio_text(nvme::pci::vfio_state(sysfs));
}

}  // namespace

const Manual& nvme_setup_manual() { return kSetupManual; }

int nvme_setup_command(std::span<const std::string> args) { return with_options(kSetupManual, args, setup); }

}  // namespace fathom::cli::nvme_commands
