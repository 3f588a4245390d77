// The JSON of every document, by its list of fields.
#include "report/document.h"

#include "report/formats.h"

namespace fathom::report {

std::string clock_test_json(const result::ClockTest& test) { return document(test); }
std::string clock_sources_json(const result::ClockSources& sources) { return document(sources); }
std::string doctor_json(const result::Doctor& doctor) { return document(doctor); }

}  // namespace fathom::report
