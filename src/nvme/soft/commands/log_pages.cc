// Get Log Page (NVM Express Base Specification 2.0c, section 5.16): error information, SMART, firmware slot, changed
// namespaces.
#include "nvme/soft/commands/log_pages.h"

#include <algorithm>
#include <cstring>

#include "nvme/soft/state.h"

namespace fathom::nvme::soft::commands {
namespace {

template <class T>
void put(std::vector<std::byte>& page, const T& value) {
  page.resize(sizeof value);
  std::memcpy(page.data(), &value, sizeof value);
}

void put_health(State& state) {
  Counters all = state.counters;
  for (const memory::SubmissionRing* sq : state.active) add_counts(all, *sq, state.shape.block_shift);
  constexpr std::uint64_t kUnit_bytes = 512'000;
  HealthPage page;
  page.critical_warning = state.temperature.crossed() ? kTemperatureWarning : 0;
  page.temperature_kelvin = kTemperature_kelvin;
  page.spare_percent = 100;
  page.spare_threshold_percent = 10;
  page.data_units_read[0] = (all.bytes_read + kUnit_bytes - 1) / kUnit_bytes;
  page.data_units_written[0] = (all.bytes_written + kUnit_bytes - 1) / kUnit_bytes;
  page.reads[0] = all.reads;
  page.writes[0] = all.writes;
  page.power_cycles[0] = 1;
  page.media_errors[0] = all.media_errors;
  page.error_entries[0] = state.errors.count();
  put(state.page, page);
}

void put_firmware(State& state) {
  state.page.assign(512, std::byte{0});
  state.page[0] = std::byte{1};  // slot 1 is active
  std::memcpy(state.page.data() + 8, "1.0     ", 8);
}

Status fill(State& state, LogPage page, std::uint32_t nsid) {
  const bool whole_controller = nsid == 0 || nsid == 0xffffffff;
  switch (page) {
    case LogPage::error:
      state.errors.write_to(state.page);
      break;
    case LogPage::health:
      if (!whole_controller) return kInvalidField;
      put_health(state);
      break;
    case LogPage::firmware_slot:
      put_firmware(state);
      break;
    case LogPage::changed_namespaces:
      state.changed.write_to(state.page);
      break;
    default:
      return kInvalidLogPage;
  }
  return kSuccess;
}

}  // namespace

void ErrorLog::add(ErrorEntry entry) {
  entry.count = ++count_;
  entries_[(count_ - 1) % kEntries] = entry;
}

void ErrorLog::write_to(std::vector<std::byte>& page) const {
  page.assign(kEntries * sizeof(ErrorEntry), std::byte{0});
  const std::uint64_t kept = std::min<std::uint64_t>(count_, kEntries);
  for (std::uint64_t i = 0; i < kept; ++i)
    std::memcpy(page.data() + i * sizeof(ErrorEntry), &entries_[(count_ - 1 - i) % kEntries], sizeof(ErrorEntry));
}

void ChangedNamespaces::add(std::uint32_t nsid) {
  const auto at = std::lower_bound(changed_.begin(), changed_.end(), nsid);
  if (at == changed_.end() || *at != nsid) changed_.insert(at, nsid);
}

void ChangedNamespaces::write_to(std::vector<std::byte>& page) const {
  std::array<std::uint32_t, kMost> list{};
  if (changed_.size() > kMost)
    list[0] = 0xffffffff;
  else
    std::copy(changed_.begin(), changed_.end(), list.begin());
  put(page, list);
}

}  // namespace fathom::nvme::soft::commands

namespace fathom::nvme::soft {

using namespace commands;

void add_counts(Counters& counters, const memory::SubmissionRing& sq, unsigned block_shift) {
  counters.reads += sq.commands - sq.writes;
  counters.writes += sq.writes;
  counters.bytes_read += (sq.blocks - sq.blocks_written) << block_shift;
  counters.bytes_written += sq.blocks_written << block_shift;
}

Outcome get_log_page(State& state, const Command& command) {
  const auto id = static_cast<std::uint8_t>(command.cdw10);
  const bool retain = (command.cdw10 >> 15) & 1;
  const std::uint64_t dwords = ((command.cdw10 >> 16) | (std::uint64_t{command.cdw11 & 0xffff} << 16)) + 1;
  const std::uint64_t offset = command.cdw12 | std::uint64_t{command.cdw13} << 32;
  if (const Status status = fill(state, static_cast<LogPage>(id), command.nsid); status != kSuccess) return {status};
  if (offset % 4 != 0 || offset > state.page.size()) return {kInvalidField};
  state.page.erase(state.page.begin(), state.page.begin() + static_cast<std::ptrdiff_t>(offset));
  if (const Status status = give(state, command, dwords * 4); status != kSuccess) return {status};
  if (!retain) state.events.unmask(id);
  if (!retain && static_cast<LogPage>(id) == LogPage::changed_namespaces) state.changed.clear();
  return {};
}

}  // namespace fathom::nvme::soft
