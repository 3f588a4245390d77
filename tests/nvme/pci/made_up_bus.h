// A /sys in a folder, with a kernel behind it: writes to driver_override, unbind, drivers_probe and nr_hugepages have
// the effect that sysfs-bus-pci and hugetlbpage.rst give them, and any of them can be made to fail.
#pragma once
#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "host/temp_tree.h"
#include "nvme/pci/sysfs.h"

namespace fathom::nvme::pci::testing {

class MadeUpBus : public Sysfs {
 public:
  MadeUpBus() : MadeUpBus(std::make_shared<host::testing::TempTree>()) {}

  struct Function {
    std::string class_code = "0x010802", driver, group;
    std::string numa_node = "-1";
  };
  void add(const std::string& address, const Function& function) {
    const std::string folder = "/sys/bus/pci/devices/" + address;
    tree_->file(folder + "/vendor", "0x1b36\n");
    tree_->file(folder + "/device", "0x0010\n");
    tree_->file(folder + "/class", function.class_code + "\n");
    tree_->file(folder + "/driver_override", "(null)\n");
    tree_->file(folder + "/numa_node", function.numa_node + "\n");
    if (!function.driver.empty()) take(address, function.driver);
    if (function.group.empty()) return;
    tree_->link(folder + "/iommu_group", "../../../kernel/iommu_groups/" + function.group);
    tree_->file("/sys/kernel/iommu_groups/" + function.group + "/devices/" + address, "");
  }
  void load_driver(const std::string& name) { tree_->folder("/sys/bus/pci/drivers/" + name); }
  // A namespace as the nvme driver shows it; with multipath its folder has the name of the hidden path.
  void add_namespace(const std::string& address, const std::string& instance, const std::string& folder,
                     const std::string& disk, const std::string& size_sectors, const std::string& block) {
    const std::string controller = "/sys/bus/pci/devices/" + address + "/nvme/" + instance;
    tree_->file(controller + "/model", "Made Up Disk            \n");
    tree_->file(controller + "/serial", "S1\n");
    tree_->file(controller + "/firmware_rev", "1.0\n");
    tree_->folder(controller + "/" + folder);
    tree_->folder(controller + "/ng" + disk.substr(4));
    tree_->folder("/sys/class/nvme-generic/ng" + disk.substr(4));
    tree_->file("/sys/class/block/" + disk + "/nsid", disk.substr(disk.rfind('n') + 1) + "\n");
    tree_->file("/sys/class/block/" + disk + "/size", size_sectors + "\n");
    tree_->file("/sys/class/block/" + disk + "/queue/logical_block_size", block + "\n");
  }
  host::testing::TempTree& tree() { return *tree_; }

  int write(const std::string& inside, std::string_view text) override {
    writes.push_back(inside + " = " + std::string(text));
    for (const auto& [what, error] : fails)
      if (inside.ends_with(what)) return error;
    if (inside.ends_with("/driver_override")) return put(inside, text == "\n" ? "(null)" : text);
    if (inside.ends_with("/driver/unbind")) return leave(text);
    if (inside.ends_with("/drivers_probe")) return probe(text);
    if (inside.ends_with("/nr_hugepages")) return put(inside, std::to_string(std::min(number_of(text), pages_max)));
    return ENOENT;
  }

  std::map<std::string, int> fails;   // end of a file's name -> errno
  std::vector<std::string> refusing;  // drivers that do not take what the kernel offers them
  std::uint64_t pages_max = UINT64_MAX;
  std::vector<std::string> writes;

 private:
  explicit MadeUpBus(std::shared_ptr<host::testing::TempTree> tree) : Sysfs(tree->root()), tree_(std::move(tree)) {}
  static std::uint64_t number_of(std::string_view text) { return std::stoull(std::string(text)); }
  int put(const std::string& inside, std::string_view text) {
    tree_->file(inside, std::string(text) + "\n");
    return 0;
  }
  int take(const std::string& address, const std::string& driver) {
    tree_->link("/sys/bus/pci/devices/" + address + "/driver", "../../../bus/pci/drivers/" + driver);
    return 0;
  }
  int leave(std::string_view address) {
    return std::filesystem::remove(tree_->path("/sys/bus/pci/devices/" + std::string(address) + "/driver")) ? 0
                                                                                                            : ENODEV;
  }
  int probe(std::string_view function) {
    const std::string address(function);
    const std::string wanted = line("/sys/bus/pci/devices/" + address + "/driver_override");
    const std::string driver = wanted == "(null)" ? "nvme" : wanted;
    const bool refuses = std::find(refusing.begin(), refusing.end(), driver) != refusing.end();
    return refuses || !exists("/sys/bus/pci/drivers/" + driver) ? 0 : take(address, driver);
  }

  std::shared_ptr<host::testing::TempTree> tree_;
};

// Two controllers of the kernel's driver, each in a group of its own, and vfio-pci loaded.
inline void usual_machine(MadeUpBus& bus) {
  bus.load_driver("nvme");
  bus.load_driver("vfio-pci");
  bus.add("0000:01:00.0", {.driver = "nvme", .group = "7", .numa_node = "1"});
  bus.add("0000:02:00.0", {.driver = "nvme", .group = "8"});
  bus.add("0000:00:1f.0", {.class_code = "0x060100", .driver = "", .group = "3"});
}

}  // namespace fathom::nvme::pci::testing
