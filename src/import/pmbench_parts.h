// The parts of a pmbench report, each from its own element. What is wrong is kept in the reader.
#pragma once
#include <pugixml.hpp>

#include "import/xml_reader.h"
#include "result/result.h"

namespace fathom::import {

void read_signature(XmlReader& in, pugi::xml_node report, result::Run& run);                 // pmbench_signature.cc
void read_machine(XmlReader& in, pugi::xml_node report, result::Run& run);                   // pmbench_signature.cc
void read_threads(XmlReader& in, pugi::xml_node report, result::Run& run);                   // pmbench_threads.cc
void read_statistics(XmlReader& in, pugi::xml_node report, result::Run& run);                // pmbench_histogram.cc
void read_memory(XmlReader& in, pugi::xml_node report, result::Run& run);                    // pmbench_memory.cc
void read_pressure(XmlReader& in, pugi::xml_node fathom, result::PagingPressure& pressure);  // fathom_pressure.cc
// Of our own files, over what the parts above have found. True: there was such an element.
bool read_fathom(XmlReader& in, pugi::xml_node report, result::Run& run);  // fathom_element.cc

}  // namespace fathom::import
