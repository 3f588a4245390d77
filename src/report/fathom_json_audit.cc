// Verdicts first, the raw counts last, so that a reader of the file's beginning knows enough.
#include "report/fathom_json_audit.h"

namespace fathom::report {
namespace {

void write_terms(JsonWriter& w, std::string_view key, const std::vector<result::AuditTerm>& terms) {
  w.begin_array(key);
  for (const auto& term : terms) {
    w.begin_object();
    w.field("name", term.name);
    w.field("bytes", term.bytes);
    w.field("how", term.how);
    w.end_object();
  }
  w.end_array();
}

void write_witness(JsonWriter& w, const result::AuditWitness& witness) {
  w.begin_object();
  w.field("source", witness.source);
  w.field("subject", witness.subject);
  w.field("direction", witness.direction);
  w.field("verdict", result::name(witness.verdict));
  w.field("diagnosis", witness.diagnosis);
  w.field("cause", witness.cause);
  w.field("expected_bytes", witness.expected_bytes);
  w.field("seen_bytes", witness.seen_bytes);
  w.field("seen_low_bytes", witness.seen_low_bytes);
  w.field("seen_high_bytes", witness.seen_high_bytes);
  w.field("tolerance_bytes", witness.tolerance_bytes);
  w.field("rule", witness.rule);
  write_terms(w, "terms", witness.terms);
  write_terms(w, "explained", witness.explained);
  w.end_object();
}

void write_link(JsonWriter& w, const result::LinkFinding& link) {
  w.begin_object();
  w.field("port", link.port);
  w.field("name", link.name);
  w.field("cause", link.cause);
  w.field("value", link.value);
  w.end_object();
}

void write_count(JsonWriter& w, const result::Count& count) {
  w.begin_object();
  w.field("source", count.source);
  w.field("subject", count.subject);
  w.field("name", count.name);
  w.field("direction", count.direction);
  w.field("value", count.value);
  w.field("unit", count.unit);
  w.field("low", count.low);
  w.field("high", count.high);
  w.field("confidence", count.confidence);
  w.field("window_s", count.window_s);
  w.field("rule", count.rule);
  w.field("raw", count.raw);
  w.field("unit_bytes", count.unit_bytes);
  w.field("aliased", count.aliased);
  if (count.lost_at_s) w.field("lost_at_s", *count.lost_at_s);
  w.end_object();
}

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
  w.begin_array("witnesses");
  for (const auto& witness : audit.witnesses) write_witness(w, witness);
  w.end_array();
  w.begin_array("link");
  for (const auto& link : audit.link) write_link(w, link);
  w.end_array();
  write_texts(w, "ports", audit.ports);
  write_texts(w, "missing", audit.missing);
  w.begin_array("counts");
  for (const auto& count : audit.counts) write_count(w, count);
  w.end_array();
  w.end_object();
}

}  // namespace fathom::report
