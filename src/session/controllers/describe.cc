// Value by value, from /sys, the guard and the device.
#include "session/controllers/describe.h"

#include <utility>

#include "host/guards/guard.h"
#include "nvme/pci/controllers.h"
#include "session/controllers/namespace_use.h"
#include "session/controllers/nvme_fields.h"

namespace fathom::session::controllers {
namespace {

result::NvmeListed listed(const nvme::pci::Controller& c) {
  result::NvmeListed one{c.address,   c.vendor,      c.device, c.driver, c.driver_override, c.iommu_group,
                         c.numa_node, c.kernel_name, c.model,  c.serial, c.firmware,        {}};
  for (const auto& ns : c.namespaces)
    one.namespaces.push_back({ns.nsid, ns.block, ns.character, ns.size_bytes, ns.block_bytes,
                              use_text(host::guards::device_use("/dev/" + ns.block))});
  return one;
}

// A namespace that the driver cannot use is listed too, with the reason.
void add_namespaces(nvme::Controller& controller, result::NvmeIdentify& id) {
  id.namespaces.emplace();
  for (const auto nsid : controller.namespaces()) {
    if (const auto ns = controller.open_namespace(nsid))
      id.namespaces->push_back({nsid, ns->bytes(), ns->block_bytes});
    else
      id.unusable.push_back({nsid, ns.error().what});
  }
}

}  // namespace

result::NvmeList list_controllers() {
  result::NvmeList list;
  const nvme::pci::Sysfs sysfs;
  for (const auto& controller : nvme::pci::list_controllers(sysfs)) list.controllers.push_back(listed(controller));
  return list;
}

result::NvmeIdentify describe(nvme::Controller& controller, std::string name) {
  result::NvmeIdentify id{std::move(name), id_ctrl_fields(controller.identify()), {}, {}};
  add_namespaces(controller, id);
  return id;
}

}  // namespace fathom::session::controllers
