// Log pages, as Get Log Page returns them.
// Source: NVM Express Base Specification 2.0c, section 5.16.1. Figure 202 lists the identifiers.
// Values are little-endian. A 128-bit counter is two words, the low one first.
// Thread rule: plain data and pure functions; any thread.
#pragma once
#include <cstddef>
#include <cstdint>

namespace fathom::nvme {

enum class LogPage : std::uint8_t {
  error_information = 0x01,
  smart = 0x02,
  firmware_slots = 0x03,
  changed_namespaces = 0x04,
  commands_supported = 0x05,
};

#pragma pack(push, 1)
struct ErrorLogEntry {
  std::uint64_t error_count;  // 0: the entry is unused
  std::uint16_t sqid, cid;
  std::uint16_t status;  // as in a completion, with the phase bit
  std::uint16_t parameter_error_location;
  std::uint64_t lba;
  std::uint32_t nsid;
  std::uint8_t vendor_page, trtype, reserved_30[2];
  std::uint64_t command_specific;
  std::uint16_t transport_specific;
  std::uint8_t reserved_42[22];
};
static_assert(sizeof(ErrorLogEntry) == 64);
static_assert(offsetof(ErrorLogEntry, lba) == 16 && offsetof(ErrorLogEntry, command_specific) == 32);

struct SmartLog {
  std::uint8_t critical_warning;
  std::uint16_t composite_temperature_kelvin;
  std::uint8_t available_spare_percent, available_spare_threshold_percent, percentage_used;
  std::uint8_t endurance_group_warning, reserved_7[25];
  std::uint64_t data_units_read[2];             // in units of 1000 blocks of 512 bytes
  std::uint64_t data_units_written[2];          // in the same units
  std::uint64_t host_reads[2], host_writes[2];  // commands
  std::uint64_t busy_minutes[2], power_cycles[2], power_on_hours[2], unsafe_shutdowns[2];
  std::uint64_t media_errors[2], error_log_entries[2];
  std::uint32_t warning_temperature_minutes, critical_temperature_minutes;
  std::uint16_t temperature_sensor_kelvin[8];
  std::uint32_t thermal_transitions[2], thermal_seconds[2];
  std::uint8_t reserved_232[280];
};
static_assert(sizeof(SmartLog) == 512);
static_assert(offsetof(SmartLog, data_units_read) == 32 && offsetof(SmartLog, media_errors) == 160);
static_assert(offsetof(SmartLog, warning_temperature_minutes) == 192 && offsetof(SmartLog, reserved_232) == 232);

struct FirmwareLog {
  std::uint8_t active;  // 2:0 active slot, 6:4 slot for the next reset
  std::uint8_t reserved_1[7];
  char revision[7][8];
  std::uint8_t reserved_64[448];
};
static_assert(sizeof(FirmwareLog) == 512);
static_assert(offsetof(FirmwareLog, revision) == 8);

struct ChangedNamespaces {
  // Rising, ends at 0. The first is FFFFFFFFh if more namespaces changed than fit.
  std::uint32_t nsid[1024];
};
static_assert(sizeof(ChangedNamespaces) == 4096);
#pragma pack(pop)

// Fields of dword 0 of an async event's completion (figure 145): event type, information, and log page.
// Reading that log page clears the event.
constexpr std::uint32_t event_type(std::uint32_t event) { return event & 7; }
constexpr std::uint32_t event_information(std::uint32_t event) { return event >> 8 & 0xff; }
constexpr std::uint32_t event_log_page(std::uint32_t event) { return event >> 16 & 0xff; }

}  // namespace fathom::nvme
