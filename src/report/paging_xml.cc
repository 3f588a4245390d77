// The document and its two helpers. Indented by two spaces and declared as utf-8, as pmbench's own files are.
#include "report/paging_xml.h"

#include <sstream>

#include "report/paging_formats.h"
#include "report/utf8.h"

namespace fathom::report {

pugi::xml_node add_element(pugi::xml_node to, const char* name, std::string_view text) {
  auto node = to.append_child(name);
  node.append_child(pugi::node_pcdata).set_value(xml_text(text).c_str());
  return node;
}

void add_attribute(pugi::xml_node to, const char* name, std::string_view text) {
  to.append_attribute(name).set_value(xml_text(text).c_str());
}

namespace {

// pmbench's elements are of one run, and its graphing program wants a thread in it: of a breakdown they are the
// first's.
const result::Run& of_pmbench(const result::Run& run) {
  if (!run.paging->workers.empty()) return run;
  for (const auto& repetition : run.repetitions)
    if (repetition.paging && !repetition.paging->workers.empty()) return repetition;
  return run;
}

}  // namespace

std::string pmbench_xml(const result::Run& run) {
  if (!run.paging) return "";
  pugi::xml_document document;
  auto declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "utf-8";
  auto report = document.append_child("pmbenchmark").append_child("report");
  const auto& shown = of_pmbench(run);
  xml_signature(report, run.program, shown);
  xml_machine(report, shown);
  xml_results(report, shown);
  xml_statistics(report, shown);
  xml_memory(report, shown);
  xml_fathom(report, run);
  std::ostringstream out;
  document.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
  return out.str();
}

}  // namespace fathom::report
