// The audit in the text: one line, and a line more for each witness that does not simply agree. Its numbers are in
// bytes there, so that the terms can be added up.
#include <fmt/format.h>

#include "report/normal_parts.h"

namespace fathom::report {
namespace {

std::string terms_text(const std::vector<result::AuditTerm>& terms) {
  std::string text;
  for (const auto& term : terms) text += fmt::format("{}{} {:.0f}", text.empty() ? "" : ", ", term.name, term.bytes);
  return text;
}

std::string witness_line(const result::AuditWitness& w) {
  if (w.verdict == result::Verdict::agrees || w.cause.empty()) return "";
  std::string out = fmt::format("  audit of {} {}{}{}: {}", w.source, w.subject, w.direction.empty() ? "" : " ",
                                w.direction, result::name(w.verdict));
  if (!w.diagnosis.empty()) out += " [" + w.diagnosis + "]";
  out += ": " + w.cause + "\n";
  if (!w.terms.empty())
    out += fmt::format("    bytes: expected {:.0f} ({}), counted {:.0f}{}{}\n", w.expected_bytes, terms_text(w.terms),
                       w.seen_bytes, w.explained.empty() ? "" : "; explained: ", terms_text(w.explained));
  return out;
}

}  // namespace

std::string audit_lines(const result::Run& run) {
  if (!run.audit) return "";
  std::string out = "  audit: " + run.audit->line + "\n";
  for (const auto& witness : run.audit->witnesses) out += witness_line(witness);
  return out;
}

}  // namespace fathom::report
