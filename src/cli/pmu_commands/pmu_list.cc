// `fathom pmu list`: reads /sys and the data files that are compiled in; opens no counter.
#include "cli/pmu_commands/pmu_list.h"

#include <fmt/format.h>

#include <filesystem>

#include "cli/manuals.h"
#include "cli/subcommand.h"
#include "options/rows.h"

namespace fathom::cli::pmu_commands {
namespace {

struct Asked {
  bool json = false;
  std::string root;
};

constexpr options::Choice kFormats[] = {{"normal", false, ""}, {"json", true, ""}};
constexpr options::Row kRows[] = {
    options::noted(
        {"v", "",
         "explain each event: what it counts, unit, width, lanes, and where the sources contradict each other; terms' "
         "bits"}),
    options::noted({"device=PATH", "", "the way from a file or device to its root port and PMU, step by step"}),
    options::choice<&Asked::json>({"output-format=FORMAT", "normal", "how to print"}, kFormats),
    options::text<&Asked::root>(
        {"root=DIR", "", "read DIR/sys and DIR/proc, a copy of another machine's, in place of this one's"}),
};
constexpr options::Group kOptions[] = {{"", kRows}};
constexpr Manual kManual{
    "fathom pmu list", "[-v] [--device=PATH] [--output-format=json] [PATTERN]",
    "PMUs and their events, which of them tell PCIe bandwidth and by which rule, and every root port with its\n"
    "link, what shares it and which disks those are. PATTERN is a part of a name or has wildcards: 'block:*', rx_,\n"
    "pcie_bdf_200. With -v and dwc_pcie or the name of a PMU that is not here, the data files' events are explained.\n",
    kOptions};

// "sda4": the disk of that name, where no file here has it.
std::string path_of(const std::string& device, const std::string& root) {
  std::error_code ec;
  const bool bare = device.find('/') == std::string::npos && !std::filesystem::exists(device, ec);
  return bare && std::filesystem::exists(root + "/sys/class/block/" + device, ec) ? "/dev/" + device : device;
}

base::Expected<std::string> device_list(const std::string& device, const std::string& root, bool json) {
  const PmuListing listing = look_at_pmus(root);
  const host::pci::PortPath path = host::pci::port_of(path_of(device, root), root);
  return json ? pmu_list_json(listing, nullptr, &path) : device_text(path, listing);
}

base::Expected<std::string> list(const Given& given, const Asked& asked) {
  if (given.arguments.size() > 1) return usage_error("`" + given.arguments[1] + "`: one pattern at most", "", "");
  const auto& [json, root] = asked;
  if (const std::string* device = given.last("device")) return device_list(*device, root, json);
  const PmuListing listing = look_at_pmus(root);
  const bool all = given.arguments.empty(), explain = given.has("v");
  if (all && json) return pmu_list_json(listing, nullptr, nullptr);
  if (all && !explain) return pmu_list_text(listing, false);
  const std::string pattern = all ? "*/*" : given.arguments[0];
  const Matches found{matching_sources(listing, pattern, explain && !all), matching_events(listing, pattern)};
  const auto rules = matching_rules(pattern);
  if (found.sources.empty() && found.events.empty() && rules.empty()) return no_match(listing, pattern);
  if (json) return pmu_list_json(listing, &found, nullptr);
  return (all ? pmu_list_text(listing, true) : sources_text(found.sources)) + events_text(found.events, rules, explain);
}

}  // namespace

const Manual& pmu_list_manual() { return kManual; }

int pmu_list(std::span<const std::string> args) { return with_options(kManual, args, list); }

}  // namespace fathom::cli::pmu_commands
