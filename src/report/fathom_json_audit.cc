// Verdicts first, the raw counts last, so that a reader of the file's beginning knows enough.
#include "report/fathom_json_audit.h"

#include "report/json_fields.h"

namespace fathom::report {
namespace {

void write_texts(JsonWriter& w, std::string_view key, const std::vector<std::string>& texts) {
  w.begin_array(key);
  for (const auto& text : texts) w.element(text);
  w.end_array();
}

}  // namespace

void write_audit(JsonWriter& w, const result::Audit& audit) {
  w.begin_object("audit");
  w.field("mode", audit.mode);
  w.field("verdict", result::name(audit.verdict));
  w.field("line", audit.line);
  JsonFields fields(w);
  fields.list("witnesses", "witness", audit.witnesses);
  fields.list("foreign", "io", audit.foreign);
  fields.list("link", "link", audit.link);
  write_texts(w, "ports", audit.ports);
  write_texts(w, "missing", audit.missing);
  fields.list("counts", "count", audit.counts);
  w.end_object();
}

}  // namespace fathom::report
