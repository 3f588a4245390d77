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

std::string pmbench_xml(const result::Run& run) {
  if (!run.paging) return "";
  pugi::xml_document document;
  auto declaration = document.append_child(pugi::node_declaration);
  declaration.append_attribute("version") = "1.0";
  declaration.append_attribute("encoding") = "utf-8";
  auto report = document.append_child("pmbenchmark").append_child("report");
  xml_signature(report, run);
  xml_machine(report, run);
  xml_results(report, run);
  xml_statistics(report, run);
  xml_memory(report, run);
  xml_fathom(report, run);
  std::ostringstream out;
  document.save(out, "  ", pugi::format_default, pugi::encoding_utf8);
  return out.str();
}

}  // namespace fathom::report
