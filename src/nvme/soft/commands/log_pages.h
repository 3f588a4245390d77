// The contents of the log pages (NVM Express Base Specification 2.0c, section 5.16.1), and their source counters.
// Thread rule: one thread (the controller's gate).
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "nvme/soft/status.h"

namespace fathom::nvme::soft::commands {

enum class LogPage : std::uint8_t { error = 0x01, health = 0x02, firmware_slot = 0x03, changed_namespaces = 0x04 };

#pragma pack(push, 1)
struct ErrorEntry {  // figure 204
  std::uint64_t count = 0;
  std::uint16_t sq_id = 0, cid = 0, status = 0, parameter = 0xffff;
  std::uint64_t lba = 0;
  std::uint32_t nsid = 0;
  std::uint8_t vendor = 0, transport = 0, reserved_30[2] = {};
  std::uint64_t command = 0;
  std::uint16_t transport_specific = 0;
  std::uint8_t reserved_42[22] = {};
};
static_assert(sizeof(ErrorEntry) == 64);

struct HealthPage {  // figure 206
  std::uint8_t critical_warning = 0;
  std::uint16_t temperature_kelvin = 0;
  std::uint8_t spare_percent = 0, spare_threshold_percent = 0, used_percent = 0, group_summary = 0, reserved_7[25] = {};
  std::uint64_t data_units_read[2] = {}, data_units_written[2] = {}, reads[2] = {}, writes[2] = {},
                busy_minutes[2] = {}, power_cycles[2] = {}, power_on_hours[2] = {}, unsafe_shutdowns[2] = {},
                media_errors[2] = {}, error_entries[2] = {};
  std::uint8_t reserved_192[320] = {};
};
static_assert(sizeof(HealthPage) == 512);
#pragma pack(pop)

// The controller's constant temperature, and the thresholds for too high and too low (feature 04h).
// Outside the thresholds, the health page has a warning.
inline constexpr std::uint16_t kTemperature_kelvin = 273 + 25, kWarningTemperature_kelvin = 273 + 70;
inline constexpr std::uint8_t kTemperatureWarning = 1u << 1;  // a bit of critical_warning, and of feature 0Bh
struct TemperatureThresholds {
  std::uint16_t over_kelvin = kWarningTemperature_kelvin, under_kelvin = 0;
  bool crossed() const { return kTemperature_kelvin >= over_kelvin || kTemperature_kelvin <= under_kelvin; }
};

class ErrorLog {
 public:
  static constexpr std::size_t kEntries = 64;
  void add(ErrorEntry entry);  // sets entry.count
  std::uint64_t count() const { return count_; }
  void write_to(std::vector<std::byte>& page) const;  // newest first

 private:
  std::array<ErrorEntry, kEntries> entries_{};
  std::uint64_t count_ = 0;
};

class ChangedNamespaces {
 public:
  static constexpr std::size_t kMost = 1024;
  void add(std::uint32_t nsid);
  void write_to(std::vector<std::byte>& page) const;  // ascending; one entry of all ones if more than kMost changed
  void clear() { changed_.clear(); }

 private:
  std::vector<std::uint32_t> changed_;
};

struct Counters {
  std::uint64_t reads = 0, writes = 0, bytes_read = 0, bytes_written = 0, media_errors = 0;
};

}  // namespace fathom::nvme::soft::commands
