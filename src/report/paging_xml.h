// The parts of pmbench's XML report, one file each. Element names, order and number formats are pmbench's (its
// version_xmloutput 0.1); a reader of its files reads ours. What only fathom knows is in one element `fathom` at the
// end of `report`.
#pragma once
#include <pugixml.hpp>

#include <string>
#include <string_view>

#include "result/result.h"

namespace fathom::report {

void xml_signature(pugi::xml_node report, const result::Program& program,
                   const result::Run& run);                          // paging_xml_signature.cc
void xml_machine(pugi::xml_node report, const result::Run& run);     // paging_xml_signature.cc
void xml_results(pugi::xml_node report, const result::Run& run);     // paging_xml_result.cc
void xml_statistics(pugi::xml_node report, const result::Run& run);  // paging_xml_result.cc
void xml_memory(pugi::xml_node report, const result::Run& run);      // paging_xml_result.cc
void xml_fathom(pugi::xml_node report, const result::Run& run);      // paging_xml_fathom.cc

// <name>text</name>, with what XML cannot hold replaced; and an attribute, the same.
pugi::xml_node add_element(pugi::xml_node to, const char* name, std::string_view text);
void add_attribute(pugi::xml_node to, const char* name, std::string_view text);

}  // namespace fathom::report
