// driver_override names the only driver that may bind a function; drivers_probe makes the kernel search for one
// (Documentation/ABI/testing/sysfs-bus-pci). Unlike new_id, this affects one function, and no other one of the same
// model.
#include "nvme/pci/binding.h"

#include <fcntl.h>

#include <cerrno>
#include <utility>

#include "base/system/fd.h"
#include "nvme/pci/controllers.h"

namespace fathom::nvme::pci {
namespace {

class Move {
 public:
  Move(Sysfs& sysfs, const Controller& controller)
      : sysfs_(sysfs), address_(controller.address), folder_(kDevices + address_), before_(controller) {}

  // Binds the function to this driver. override_text: the value of driver_override during and after the change.
  base::Expected<Binding> to(const std::string& driver, const std::string& override_text) {
    const base::Error failed = carry_out(driver, override_text);
    if (failed.what.empty()) return report();
    restore();
    return failed;
  }

 private:
  // Returns an Error without text on success.
  base::Error carry_out(const std::string& driver, const std::string& override_text) {
    if (const int error = set_override(override_text)) return refused_write("driver_override", error);
    if (!before_.driver.empty())
      if (const int error = sysfs_.write(folder_ + "/driver/unbind", address_)) return refused_write("unbind", error);
    if (const int error = sysfs_.write("/sys/bus/pci/drivers_probe", address_)) return refused_write("probe", error);
    const std::string now = sysfs_.link_name(folder_ + "/driver");
    if (now == driver) return {};
    return {.kind = base::ErrorKind::io,
            .what = address_ + ": the kernel did not bind the device to the driver " + driver,
            .cause = now.empty() ? "no driver is bound to the device" : "the driver " + now + " has it",
            .help = "look for the cause in the last lines of dmesg",
            .place = {}};
  }

  int set_override(const std::string& text) {
    return sysfs_.write(folder_ + "/driver_override", text.empty() ? "\n" : text);
  }

  base::Error refused_write(const std::string& step, int error) const {
    return write_error(address_ + ": " + step, folder_, error);
  }

  void restore() {
    set_override(before_.driver_override);
    if (!before_.driver.empty() && sysfs_.link_name(folder_ + "/driver").empty())
      sysfs_.write("/sys/bus/pci/drivers_probe", address_);
  }

  Binding report() const {
    const std::string driver = sysfs_.link_name(folder_ + "/driver");
    std::string now = sysfs_.line(folder_ + "/driver_override");
    if (now == "(null)") now.clear();
    Binding done{.driver = driver, .changes = {}};
    const auto note = [&done](const std::string& what, const std::string& was, const std::string& is) {
      const auto shown = [](const std::string& text) { return text.empty() ? std::string("none") : text; };
      if (was != is) done.changes.push_back(what + ": " + shown(was) + " -> " + shown(is));
    };
    note("driver", before_.driver, driver);
    note("driver_override", before_.driver_override, now);
    return done;
  }

  Sysfs& sysfs_;
  std::string address_, folder_;
  Controller before_;
};

base::Error other_driver(const Controller& controller) {
  return {.kind = base::ErrorKind::refused,
          .what = controller.address + ": the driver " + controller.driver + " has it",
          .cause = "only a controller bound to the kernel's nvme driver, to vfio-pci or to no driver is rebound",
          .help = "first unbind it from that driver: echo " + controller.address + " > " + kDrivers +
                  controller.driver + "/unbind",
          .place = {}};
}

bool is_movable(const Controller& controller) {
  return controller.driver.empty() || controller.driver == kKernelDriver || controller.driver == kVfioDriver;
}

// The kernel would wait for a process that has the device open, without a limit and ignoring signals.
bool held_open(const Sysfs& sysfs, const Controller& controller) {
  if (controller.iommu_group.empty()) return false;
  const base::system::UniqueFd group(
      ::open(sysfs.path("/dev/vfio/" + controller.iommu_group).c_str(), O_RDWR | O_CLOEXEC));
  return !group && errno == EBUSY;
}

}  // namespace

base::Expected<Binding> bind_controller(Sysfs& sysfs, const std::string& address) {
  const base::Expected<Controller> found = find_controller(sysfs, address);
  if (!found) return found.error();
  if (!is_movable(*found)) return other_driver(*found);
  if (found->iommu_group.empty()) return no_iommu_group(address);
  if (!sysfs.exists(std::string(kDrivers) + kVfioDriver))
    return base::Error{.kind = base::ErrorKind::privilege,
                       .what = address + ": the driver vfio-pci is not loaded",
                       .cause = std::string(kDrivers) + kVfioDriver + " does not exist",
                       .help = "load the module: modprobe vfio-pci",
                       .place = {}};
  const std::vector<std::string> blockers = group_blockers(sysfs, *found);
  if (!blockers.empty()) return group_not_viable(*found, blockers);
  if (found->driver == kVfioDriver) return Binding{.driver = kVfioDriver, .changes = {}};
  return Move(sysfs, *found).to(kVfioDriver, kVfioDriver);
}

base::Expected<Binding> unbind_controller(Sysfs& sysfs, const std::string& address) {
  const base::Expected<Controller> found = find_controller(sysfs, address);
  if (!found) return found.error();
  if (!is_movable(*found)) return other_driver(*found);
  if (found->driver == kKernelDriver) return Binding{.driver = kKernelDriver, .changes = {}};
  if (held_open(sysfs, *found))
    return base::Error{.kind = base::ErrorKind::refused,
                       .what = address + ": a process has the device open",
                       .cause = "/dev/vfio/" + found->iommu_group + " is in use",
                       .help = "end that program first; fuser /dev/vfio/" + found->iommu_group + " names it",
                       .place = {}};
  return Move(sysfs, *found).to(kKernelDriver, "");
}

}  // namespace fathom::nvme::pci
