// pmbench cannot distinguish a hit from a fault. So all accesses are of one class here, and `classified` is false.
// Findings name the missing facts. fathom's own files have the complete result in one element.
#include "import/pmbench/pmbench_xml.h"

#include <fmt/format.h>

#include "import/pmbench/pmbench_parts.h"
#include "result/findings/rows.h"

namespace fathom::import::pmbench {
namespace {

void say_what_is_not_known(result::Run& run) {
  const auto& paging = *run.paging;
  const auto note = [&run](std::string_view id, std::vector<result::FindingValue> values = {}) {
    run.findings.push_back(result::findings::found(id, {.values = std::move(values)}));
  };
  if (paging.access == "histogram") note("import.bins");
  note("import.classes");
  if (paging.workers.size() > 1) note("import.threads", {{"threads", paging.workers.size()}});
  if (!paging.memory_items.empty() && paging.memory_items.front().windows.empty()) note("import.meminfo");
}

// Reads the parts in the file's order.
void read_parts(XmlReader& in, pugi::xml_node report, const std::string& file_name, result::Run& run) {
  run.paging.emplace();
  run.paging->imported.emplace();
  run.paging->classified = false;
  run.program.argv = {"fathom", "paging", "--import", file_name};
  read_signature(in, report, run);
  read_machine(in, report, run);
  read_threads(in, report, run);
  read_statistics(in, report, run);
  read_memory(in, report, run);
  if (in.failed()) return;
  if (const auto fathom = report.child("fathom"))
    read_older_fathom(in, fathom, run);
  else
    say_what_is_not_known(run);
}

}  // namespace

base::Expected<result::Run> read_pmbench_xml(std::string_view text, const std::string& file_name) {
  XmlReader in(text, file_name);
  if (text.size() > kMostReportBytes) {
    in.fail({}, fmt::format("more than {} MiB", kMostReportBytes >> 20), "a report is shorter");
    return in.error();
  }
  if (!in.parse()) return in.error();
  const auto root = in.root();
  if (std::string_view(root.name()) != "pmbenchmark") {
    in.fail(root, fmt::format("<{:.40}> is not pmbench's report", root.name()), "its root element is <pmbenchmark>");
    return in.error();
  }
  const auto report = in.need(root, "report");
  result::Run run;
  if (const auto fathom = report.child("fathom"); fathom.attribute("form"))
    read_whole_fathom(in, fathom, run);
  else
    read_parts(in, report, file_name, run);
  if (in.failed()) return in.error();
  return run;
}

}  // namespace fathom::import::pmbench
