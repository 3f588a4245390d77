// The options of `fathom pmu list`, and the format of its output.
#include "cli/pmu_commands/pmu_list.h"

#include "cli/manuals.h"
#include "cli/subcommand.h"
#include "options/rows.h"
#include "report/counters/pmu_list.h"
#include "session/counters/pmu_list.h"

namespace fathom::cli::pmu_commands {
namespace {

struct AskedList {
  bool json = false;
  std::string root;
};

constexpr options::Choice kListFormats[] = {{"normal", false, ""}, {"json", true, ""}};
constexpr options::Row kListRows[] = {
    options::noted(
        {"v", "",
         "explain each event: what it counts, unit, width, lanes, and where the sources contradict each other; terms' "
         "bits"}),
    options::noted({"device=PATH", "", "show the path from a file or device to its root port and PMU"}),
    options::choice<&AskedList::json>({"output-format=FORMAT", "normal", "output format"}, kListFormats),
    options::text<&AskedList::root>({"root=DIR", "", "read DIR/sys and DIR/proc, a copy from another machine"}),
};
constexpr options::Group kListOptions[] = {{"", kListRows}};
constexpr Manual kListManual{
    "fathom pmu list", "[-v] [--device=PATH] [--output-format=json] [PATTERN]",
    "Lists PMUs and their events, the events that count PCIe bytes with their rules, and each root port with its "
    "link,\n"
    "functions and disks. PATTERN is a part of a name, or has wildcards: 'block:*', rx_, pcie_bdf_200. With -v and\n"
    "dwc_pcie, or the name of a PMU that this machine lacks, it explains the events from the data files.\n",
    kListOptions};

base::Expected<std::string> list(const Given& given, const AskedList& asked) {
  if (given.arguments.size() > 1) return usage_error("`" + given.arguments[1] + "`: one pattern at most", "", "");
  session::counters::ListPlan plan;
  if (!given.arguments.empty()) plan.pattern = given.arguments[0];
  if (const std::string* device = given.last("device")) plan.device = *device;
  plan.explain = given.has("v");
  plan.root = asked.root;
  const auto found = session::counters::pmu_list(plan);
  if (!found) return found.error();
  return asked.json ? report::counters::pmu_list_json(*found) : report::counters::pmu_list_text(*found);
}

}  // namespace

const Manual& pmu_list_manual() { return kListManual; }

int pmu_list(std::span<const std::string> args) { return with_options(kListManual, args, list); }

}  // namespace fathom::cli::pmu_commands
