// The PCI side against a kernel's real /sys: list, bind, unbind, and what they refuse.

#include "guest/checks.h"
#include "nvme/open.h"
#include "nvme/pci/binding.h"
#include "nvme/pci/controllers.h"
#include "nvme/pci/setup.h"

namespace fathom::guest {

using nvme::pci::Binding;
using nvme::pci::Controller;
using nvme::pci::Sysfs;

int list_controllers(const std::string&) {
  for (const Controller& c : nvme::pci::list_controllers(Sysfs())) {
    std::printf("controller %s %04x:%04x driver=%s group=%s model=%s serial=%s\n", c.address.c_str(), c.vendor,
                c.device, c.driver.c_str(), c.iommu_group.c_str(), c.model.c_str(), c.serial.c_str());
    for (const nvme::pci::KernelNamespace& ns : c.namespaces)
      std::printf("namespace %s/%u %s %s %llu %u\n", c.address.c_str(), ns.nsid, ns.block.c_str(), ns.character.c_str(),
                  static_cast<unsigned long long>(ns.size_bytes), ns.block_bytes);
  }
  return 0;
}

namespace {

int moved(const char* name, const base::Expected<Binding>& done, const std::string& driver) {
  if (!done) return result(name, false, text_of(done.error())) ? 0 : 1;
  for (const std::string& change : done->changes) std::printf("changed %s\n", change.c_str());
  return result(name, done->driver == driver, done->driver) ? 0 : 1;
}

}  // namespace

int bind_controller(const std::string& address) {
  Sysfs sysfs;
  return moved("bind", nvme::pci::bind_controller(sysfs, address), "vfio-pci");
}

int unbind_controller(const std::string& address) {
  Sysfs sysfs;
  return moved("unbind", nvme::pci::unbind_controller(sysfs, address), "nvme");
}

// Before anything is bound: what must be refused, each with its kind.
int check_refusals(const std::string& address) {
  Sysfs sysfs;
  const auto refused = [&](const char* name, const std::string& at, base::ErrorKind kind, const std::string& words) {
    const base::Expected<Binding> done = nvme::pci::bind_controller(sysfs, at);
    const bool good = !done && done.error().kind == kind && text_of(done.error()).find(words) != std::string::npos;
    result(name, good, done ? "it was bound" : text_of(done.error()));
  };
  refused("wrong_address", "0000:77:00.0", base::ErrorKind::usage, address);
  refused("not_nvme", "0000:00:1f.2", base::ErrorKind::usage, "0x010601");
  const auto opened = nvme::vfio::open_transport({.kind = nvme::TransportKind::vfio, .where = address, .nsid = 1});
  result("not_bound", !opened && opened.error().kind == base::ErrorKind::refused,
         opened ? "opened" : text_of(opened.error()));
  const nvme::pci::VfioState state = nvme::pci::vfio_state(sysfs);
  result("vfio_state", state.driver_loaded && state.type1_loaded && state.iommu_groups >= 4,
         std::to_string(state.iommu_groups) + " groups");
  const auto pages = nvme::pci::reserve_huge_pages(sysfs, 0, 24);
  result("huge_pages", pages.ok() && pages->before == 0 && pages->after == 24 && pages->shortfall.empty(),
         pages ? std::to_string(pages->after) : text_of(pages.error()));
  const auto too_many = nvme::pci::reserve_huge_pages(sysfs, -1, 100000);
  result("huge_pages_shortfall", too_many.ok() && too_many->after < 100000 && !too_many->shortfall.empty(),
         too_many ? too_many->shortfall : text_of(too_many.error()));
  const auto back = nvme::pci::reserve_huge_pages(sysfs, 0, 24);
  result("huge_pages_given_back", back.ok() && back->after == 24, back ? std::to_string(back->after) : "");
  return 0;
}

}  // namespace fathom::guest
