// Names follow nvme-cli's JSON. Sources of the meanings: NVM Express Base Specification 2.0c, figures 204-207 and 275;
// NVM Command Set Specification 1.0c, figure 97.
#include "session/controllers/nvme_fields.h"

#include <fmt/format.h>

#include <algorithm>

namespace fathom::session::controllers {
namespace {

Field number(std::string name, std::uint64_t value) { return {std::move(name), std::to_string(value), value}; }
Field hex(std::string name, std::uint64_t value) { return {std::move(name), fmt::format("{:#x}", value), value}; }
Field text(std::string name, std::string value) { return {std::move(name), std::move(value), std::nullopt}; }

// 128 bits, little-endian. Lifetime counters of a device need at most 64 bits. A larger value is printed as 2^64 - 1.
Field large(std::string name, const std::uint64_t (&words)[2]) {
  const std::uint64_t value = words[1] == 0 ? words[0] : UINT64_MAX;
  return number(std::move(name), value);
}

std::string hex_bytes(std::span<const std::uint8_t> bytes) {
  std::string out;
  for (const auto byte : bytes) out += fmt::format("{:02x}", byte);
  return out;
}

Field format_row(const nvme::IdentifyNamespace& id, unsigned index) {
  const auto& format = id.lbaf[index];
  const bool in_use = (id.flbas & 0xf) == index;
  return text(fmt::format("lbaf{:>3}", index),
              fmt::format("ms:{} lbads:{} rp:{}{}", format.ms, format.lbads, format.rp & 3, in_use ? " (in use)" : ""));
}

}  // namespace

std::string wire_text(std::span<const char> characters) {
  const auto end = std::find(characters.begin(), characters.end(), '\0');
  std::string out(characters.begin(), end);
  while (!out.empty() && out.back() == ' ') out.pop_back();
  for (char& c : out)
    if (static_cast<unsigned char>(c) < 0x20 || static_cast<unsigned char>(c) > 0x7e) c = '?';
  return out;
}

Fields id_ctrl_fields(const nvme::IdentifyController& id) {
  return {
      hex("vid", id.vid),
      hex("ssvid", id.ssvid),
      text("sn", wire_text(id.sn)),
      text("mn", wire_text(id.mn)),
      text("fr", wire_text(id.fr)),
      number("rab", id.rab),
      text("ieee", fmt::format("{:02x}{:02x}{:02x}", id.ieee[2], id.ieee[1], id.ieee[0])),
      hex("cmic", id.cmic),
      number("mdts", id.mdts),
      number("cntlid", id.cntlid),
      hex("ver", id.ver),
      number("rtd3r", id.rtd3r),
      number("rtd3e", id.rtd3e),
      hex("oaes", id.oaes),
      hex("ctratt", id.ctratt),
      number("cntrltype", id.cntrltype),
      hex("oacs", id.oacs),
      number("acl", id.acl),
      number("aerl", id.aerl),
      hex("frmw", id.frmw),
      hex("lpa", id.lpa),
      number("elpe", id.elpe),
      number("npss", id.npss),
      number("wctemp", id.wctemp),
      number("cctemp", id.cctemp),
      hex("sqes", id.sqes),
      hex("cqes", id.cqes),
      number("maxcmd", id.maxcmd),
      number("nn", id.nn),
      hex("oncs", id.oncs),
      hex("fuses", id.fuses),
      hex("fna", id.fna),
      hex("vwc", id.vwc),
      number("awun", id.awun),
      number("awupf", id.awupf),
      number("acwu", id.acwu),
      hex("sgls", id.sgls),
      text("subnqn", wire_text(id.subnqn)),
  };
}

Fields id_ns_fields(const nvme::IdentifyNamespace& id) {
  Fields fields{
      hex("nsze", id.nsze),
      hex("ncap", id.ncap),
      hex("nuse", id.nuse),
      hex("nsfeat", id.nsfeat),
      number("nlbaf", id.nlbaf),
      hex("flbas", id.flbas),
      hex("mc", id.mc),
      hex("dpc", id.dpc),
      hex("dps", id.dps),
      hex("nmic", id.nmic),
      hex("rescap", id.rescap),
      hex("fpi", id.fpi),
      number("dlfeat", id.dlfeat),
      number("nawun", id.nawun),
      number("nawupf", id.nawupf),
      number("nacwu", id.nacwu),
      number("noiob", id.noiob),
      number("npwg", id.npwg),
      number("npwa", id.npwa),
      number("npdg", id.npdg),
      number("npda", id.npda),
      number("nows", id.nows),
      text("nguid", hex_bytes(id.nguid)),
      text("eui64", hex_bytes(id.eui64)),
  };
  const unsigned formats = std::min<unsigned>(id.nlbaf, 63) + 1;
  for (unsigned i = 0; i < formats; ++i) fields.push_back(format_row(id, i));
  return fields;
}

Fields smart_fields(const nvme::SmartLog& page) {
  const int celsius = page.composite_temperature_kelvin == 0 ? 0 : page.composite_temperature_kelvin - 273;
  return {
      hex("critical_warning", page.critical_warning),
      {"temperature", fmt::format("{} C ({} K)", celsius, std::uint16_t{page.composite_temperature_kelvin}),
       std::uint64_t{page.composite_temperature_kelvin}},
      number("avail_spare", page.available_spare_percent),
      number("spare_thresh", page.available_spare_threshold_percent),
      number("percent_used", page.percentage_used),
      hex("endurance_grp_critical_warning_summary", page.endurance_group_warning),
      large("data_units_read", page.data_units_read),
      large("data_units_written", page.data_units_written),
      large("host_read_commands", page.host_reads),
      large("host_write_commands", page.host_writes),
      large("controller_busy_time", page.busy_minutes),
      large("power_cycles", page.power_cycles),
      large("power_on_hours", page.power_on_hours),
      large("unsafe_shutdowns", page.unsafe_shutdowns),
      large("media_errors", page.media_errors),
      large("num_err_log_entries", page.error_log_entries),
      number("warning_temp_time", page.warning_temperature_minutes),
      number("critical_comp_time", page.critical_temperature_minutes),
  };
}

Fields error_fields(const nvme::ErrorLogEntry& entry) {
  return {
      number("error_count", entry.error_count),
      number("sqid", entry.sqid),
      hex("cmdid", entry.cid),
      hex("status_field", static_cast<std::uint64_t>(entry.status >> 1)),
      number("phase_tag", entry.status & 1),
      hex("parm_error_location", entry.parameter_error_location),
      hex("lba", entry.lba),
      hex("nsid", entry.nsid),
      number("vs", entry.vendor_page),
      number("trtype", entry.trtype),
      number("cs", entry.command_specific),
  };
}

Fields firmware_fields(const nvme::FirmwareLog& page) {
  Fields fields{hex("afi", page.active)};
  for (unsigned slot = 1; slot <= 7; ++slot) {
    const std::string revision = wire_text(page.revision[slot - 1]);
    if (!revision.empty()) fields.push_back(text(fmt::format("frs{}", slot), revision));
  }
  return fields;
}

Fields changed_namespace_fields(const nvme::ChangedNamespaces& page) {
  if (page.nsid[0] == 0xffffffff) return {text("overflow", "more namespaces changed than the page can name")};
  Fields fields;
  for (unsigned i = 0; i < 1024 && page.nsid[i] != 0; ++i) fields.push_back(number("nsid", page.nsid[i]));
  return fields;
}

}  // namespace fathom::session::controllers
