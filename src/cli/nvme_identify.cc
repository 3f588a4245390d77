// `fathom nvme identify`: nvme-cli's id-ctrl and id-ns in one, over any transport.
#include <fmt/format.h>

#include <cstring>

#include "base/unit_text.h"
#include "cli/manuals.h"
#include "cli/nvme_command.h"
#include "cli/nvme_device.h"
#include "cli/nvme_fields.h"

namespace fathom::cli {
namespace {

struct Asked {
  std::uint32_t nsid = 0;  // 0: the controller
};

constexpr options::Row kRows[] = {
    kDeviceRow,
    options::count<&Asked::nsid>(
        {"namespace=N", "", "this namespace, as in DEV/ns=N; without it the controller and a line for each namespace"},
        1, 0xfffffffe),
    options::noted({"json", "", "print JSON"}),
    options::noted({"raw", "", "write the 4096 bytes as the device gave them"}),
};
constexpr options::Group kOptions[] = {{"", kRows}};
constexpr Manual kManual{"fathom nvme identify", "--device=DEV [--namespace=N] [--json | --raw]",
                         "What a controller or a namespace says of itself, under the names that the specification and\n"
                         "nvme-cli use.\n",
                         kOptions};

template <class Wire>
std::string raw(const Wire& wire) {
  static_assert(sizeof(Wire) == 4096);
  return {reinterpret_cast<const char*>(&wire), sizeof wire};
}

std::string json(const std::string& device, const Fields& fields, const std::vector<nvme::Namespace>* namespaces) {
  report::JsonWriter w;
  w.begin_object();
  w.field("device", device);
  write_fields(w, fields);
  if (namespaces != nullptr) {
    w.begin_array("namespaces");
    for (const auto& ns : *namespaces) {
      w.begin_object();
      w.field("nsid", ns.nsid);
      w.field("size_bytes", ns.bytes());
      w.field("block_bytes", ns.block_bytes);
      w.end_object();
    }
    w.end_array();
  }
  w.end_object();
  return w.take();
}

// A namespace that the driver cannot use is named all the same, with what it is not built for.
std::string namespace_lines(nvme::Controller& controller, std::vector<nvme::Namespace>& usable) {
  std::string out;
  for (const auto nsid : controller.namespaces()) {
    const auto ns = controller.open_namespace(nsid);
    if (ns) usable.push_back(*ns);
    out += ns ? fmt::format("namespace {} : {} blocks of {} bytes, {}\n", nsid, ns->blocks, ns->block_bytes,
                            base::gib_words(ns->bytes()))
              : fmt::format("namespace {} : {}\n", nsid, ns.error().what);
  }
  return out;
}

base::Expected<std::string> namespace_text(const Given& given, OpenDevice& device, std::uint32_t nsid) {
  const auto id = device.controller->identify_namespace(nsid);
  if (!id) return id.error();
  if (given.has("raw")) return raw(*id);
  const auto fields = id_ns_fields(*id);
  device.address.nsid = nsid;
  return given.has("json") ? json(device.address.text(), fields, nullptr) : fields_text(fields);
}

base::Expected<std::string> identify(const Given& given, const Asked& asked) {
  auto device = open_device(given);
  if (!device) return device.error();
  if (asked.nsid != 0) return namespace_text(given, *device, asked.nsid);
  if (names_a_namespace(given)) return namespace_text(given, *device, device->address.nsid);
  auto& controller = *device->controller;
  if (given.has("raw")) return raw(controller.identify());
  const auto fields = id_ctrl_fields(controller.identify());
  std::vector<nvme::Namespace> namespaces;
  const std::string lines = namespace_lines(controller, namespaces);
  if (given.has("json")) return json(device->address.controller(), fields, &namespaces);
  return fields_text(fields) + lines;
}

}  // namespace

const Manual& nvme_identify_manual() { return kManual; }

int nvme_identify_command(std::span<const std::string> args) { return with_options(kManual, args, identify); }

}  // namespace fathom::cli
