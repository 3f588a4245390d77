// What pmbench's elements have no place for, or hold only roughly: all of a result, by the fields of
// result/paging_fields.h, so that a file read back is the result that was written. Repetitions, and the runs of a
// breakdown, are each such an element again. The form tells a reader what to expect: 2 is whole; files without a form
// left out the series, device times, latencies by thread, counters, witnesses, Table 2 and repetitions.
#include "report/paging_xml_fields.h"

namespace fathom::report {

void xml_fathom(pugi::xml_node report, const result::Run& run) {
  if (run.paging->imported) return;
  auto fathom = report.append_child("fathom");
  add_attribute(fathom, "version", run.program.version);
  add_attribute(fathom, "commit", run.program.commit);
  add_attribute(fathom, "schema_version", xml_number(run.schema_version));
  add_attribute(fathom, "form", xml_number(result::kXmlForm));
  ElementWriter writer(fathom);
  walk(writer, run);
  pugi::xml_node repetitions;
  for (const auto& repetition : run.repetitions) {
    if (!repetition.paging) continue;
    if (!repetitions) repetitions = fathom.append_child("repetitions");
    ElementWriter(repetitions).part("repetition", repetition);
  }
}

}  // namespace fathom::report
