// The rows of events/pcie_bandwidth.csv. The file is compiled in, so an error in it is an error of the build. A test
// reads it, and pcie_rules() may rely on it.
#include <fmt/format.h>

#include <cassert>

#include "base/text/parse.h"
#include "pmu/pcie/csv.h"
#include "pmu/pcie/pcie.h"

namespace fathom::pmu::pcie {
namespace {

constexpr std::string_view kScopes[] = {"port", "complex", "die", "socket"};
constexpr std::string_view kByCpuid = "cpuid or ";

base::Error mistake(const Table& table, std::size_t row, const std::string& what) {
  base::Error e;
  e.what = fmt::format("line {}: {}", table.lines[row], what);
  return e;
}

base::Expected<unsigned> whole(const Table& table, std::size_t row, std::string_view column, unsigned most,
                               std::size_t from = 0) {
  const auto value = base::text::parse_int(std::string_view(table.at(row, column)).substr(from));
  if (value && *value >= 1 && *value <= most) return static_cast<unsigned>(*value);
  return mistake(table, row, fmt::format("{}: not a number from 1 to {}", column, most));
}

base::Expected<PcieRule> rule_of(const Table& table, std::size_t row) {
  const auto text = [&](std::string_view column) -> const std::string& { return table.at(row, column); };
  PcieRule rule;
  rule.pmu = text("pmu");
  rule.event = text("event");
  rule.scope = text("scope");
  rule.terms = text("terms");
  rule.cpus = text("cpus");
  rule.remark = text("remark");
  if (rule.pmu.empty() || rule.event.empty()) return mistake(table, row, "no pmu or no event");
  const auto unit = base::text::parse_double(text("unit_bytes"));
  if (!unit || *unit < 0) return mistake(table, row, "unit_bytes: not a number");
  rule.unit_bytes = *unit;
  if (text("direction") != "to_memory" && text("direction") != "from_memory") {
    return mistake(table, row, "direction: neither to_memory nor from_memory");
  }
  rule.direction = text("direction") == "to_memory" ? Direction::to_memory : Direction::from_memory;
  bool known = false;
  for (const auto scope : kScopes) known |= scope == rule.scope;
  if (!known) return mistake(table, row, "scope: `" + rule.scope + "`");
  const bool by_cpuid = text("counters").starts_with(kByCpuid);
  const auto counters = whole(table, row, "counters", 64, by_cpuid ? kByCpuid.size() : 0);
  const auto width = whole(table, row, "width_bits", 64);
  if (!counters) return counters.error();
  if (!width) return width.error();
  rule.counters = *counters;
  if (by_cpuid) rule.counters_from = PcieRule::CountersFrom::assumed;
  rule.width_bits = *width;
  if (text("verified") != "yes" && text("verified") != "no") return mistake(table, row, "verified: neither yes nor no");
  rule.verified = text("verified") == "yes";
  return rule;
}

}  // namespace

base::Expected<std::vector<PcieRule>> parse_pcie_rules(std::string_view csv) {
  const auto table = parse_csv(csv);
  if (!table) return table.error();
  std::vector<PcieRule> rules;
  for (std::size_t row = 0; row < table->rows.size(); ++row) {
    auto rule = rule_of(*table, row);
    if (!rule) return rule.error();
    rules.push_back(std::move(*rule));
  }
  return rules;
}

std::span<const PcieRule> pcie_rules() {
  static const std::vector<PcieRule> rules = [] {
    auto parsed = parse_pcie_rules(event_file("pcie_bandwidth.csv"));
    assert(parsed.ok());
    return parsed ? std::move(*parsed) : std::vector<PcieRule>();
  }();
  return rules;
}

std::string PcieRule::sentence() const {
  const std::string unit = unit_bytes > 0 ? fmt::format("raw x {:g} byte{}", unit_bytes, unit_bytes == 1 ? "" : "s")
                                          : std::string("raw x the kernel's own scale");
  return fmt::format("{} ({}: {} is {}; {})", unit, pmu, event,
                     direction == Direction::to_memory ? "to memory" : "from memory",
                     verified ? "verified" : "not verified");
}

std::string PcieRule::counters_text() const {
  constexpr std::string_view from[] = {"", " (CPUID 0x80000022)", " (assumed)"};
  return fmt::format("{} counter{}{} of {} bits", counters, counters == 1 ? "" : "s",
                     from[static_cast<int>(counters_from)], width_bits);
}

std::optional<unsigned> fabric_counters(const clock::sources::Cpuid& cpuid) {
  constexpr std::uint32_t kHighest = 0x80000000, kMonitoring = 0x80000022, kVersion2 = 1;
  if (!cpuid || cpuid(kHighest).eax < kMonitoring) return std::nullopt;
  const auto leaf = cpuid(kMonitoring);
  const unsigned counters = leaf.ebx >> 10 & 0x3f;
  if ((leaf.eax & kVersion2) == 0 || counters == 0) return std::nullopt;
  return counters;
}

}  // namespace fathom::pmu::pcie
