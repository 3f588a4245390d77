// The length of each log page, and the conversion of its bytes to entries.
#include "session/controllers/log_pages.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "session/controllers/nvme_fields.h"

namespace fathom::session::controllers {
namespace {

using nvme::LogPage;

template <class Wire>
Wire wire_of(std::span<const std::byte> bytes) {
  Wire wire;
  std::memcpy(&wire, bytes.data(), sizeof wire);
  return wire;
}

std::vector<Fields> smart_entries(std::span<const std::byte> page) {
  return {smart_fields(wire_of<nvme::SmartLog>(page))};
}

// An unwritten entry has count 0.
std::vector<Fields> error_entries(std::span<const std::byte> page) {
  std::vector<Fields> entries;
  for (std::size_t at = 0; at + sizeof(nvme::ErrorLogEntry) <= page.size(); at += sizeof(nvme::ErrorLogEntry)) {
    const auto entry = wire_of<nvme::ErrorLogEntry>(page.subspan(at));
    if (entry.error_count != 0) entries.push_back(error_fields(entry));
  }
  return entries;
}

std::vector<Fields> firmware_entries(std::span<const std::byte> page) {
  return {firmware_fields(wire_of<nvme::FirmwareLog>(page))};
}

std::vector<Fields> changed_entries(std::span<const std::byte> page) {
  std::vector<Fields> entries;
  for (auto& field : changed_namespace_fields(wire_of<nvme::ChangedNamespaces>(page)))
    entries.push_back({std::move(field)});
  return entries;
}

constexpr std::size_t kErrorEntriesMost = 64;

constexpr LogRow kRows[] = {
    {"error", LogPage::error_information, kErrorEntriesMost * sizeof(nvme::ErrorLogEntry), error_entries},
    {"smart", LogPage::smart, sizeof(nvme::SmartLog), smart_entries},
    {"firmware", LogPage::firmware_slots, sizeof(nvme::FirmwareLog), firmware_entries},
    {"changed-ns", LogPage::changed_namespaces, sizeof(nvme::ChangedNamespaces), changed_entries},
};

// The controller reports the number of entries in its error log: ELPE is that number minus one.
std::size_t page_bytes(const LogRow& row, const nvme::Controller& controller) {
  if (row.page != LogPage::error_information) return row.bytes;
  return std::min<std::size_t>(controller.identify().elpe + 1u, kErrorEntriesMost) * sizeof(nvme::ErrorLogEntry);
}

}  // namespace

std::span<const LogRow> log_rows() { return kRows; }

base::Expected<std::vector<std::byte>> read_log_page(nvme::Controller& controller, const LogRow& row) {
  std::vector<std::byte> page(page_bytes(row, controller));
  constexpr std::uint32_t kController = 0xffffffff;
  if (auto ok = controller.log_page(static_cast<std::uint8_t>(row.page), kController, page); !ok) return ok.error();
  return page;
}

}  // namespace fathom::session::controllers
