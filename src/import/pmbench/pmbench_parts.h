// The parts of a pmbench report, each from its own element. What is wrong is kept in the reader.
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
// Of our own files (fathom_element.cc): a whole one in place of the parts above; an older one over what they have
// found.
void read_whole_fathom(XmlReader& in, pugi::xml_node fathom, result::Run& run);
void read_older_fathom(XmlReader& in, pugi::xml_node fathom, result::Run& run);

}  // namespace fathom::import::pmbench
