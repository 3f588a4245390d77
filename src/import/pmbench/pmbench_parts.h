// Each function reads a part of a pmbench report from its element. Errors are set in the reader.
#pragma once
#include <pugixml.hpp>

#include "import/xml_reader.h"
#include "result/result.h"

namespace fathom::import::pmbench {

void read_signature(XmlReader& in, pugi::xml_node report, result::Run& run);   // pmbench_signature.cc
void read_machine(XmlReader& in, pugi::xml_node report, result::Run& run);     // pmbench_signature.cc
void read_threads(XmlReader& in, pugi::xml_node report, result::Run& run);     // pmbench_threads.cc
void read_statistics(XmlReader& in, pugi::xml_node report, result::Run& run);  // pmbench_histogram.cc
void read_memory(XmlReader& in, pugi::xml_node report, result::Run& run);      // pmbench_memory.cc
// For fathom's own files (fathom_element.cc). A whole one replaces the parts above; an older one is applied over what
// they read.
void read_whole_fathom(XmlReader& in, pugi::xml_node fathom, result::Run& run);
void read_older_fathom(XmlReader& in, pugi::xml_node fathom, result::Run& run);

}  // namespace fathom::import::pmbench
