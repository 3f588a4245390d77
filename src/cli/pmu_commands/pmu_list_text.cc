// The overview: PMUs, who tells PCIe bandwidth, root ports, the kernel's own events; and the way of one device.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/pmu_commands/pmu_list.h"
#include "pmu/events/format.h"

namespace fathom::cli::pmu_commands {
namespace {

std::string cpus(const pmu::events::Source& source) {
  if (source.cpumask.empty()) return "every CPU";
  return fmt::format("CPU {}", fmt::join(source.cpumask, ","));
}

std::string event_text(const pmu::events::NamedEvent& event) {
  if (event.unit.empty()) return event.name;
  return event.scale == 1 ? fmt::format("{} [{}]", event.name, event.unit)
                          : fmt::format("{} [{:g} {}]", event.name, event.scale, event.unit);
}

std::string terms_text(const pmu::events::Source& source) {
  if (source.formats.empty()) return "no terms but config, config1, config2, config3";
  std::vector<std::string> terms;
  for (const auto& [name, format] : source.formats) terms.push_back(name + "=" + pmu::events::text_of(format));
  return fmt::format("terms {}", fmt::join(terms, "  "));
}

// Words, broken into lines of a terminal.
std::string wrapped(const std::vector<std::string>& words, std::string_view indent) {
  constexpr std::size_t kWidth = 110;
  std::string out;
  std::size_t column = kWidth;
  for (const auto& word : words) {
    const bool fits = column + 2 + word.size() <= kWidth;
    out += fits ? "  " : fmt::format("{}{}", out.empty() ? "" : "\n", indent);
    column = (fits ? column + 2 : indent.size()) + word.size();
    out += word;
  }
  return out.empty() ? out : out + "\n";
}

bool same_events(const pmu::events::Source& a, const pmu::events::Source& b) {
  return std::equal(a.events.begin(), a.events.end(), b.events.begin(), b.events.end(),
                    [](const auto& x, const auto& y) { return x.name == y.name; });
}

std::vector<std::string> names_of(const std::vector<pmu::events::Source>& sources) {
  std::vector<std::string> names;
  for (const auto& source : sources) names.push_back(source.name);
  return names;
}

// PMUs of equal events (one a root port) are shown once.
std::string pmus_text(const std::vector<pmu::events::Source>& sources, bool explain) {
  std::string out = fmt::format("PMUs ({})\n", sources.size());
  std::vector<const pmu::events::Source*> done;
  std::vector<pmu::events::Source> silent;
  for (const auto& source : sources) {
    if (source.events.empty()) {
      silent.push_back(source);
      continue;
    }
    const auto like = [&](const pmu::events::Source* other) { return same_events(*other, source); };
    if (std::any_of(done.begin(), done.end(), like)) continue;
    done.push_back(&source);
    std::vector<std::string> names, events;
    for (const auto& other : sources) {
      if (same_events(other, source)) names.push_back(other.name);
    }
    for (const auto& event : source.events) events.push_back(event_text(event));
    out += wrapped(names, "  ");
    out += fmt::format("    type {}, {}, {} named event{}\n", source.type, cpus(source), events.size(),
                       events.size() == 1 ? "" : "s");
    if (explain) out += "    " + terms_text(source) + "\n";
    out += wrapped(events, "      ");
  }
  if (explain) return out + sources_text(silent);
  if (!silent.empty())
    out += fmt::format("  without events of their own in sysfs: {}\n", fmt::join(names_of(silent), "  "));
  return out;
}

std::string rules_of(const pmu::pcie::PciePmu& one) {
  std::string out =
      one.scope == "port" ? "    a root port each\n" : "    counts a whole " + one.scope + ": cannot isolate a port\n";
  for (const auto& rule : one.rules) {
    out += fmt::format("    {}; {}\n", rule.sentence(), rule.counters_text());
  }
  return out;
}

// PMUs of the same rules are shown once; which port has which stands in the table of ports.
std::string bandwidth_text(const PmuListing& listing) {
  std::string out = "\nPCIe bandwidth\n";
  if (listing.pcie.empty()) {
    return out + "  no PMU here tells it (`fathom pmu list -v pcie` shows the rules of those that would)\n";
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> families;
  for (const auto& one : listing.pcie) {
    const std::string rules = rules_of(one);
    const auto found =
        std::find_if(families.begin(), families.end(), [&](const auto& family) { return family.first == rules; });
    if (found == families.end()) {
      families.push_back({rules, {one.pmu}});
    } else {
      found->second.push_back(one.pmu);
    }
  }
  for (const auto& [rules, names] : families) out += wrapped(names, "  ") + rules;
  return out;
}

std::string rate(double now, double most) {
  if (now <= 0 && most <= 0) return "speed unknown";
  return fmt::format("{} of {} GT/s", now > 0 ? fmt::format("{:g}", now) : "?",
                     most > 0 ? fmt::format("{:g}", most) : "?");
}

std::string lanes(int now, int most) {
  if (now <= 0 && most <= 0) return "lanes unknown";
  return fmt::format("x{} of x{}", now > 0 ? std::to_string(now) : "?", most > 0 ? std::to_string(most) : "?");
}

std::string function_line(const host::pci::PciFunction& f) {
  const std::string line = fmt::format("          {}  {:<24} {:04x}:{:04x}  {:<12} {}", host::pci::to_string(f.address),
                                       host::pci::pci_class_text(f.class_code), f.vendor, f.device,
                                       f.driver.empty() ? "no driver" : f.driver, fmt::join(f.block_devices, " "));
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string port_text(const ListedPort& listed) {
  const auto& port = listed.port;
  std::string out = fmt::format("  {}  {}  {:<10}  {:<16}  {:<8}  {}\n", host::pci::six_digits(port.address),
                                host::pci::to_string(port.address), lanes(port.link.width, port.link.max_width),
                                rate(port.link.speed_gts, port.link.max_speed_gts),
                                port.numa_node < 0 ? std::string("NUMA ?") : fmt::format("NUMA {}", port.numa_node),
                                listed.pmu ? listed.pmu->pmu : "no PMU");
  for (const auto& function : port.behind) out += function_line(function);
  if (port.behind.empty()) out += "          nothing behind it\n";
  if (port.behind.size() > 1) {
    out += fmt::format("          {} functions share it: a counter of the port cannot tell them apart\n",
                       port.behind.size());
  }
  return out;
}

std::string kernel_text(const PmuListing& listing) {
  std::string out = fmt::format("\nSoftware events ({})\n", listing.software.size()) + wrapped(listing.software, "  ");
  if (listing.systems.empty()) return out + "\nTracepoints\n  " + listing.no_tracepoints + "\n";
  std::size_t total = 0;
  std::vector<std::string> words;
  for (const auto& system : listing.systems) {
    total += system.events.size();
    words.push_back(fmt::format("{} {}", system.name, system.events.size()));
  }
  out += fmt::format("\nTracepoints ({} in {} systems; `fathom pmu list 'block:*'` names those of one)\n", total,
                     words.size());
  return out + wrapped(words, "  ");
}

}  // namespace

std::string ports_text(std::span<const ListedPort> ports) {
  std::string proper, integrated;
  for (const auto& listed : ports) {
    if (!listed.port.integrated) proper += port_text(listed);
    if (listed.port.integrated) {
      for (const auto& function : listed.port.behind) integrated += function_line(function);
    }
  }
  std::string out = "\nRoot ports\n" + (proper.empty() ? std::string("  none on this machine\n") : proper);
  if (!integrated.empty())
    out += "  on a root bus, with no root port above (and so no link that a port counts)\n" + integrated;
  return out;
}

std::string sources_text(std::span<const pmu::events::Source> sources) {
  std::string out;
  for (const auto& source : sources)
    out += fmt::format("  {}: type {}, {}; {}\n", source.name, source.type, cpus(source), terms_text(source));
  return out;
}

std::string pmu_list_text(const PmuListing& listing, bool explain) {
  return pmus_text(listing.sources, explain) + bandwidth_text(listing) + ports_text(listing.ports) +
         kernel_text(listing);
}

std::string device_text(const host::pci::PortPath& path, const PmuListing& listing) {
  std::string out = path.target + "\n";
  for (const auto& step : path.steps) out += "  " + step + "\n";
  if (!path.cause.empty()) out += "  " + path.cause + "\n";
  if (path.ports.empty()) return out + "no root port: no PCIe counter can tell its bytes\n";
  if (path.ports.size() > 1) {
    out += fmt::format("ambiguous: {} ports; one PMU sees only its own part, so none stands for the whole\n",
                       path.ports.size());
  }
  for (const auto& name : path.ports) {
    const auto found = std::find_if(listing.ports.begin(), listing.ports.end(), [&](const ListedPort& listed) {
      return host::pci::to_string(listed.port.address) == name;
    });
    if (found == listing.ports.end()) continue;
    const std::string what = found->port.integrated ? "function " + name : "root port " + name;
    if (!found->pmu) {
      out += fmt::format("{}: no PMU here counts its bytes\n", what);
      continue;
    }
    out += fmt::format(
        "{}: PMU {}{}\n", what, found->pmu->pmu,
        found->port.behind.size() > 1 ? fmt::format(" (shared by {} functions)", found->port.behind.size()) : "");
    for (const auto& rule : found->pmu->rules) out += "  " + rule.sentence() + "\n";
  }
  return out;
}

}  // namespace fathom::cli::pmu_commands
