// A PMU belongs to a port by its name (pcie_bdf_*, dwc_rootport_*), or by its `bus` file and a filter (hisi_pcie*). All
// others count a root complex, a die or a socket, and are never offered for a port. If one name counts in different
// units (Intel's IIO), the processor determines the table's row.
#include "pmu/pcie/pcie.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text/parse.h"
#include "host/proc/proc_text.h"
#include "host/proc/text_file.h"

namespace fathom::pmu::pcie {
namespace {

constexpr std::string_view kHex = "0123456789abcdef", kDecimal = "0123456789";

// `*` in the pattern matches one or more of `digits`.
bool matches(std::string_view pattern, std::string_view text, std::string_view digits) {
  const std::size_t star = pattern.find('*');
  if (star == std::string_view::npos) return pattern == text;
  if (!text.starts_with(pattern.substr(0, star))) return false;
  text.remove_prefix(star);
  const std::size_t end = std::min(text.find_first_not_of(digits), text.size());
  for (std::size_t length = end; length > 0; --length) {
    if (matches(pattern.substr(star + 1), text.substr(length), digits)) return true;
  }
  return false;
}

struct Cpu {
  std::string vendor;
  std::int64_t family = -1, model = -1;
};

Cpu cpu_of(const std::string& prefix) {
  constexpr std::size_t kFirstCpuBytes = 4096;
  const std::string text = host::proc::read_text(prefix + "/proc/cpuinfo", kFirstCpuBytes);
  Cpu cpu{host::proc::cpuinfo_value(text, "vendor_id")};
  if (const auto family = base::text::parse_int(host::proc::cpuinfo_value(text, "cpu family"))) cpu.family = *family;
  if (const auto model = base::text::parse_int(host::proc::cpuinfo_value(text, "model"))) cpu.model = *model;
  return cpu;
}

// "GenuineIntel:6:85", or with a range of models.
bool is_cpu(std::string_view token, const Cpu& cpu) {
  const std::size_t first = token.find(':'), second = token.rfind(':');
  const std::string_view models = token.substr(second + 1);
  const std::size_t dash = models.find('-');
  const auto family = base::text::parse_int(token.substr(first + 1, second - first - 1));
  const auto low = base::text::parse_int(models.substr(0, dash));
  const auto high = dash == std::string_view::npos ? low : base::text::parse_int(models.substr(dash + 1));
  return family && low && high && token.substr(0, first) == cpu.vendor && *family == cpu.family && cpu.model >= *low &&
         cpu.model <= *high;
}

bool holds_on(const PcieRule& rule, const Cpu& cpu) {
  const auto tokens = host::proc::split_fields(rule.cpus);
  return tokens.empty() || std::any_of(tokens.begin(), tokens.end(), [&](auto t) { return is_cpu(t, cpu); });
}

bool has_all_terms(const events::Source& source, std::string_view terms) {
  while (!terms.empty()) {
    const std::string_view term = terms.substr(0, terms.find(','));
    terms.remove_prefix(std::min(term.size() + 1, terms.size()));
    if (source.formats.find(std::string(term.substr(0, term.find('=')))) == source.formats.end()) return false;
  }
  return true;
}

// The events of `source` that match the name in a rule.
std::vector<std::string> events_of(const PcieRule& rule, const events::Source& source) {
  if (!has_all_terms(source, rule.terms)) return {};
  if (rule.event.find('=') != std::string::npos) {
    return has_all_terms(source, rule.event) ? std::vector{rule.event} : std::vector<std::string>();
  }
  std::vector<std::string> names;
  for (const auto& event : source.events) {
    if (matches(rule.event, event.name, kDecimal)) names.push_back(event.name);
  }
  return names;
}

// Replaces the table's assumption by the number of counters that the processor reports.
void ask_for_counters(PcieRule& rule, const clock::sources::Cpuid& cpuid) {
  if (rule.counters_from != PcieRule::CountersFrom::assumed) return;
  const auto counters = fabric_counters(cpuid);
  if (!counters) return;
  rule.counters = *counters;
  rule.counters_from = PcieRule::CountersFrom::cpuid;
}

// If several rows match an event, the first one applies.
PciePmu pmu_of(const events::Source& source, const Cpu& cpu, const clock::sources::Cpuid& cpuid) {
  PciePmu found;
  found.pmu = source.name;
  for (const auto& rule : pcie_rules()) {
    if (!matches(rule.pmu, source.name, kHex) || !holds_on(rule, cpu)) continue;
    for (auto& event : events_of(rule, source)) {
      const auto same = [&](const PcieRule& r) { return r.event == event; };
      if (std::any_of(found.rules.begin(), found.rules.end(), same)) continue;
      found.rules.push_back(rule);
      found.rules.back().event = std::move(event);
      ask_for_counters(found.rules.back(), cpuid);
      found.scope = rule.scope;
    }
  }
  return found;
}

// hisi_pcie*: all root ports on one bus share a PMU.
bool counts_bus_of(const std::string& pmu, const host::pci::PciAddress& port, const std::string& prefix) {
  const auto bus =
      base::text::parse_int(host::proc::read_line(prefix + "/sys/bus/event_source/devices/" + pmu + "/bus"));
  return bus && *bus == port.bus && port.domain == 0;
}

// hisi-pcie-pmu.rst: 00:00.0 is bit 0 of the filter, 00:04.0 bit 8.
void fill_in(PcieRule& rule, const host::pci::PciAddress& port) {
  constexpr std::string_view kPortBit = "{port_bit}";
  if (const std::size_t at = rule.terms.find(kPortBit); at != std::string::npos) {
    rule.terms.replace(at, kPortBit.size(), fmt::format("{:#x}", 1u << (2 * (port.device & 7))));
  }
}

struct ByteUnit {
  std::string_view name;
  double bytes;
};
constexpr ByteUnit kByteUnits[] = {
    {"bytes", 1}, {"Bytes", 1}, {"B", 1},   {"KiB", 1024}, {"MiB", 1024.0 * 1024}, {"GiB", 1024.0 * 1024 * 1024},
    {"KB", 1e3},  {"MB", 1e6},  {"GB", 1e9}};

double bytes_of_unit(std::string_view unit) {
  for (const auto& row : kByteUnits) {
    if (row.name == unit) return row.bytes;
  }
  return 0;
}

}  // namespace

std::optional<PciePmu> pcie_pmu_of(const host::pci::PciAddress& port, const events::EventSources& sources) {
  const Cpu cpu = cpu_of(sources.prefix());
  for (const auto& source : sources.all()) {
    PciePmu found = pmu_of(source, cpu, sources.cpuid());
    if (found.rules.empty() || found.scope != "port") continue;
    const auto named = named_port(source.name);
    if (named ? *named != port : !counts_bus_of(source.name, port, sources.prefix())) continue;
    found.port = host::pci::to_string(port);
    for (auto& rule : found.rules) fill_in(rule, port);
    return found;
  }
  return std::nullopt;
}

std::vector<PciePmu> pcie_pmus(const events::EventSources& sources) {
  const Cpu cpu = cpu_of(sources.prefix());
  std::vector<PciePmu> all;
  for (const auto& source : sources.all()) {
    PciePmu found = pmu_of(source, cpu, sources.cpuid());
    if (found.rules.empty()) continue;
    if (const auto port = named_port(source.name)) found.port = host::pci::to_string(*port);
    all.push_back(std::move(found));
  }
  return all;
}

base::Expected<events::Event> event_of(const PcieRule& rule, const PciePmu& pmu, const events::EventSources& sources) {
  const std::string terms = rule.terms.empty() ? "" : "," + rule.terms;
  auto events = events::parse_events(pmu.pmu + "/" + rule.event + terms + "/", sources);
  if (!events) return events.error();
  events::Event event = std::move(events->front());
  event.width_bits = rule.width_bits;
  event.scale = rule.unit_bytes > 0 ? rule.unit_bytes : event.scale * bytes_of_unit(event.unit);
  event.unit = "bytes";
  if (event.scale > 0) return event;
  base::Error e;
  e.what = pmu.pmu + "/" + rule.event + "/: the number of bytes per count is not known";
  e.cause = rule.remark;
  e.help = "measure the bytes per count with a load of known size, then write `--unit-bytes=N`";
  return e;
}

}  // namespace fathom::pmu::pcie
