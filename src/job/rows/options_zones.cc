// Zones: a window that moves (strided), and zoned devices (zbd).
#include "base/text/parse.h"
#include "job/fields/offset_choice.h"
#include "job/option.h"
#include "job/values/zone_count.h"

namespace fathom::job {
namespace {

constexpr Choice kZoneModes[] = {
    {"none", int(fields::ZoneMode::none), "no zones"},
    {"strided", int(fields::ZoneMode::strided), "zonesize bytes, then forward by zonerange + zoneskip"},
    {"zbd", int(fields::ZoneMode::zbd), "a zoned device, or zones of zonesize bytes that are emulated on any other"},
};

Outcome read_zonemode(Draft& draft, const Value& value) {
  int mode = 0;
  if (auto problem = read_choice(value, mode)) return problem;
  draft.job.own.get<fields::StridedZones>().used = static_cast<fields::ZoneMode>(mode) == fields::ZoneMode::strided;
  draft.job.own.get<fields::ZonedDevice>().used = static_cast<fields::ZoneMode>(mode) == fields::ZoneMode::zbd;
  return {};
}

Outcome read_zoneskip(Draft& draft, const Value& value) {
  auto& skip_zones = draft.job.own.get<fields::SizesInZones>().skip;
  auto& skip_bytes = draft.job.own.get<fields::StridedZones>().skip_bytes;
  skip_zones = skip_bytes = 0;
  return values::is_zone_count(value.text) ? values::read_zone_count(value, skip_zones)
                                           : read_number(value, skip_bytes);
}

// One number from 0 to 1. Scripts search for fio's words.
template <auto Member>
Outcome read_share(fields::ZonedDevice& zones, const Value& value) {
  if (value.text.find(':') != std::string_view::npos)
    return wrong("the list exceeding max length", "the option has one number", "write one number from 0 to 1",
                 value.text);
  const auto number = base::text::parse_double(value.text);
  if (number && (*number < 0 || *number > 1))
    return wrong("value out of range", fmt::format("{} is not between 0 and 1", *number), "write a number from 0 to 1",
                 value.text);
  return read_real(value, 0, 1, zones.*Member);
}

constexpr std::uint64_t kLargestZone_bytes = 1ull << 62;
constexpr std::uint64_t kMostOpenZones = 4096;  // fio's limit

constexpr Row kZoneRows[] = {
    special<read_zonemode>({"zonemode", "none", "Order in which the job accesses zones"}, Type::choice, 0, 0, 0, false,
                           kZoneModes),
    bytes<&fields::StridedZones::zone_bytes>(
        {"zonesize", "0", "strided: bytes to transfer in a zone before the next zone; zbd: size of a zone"}, 0,
        kLargestZone_bytes),
    bytes<&fields::ZonedDevice::capacity_bytes>(
        {"zonecapacity", "0", "zbd: bytes of an emulated zone that can be written; 0: zonesize"}, 0,
        kLargestZone_bytes),
    bytes<&fields::StridedZones::range_bytes>({"zonerange", "", "strided: bytes that a zone spans (default: zonesize)"},
                                              0, kLargestZone_bytes),
    special<read_zoneskip>({"zoneskip", "0", "Bytes skipped between two zones; `2z`: zones"}, Type::bytes, 0,
                           kLargestZone_bytes),
    boolean<&fields::ZonedDevice::read_beyond_wp>(
        {"read_beyond_wp", "0", "zbd: read beyond the write pointers as well"}),
    count<&fields::ZonedDevice::max_open_zones>(
        {"max_open_zones", "0", "zbd: zones that all jobs together write at a time; 0: the limit of the device"}, 0,
        kMostOpenZones),
    count<&fields::ZonedDevice::job_max_open_zones>(
        {"job_max_open_zones", "0", "zbd: zones that one job writes at a time; 0: no limit"}, 0, kMostOpenZones),
    boolean<&fields::ZonedDevice::ignore_limits>(
        {"ignore_zone_limits", "0", "zbd: max_open_zones may exceed the limit of the device"}),
    special<read_share<&fields::ZonedDevice::reset_threshold>>(
        {"zone_reset_threshold", "0", "zbd: share of the window with written data from which zones are reset"},
        Type::real, 0, 1),
    special<read_share<&fields::ZonedDevice::reset_frequency>>(
        {"zone_reset_frequency", "0", "zbd: zone resets per write above that share; 0: none"}, Type::real, 0, 1),
    boolean<&fields::ZonedDevice::recover_write_error>(
        {"recover_zbd_write_error", "0", "zbd: after a failed write, move the write pointer to its end"}),
    boolean<&fields::ZonedDevice::write_remainder>(
        {"write_zone_remainder", "0", "zbd: write the end of a zone that is smaller than a block; 0: finish the zone"}),
};

}  // namespace

std::span<const Row> zone_options() { return kZoneRows; }

}  // namespace fathom::job
