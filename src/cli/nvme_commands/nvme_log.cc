// `fathom nvme log`: the log pages that the specification makes mandatory, and the list of changed namespaces. A row a
// page: how long it is, and how its bytes become entries.
#include <algorithm>
#include <cstring>

#include "cli/manuals.h"
#include "cli/nvme_commands/nvme_command.h"
#include "cli/nvme_commands/nvme_device.h"
#include "cli/nvme_commands/nvme_fields.h"
#include "report/formats.h"

namespace fathom::cli::nvme_commands {
namespace {

using nvme::LogPage;

constexpr options::Row kFlags[] = {nvme_commands::kDeviceRow, options::noted({"json", "", "print JSON"}),
                                   options::noted({"raw", "", "write the page's bytes as the device gave them"})};
constexpr options::Group kOptions[] = {{"", kFlags}};
constexpr Manual kManual{
    "fathom nvme log", "PAGE --device=DEV [--json | --raw]",
    "Pages: error (failed commands, newest first), smart (health), firmware (slots and revisions),\n"
    "changed-ns (namespaces that changed since it was last read; reading clears it).\n",
    kOptions};

template <class Wire>
Wire wire_of(std::span<const std::byte> bytes) {
  Wire wire;
  std::memcpy(&wire, bytes.data(), sizeof wire);
  return wire;
}

std::vector<nvme_commands::Fields> smart_entries(std::span<const std::byte> page) {
  return {nvme_commands::smart_fields(wire_of<nvme::SmartLog>(page))};
}

// An entry that was never written has no count.
std::vector<nvme_commands::Fields> error_entries(std::span<const std::byte> page) {
  std::vector<nvme_commands::Fields> entries;
  for (std::size_t at = 0; at + sizeof(nvme::ErrorLogEntry) <= page.size(); at += sizeof(nvme::ErrorLogEntry)) {
    const auto entry = wire_of<nvme::ErrorLogEntry>(page.subspan(at));
    if (entry.error_count != 0) entries.push_back(nvme_commands::error_fields(entry));
  }
  return entries;
}

std::vector<nvme_commands::Fields> firmware_entries(std::span<const std::byte> page) {
  return {nvme_commands::firmware_fields(wire_of<nvme::FirmwareLog>(page))};
}

std::vector<nvme_commands::Fields> changed_entries(std::span<const std::byte> page) {
  std::vector<nvme_commands::Fields> entries;
  for (auto& field : nvme_commands::changed_namespace_fields(wire_of<nvme::ChangedNamespaces>(page)))
    entries.push_back({std::move(field)});
  return entries;
}

constexpr std::size_t kErrorEntriesMost = 64;

struct Row {
  std::string_view name;
  LogPage page;
  std::size_t bytes;
  std::vector<nvme_commands::Fields> (*entries)(std::span<const std::byte>);
};
constexpr Row kRows[] = {
    {"error", LogPage::error_information, kErrorEntriesMost * sizeof(nvme::ErrorLogEntry), error_entries},
    {"smart", LogPage::smart, sizeof(nvme::SmartLog), smart_entries},
    {"firmware", LogPage::firmware_slots, sizeof(nvme::FirmwareLog), firmware_entries},
    {"changed-ns", LogPage::changed_namespaces, sizeof(nvme::ChangedNamespaces), changed_entries},
};

// The error log has as many entries as the controller says (ELPE, less one).
std::size_t page_bytes(const Row& row, const nvme::Controller& controller) {
  if (row.page != LogPage::error_information) return row.bytes;
  return std::min<std::size_t>(controller.identify().elpe + 1u, kErrorEntriesMost) * sizeof(nvme::ErrorLogEntry);
}

base::Expected<std::string> read_page(const Row& row, const Given& given) {
  auto device = nvme_commands::open_device(given);
  if (!device) return device.error();
  std::vector<std::byte> page(page_bytes(row, *device->controller));
  constexpr std::uint32_t kController = 0xffffffff;
  if (auto ok = device->controller->log_page(static_cast<std::uint8_t>(row.page), kController, page); !ok)
    return ok.error();
  if (given.has("raw")) return std::string(reinterpret_cast<const char*>(page.data()), page.size());
  const result::NvmeLog found{device->address.controller(), std::string(row.name), row.entries(page)};
  return given.has("json") ? report::nvme_log_json(found) : report::nvme_log_text(found);
}

base::Expected<std::string> log(const Given& given) {
  Given rest = given;
  for (const auto& row : kRows) {
    const auto word = std::find(rest.arguments.begin(), rest.arguments.end(), row.name);
    if (word == rest.arguments.end()) continue;
    rest.arguments.erase(word);
    return read_page(row, rest);
  }
  return usage_error(given.arguments.empty() ? "which page?" : "no log page `" + given.arguments[0] + "`", "",
                     "one of: error, smart, firmware, changed-ns");
}

}  // namespace

const Manual& nvme_log_manual() { return kManual; }

int nvme_log_command(std::span<const std::string> args) { return with_options(kManual, args, log); }

}  // namespace fathom::cli::nvme_commands
