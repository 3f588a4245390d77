// The overview: PMUs, the PMUs that count PCIe bandwidth, root ports, the kernel's own events. Also the path of one
// device.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "report/counters/pmu_list.h"

namespace fathom::report::counters {
namespace {

std::string cpus(const result::PmuSource& source) {
  if (source.cpus.empty()) return "every CPU";
  return fmt::format("CPU {}", fmt::join(source.cpus, ","));
}

std::string event_text(const result::PmuSourceEvent& event) {
  if (event.unit.empty()) return event.name;
  return event.scale == 1 ? fmt::format("{} [{}]", event.name, event.unit)
                          : fmt::format("{} [{:g} {}]", event.name, event.scale, event.unit);
}

std::string terms_text(const result::PmuSource& source) {
  if (source.terms.empty()) return "no terms but config, config1, config2, config3, config4";
  std::vector<std::string> terms;
  for (const auto& [name, bits] : source.terms) terms.push_back(fmt::format("{}={}", name, bits));
  return fmt::format("terms {}", fmt::join(terms, "  "));
}

// Breaks a list of words into lines of 110 columns.
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

// Instances of one PMU. Two kinds of core have events of the same names, but on different CPUs.
bool are_alike(const result::PmuSource& a, const result::PmuSource& b) {
  return a.cpus == b.cpus && a.type.has_value() == b.type.has_value() &&
         std::equal(a.events.begin(), a.events.end(), b.events.begin(), b.events.end(),
                    [](const auto& x, const auto& y) { return x.name == y.name; });
}

std::string type_text(const result::PmuSource& source) {
  return source.type ? fmt::format("type {}", *source.type) : "no readable type: it counts nothing";
}

std::vector<std::string> names_of(const std::vector<result::PmuSource>& sources) {
  std::vector<std::string> names;
  names.reserve(sources.size());
  for (const auto& source : sources) names.push_back(source.name);
  return names;
}

// Type, CPUs and terms of each PMU, with their bits.
std::string sources_text(const std::vector<result::PmuSource>& sources) {
  std::string out;
  for (const auto& source : sources)
    out += fmt::format("  {}: {}, {}; {}\n", source.name, type_text(source), cpus(source), terms_text(source));
  return out;
}

// PMUs with equal events and CPUs (one per root port) are printed once, with the type of the first.
std::string pmus_text(const std::vector<result::PmuSource>& sources, bool explain) {
  std::string out = fmt::format("PMUs ({})\n", sources.size());
  std::vector<const result::PmuSource*> done;
  std::vector<result::PmuSource> silent;
  for (const auto& source : sources) {
    if (source.events.empty()) {
      silent.push_back(source);
      continue;
    }
    const auto like = [&](const result::PmuSource* other) { return are_alike(*other, source); };
    if (std::any_of(done.begin(), done.end(), like)) continue;
    done.push_back(&source);
    std::vector<std::string> names, events;
    for (const auto& other : sources) {
      if (are_alike(other, source)) names.push_back(other.name);
    }
    for (const auto& event : source.events) events.push_back(event_text(event));
    out += wrapped(names, "  ");
    out += fmt::format("    {}, {}, {} named event{}\n", type_text(source), cpus(source), events.size(),
                       events.size() == 1 ? "" : "s");
    if (explain) out += "    " + terms_text(source) + "\n";
    out += wrapped(events, "      ");
  }
  if (explain) return out + sources_text(silent);
  if (!silent.empty()) out += fmt::format("  no events in sysfs: {}\n", fmt::join(names_of(silent), "  "));
  return out;
}

std::string rules_of(const result::PciePmu& one) {
  std::string out =
      one.scope == "port" ? "    one per root port\n" : "    counts a whole " + one.scope + ": cannot isolate a port\n";
  for (const auto& rule : one.rules) {
    out += fmt::format("    {}; {}\n", rule.sentence, rule.counters_words);
  }
  return out;
}

// PMUs with the same rules are printed once. The table of ports names the PMU of each port.
std::string bandwidth_text(const result::PmuList& list) {
  std::string out = "\nPCIe bandwidth\n";
  if (list.pcie.empty()) {
    return out + "  no PMU of this machine counts it (`fathom pmu list -v pcie` shows the rules of PMUs that would)\n";
  }
  std::vector<std::pair<std::string, std::vector<std::string>>> families;
  for (const auto& one : list.pcie) {
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

std::string function_line(const result::ListedFunction& f) {
  const std::string line =
      fmt::format("          {}  {:<24} {:04x}:{:04x}  {:<12} {}", f.address, f.class_words, f.vendor, f.device,
                  f.driver.empty() ? "no driver" : f.driver, fmt::join(f.block_devices, " "));
  return line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
}

std::string port_text(const result::ListedPort& port) {
  std::string out = fmt::format("  {}  {}  {:<10}  {:<16}  {:<8}  {}\n", port.six_digits, port.address,
                                lanes(port.lanes, port.max_lanes), rate(port.speed_gts, port.max_speed_gts),
                                port.numa_node < 0 ? std::string("NUMA ?") : fmt::format("NUMA {}", port.numa_node),
                                port.pmu ? port.pmu->pmu : "no PMU");
  for (const auto& function : port.behind) out += function_line(function);
  if (port.behind.empty()) out += "          no function behind the port\n";
  if (port.behind.size() > 1) {
    out += fmt::format("          {} functions share the port: its counters cannot distinguish them\n",
                       port.behind.size());
  }
  return out;
}

std::string kernel_text(const result::PmuList& list) {
  std::string out = fmt::format("\nSoftware events ({})\n", list.software.size()) + wrapped(list.software, "  ");
  if (list.systems.empty()) return out + "\nTracepoints\n  " + list.no_tracepoints + "\n";
  std::size_t total = 0;
  std::vector<std::string> words;
  for (const auto& system : list.systems) {
    total += system.events.size();
    words.push_back(fmt::format("{} {}", system.name, system.events.size()));
  }
  out += fmt::format("\nTracepoints ({} in {} systems; `fathom pmu list 'block:*'` lists those of one)\n", total,
                     words.size());
  return out + wrapped(words, "  ");
}

std::string ports_text(const std::vector<result::ListedPort>& ports) {
  std::string proper, integrated;
  for (const auto& port : ports) {
    if (!port.integrated) proper += port_text(port);
    if (port.integrated) {
      for (const auto& function : port.behind) integrated += function_line(function);
    }
  }
  std::string out = "\nRoot ports\n" + (proper.empty() ? std::string("  none on this machine\n") : proper);
  if (!integrated.empty())
    out += "  on a root bus, with no root port above (and so no link that a port counts)\n" + integrated;
  return out;
}

std::string whole_text(const result::PmuList& list) {
  return pmus_text(list.sources, list.explain) + bandwidth_text(list) + ports_text(list.ports) + kernel_text(list);
}

std::string device_text(const result::DevicePath& path, const result::PmuList& list) {
  std::string out = path.target + "\n";
  for (const auto& step : path.steps) out += "  " + step + "\n";
  if (!path.cause.empty()) out += "  " + path.cause + "\n";
  if (path.ports.empty()) return out + "no root port: no PCIe counter can count its bytes\n";
  if (path.ports.size() > 1) {
    out += fmt::format("ambiguous: {} ports; each PMU counts only its own part, none the total\n", path.ports.size());
  }
  for (const auto& name : path.ports) {
    const auto found = std::find_if(list.ports.begin(), list.ports.end(),
                                    [&](const result::ListedPort& port) { return port.address == name; });
    if (found == list.ports.end()) continue;
    const std::string what = found->integrated ? "function " + name : "root port " + name;
    if (!found->pmu) {
      out += fmt::format("{}: no PMU of this machine counts its bytes\n", what);
      continue;
    }
    out += fmt::format("{}: PMU {}{}\n", what, found->pmu->pmu,
                       found->behind.size() > 1 ? fmt::format(" (shared by {} functions)", found->behind.size()) : "");
    for (const auto& rule : found->pmu->rules) out += "  " + rule.sentence + "\n";
  }
  return out;
}

}  // namespace

std::string pmu_list_text(const result::PmuList& list) {
  if (list.device) return device_text(*list.device, list);
  if (!list.matches) return whole_text(list);
  return (list.of_pattern ? sources_text(list.matches->sources) : whole_text(list)) +
         events_text(*list.matches, list.explain);
}

}  // namespace fathom::report::counters
