// `fathom nvme identify`: nvme-cli's id-ctrl and id-ns in one, over any transport.
#include "cli/manuals.h"
#include "cli/nvme_commands/nvme_command.h"
#include "cli/nvme_commands/nvme_device.h"
#include "report/formats.h"
#include "session/controllers/describe.h"
#include "session/controllers/nvme_fields.h"

namespace fathom::cli::nvme_commands {
namespace {

struct AskedIdentify {
  std::uint32_t nsid = 0;  // 0: the controller
};

constexpr options::Row kIdentifyRows[] = {
    kDeviceRow,
    options::count<&AskedIdentify::nsid>(
        {"namespace=N", "", "print this namespace, as DEV/ns=N (default: the controller, and a line per namespace)"}, 1,
        0xfffffffe),
    options::noted({"json", "", "print JSON"}),
    options::noted({"raw", "", "write the 4096 bytes as read from the device"}),
};
constexpr options::Group kIdentifyOptions[] = {{"", kIdentifyRows}};
constexpr Manual kIdentifyManual{
    "fathom nvme identify", "--device=DEV [--namespace=N] [--json | --raw]",
    "Prints Identify data of a controller or a namespace, under the names of the specification and nvme-cli.\n",
    kIdentifyOptions};

template <class Wire>
std::string raw(const Wire& wire) {
  static_assert(sizeof(Wire) == 4096);
  return {reinterpret_cast<const char*>(&wire), sizeof wire};
}

std::string in_format(const Given& given, const result::NvmeIdentify& id) {
  return given.has("json") ? report::nvme_identify_json(id) : report::nvme_identify_text(id);
}

base::Expected<std::string> namespace_text(const Given& given, OpenDevice& device, std::uint32_t nsid) {
  const auto id = device.controller->identify_namespace(nsid);
  if (!id) return id.error();
  if (given.has("raw")) return raw(*id);
  device.address.nsid = nsid;
  return in_format(given, {device.address.text(), session::controllers::id_ns_fields(*id), {}, {}});
}

base::Expected<std::string> identify(const Given& given, const AskedIdentify& asked) {
  auto device = open_device(given);
  if (!device) return device.error();
  if (asked.nsid != 0) return namespace_text(given, *device, asked.nsid);
  if (names_a_namespace(given)) return namespace_text(given, *device, device->address.nsid);
  auto& controller = *device->controller;
  if (given.has("raw")) return raw(controller.identify());
  return in_format(given, session::controllers::describe(controller, device->address.controller()));
}

}  // namespace

const Manual& nvme_identify_manual() { return kIdentifyManual; }

int nvme_identify_command(std::span<const std::string> args) { return with_options(kIdentifyManual, args, identify); }

}  // namespace fathom::cli::nvme_commands
