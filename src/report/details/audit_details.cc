// The data behind the audit's verdict: every cross-check, including those that agree; the terms of its expected value;
// every count as it was read. Bytes are printed in full, so that they can be added up.
#include "report/details/detail_lines.h"

namespace fathom::report::details {
namespace {

std::string terms(std::string_view word, const std::vector<result::AuditTerm>& all) {
  std::string out;
  for (const auto& term : all)
    out +=
        fact(word, fmt::format("{:.0f} bytes: {}{}{}", term.bytes, term.name, term.how.empty() ? "" : ", ", term.how));
  return out;
}

std::string witness(const result::AuditWitness& w) {
  std::string out = fact("witness", fmt::format("{} {}{}{}: {}", w.source, w.subject, w.direction.empty() ? "" : " ",
                                                w.direction, result::name(w.verdict)));
  if (w.terms.empty() && w.seen_bytes == 0) return out;
  out += fact("  expected", fmt::format("{:.0f} bytes, within {:.0f}", w.expected_bytes, w.tolerance_bytes));
  out += terms("    of these", w.terms);
  out += fact("  counted",
              w.seen_low_bytes == w.seen_high_bytes
                  ? fmt::format("{:.0f} bytes", w.seen_bytes)
                  : fmt::format("{:.0f} bytes ({:.0f} to {:.0f})", w.seen_bytes, w.seen_low_bytes, w.seen_high_bytes));
  return out + terms("  explained", w.explained) + fact("  unit", w.rule);
}

std::string count_line(const result::Count& c) {
  const auto text = [&](double value) {
    return c.unit == "bytes" ? fmt::format("{:.0f}", value) : fmt::format("{:.6g}", value);
  };
  std::string out = fmt::format("{} {}: {} {}", c.subject, c.name, text(c.value), c.unit);
  if (c.low != c.high) out += fmt::format(" ({} to {}, {:g} %)", text(c.low), text(c.high), 100 * c.confidence);
  out += fmt::format(", in {}", time_text(c.window_s * 1e9));
  if (!c.rule.empty()) out += fmt::format("; {:.6g} raw, {}", c.raw, c.rule);
  if (c.aliased) out += "; aliased";
  if (c.lost_at_s) out += fmt::format("; lost after {}", time_text(*c.lost_at_s * 1e9));
  return fact(c.source, out);
}

}  // namespace

std::string audit_details(const result::Audit& audit) {
  std::string out = heading("details of the audit") + fact("asked", audit.mode);
  for (const auto& w : audit.witnesses) out += witness(w);
  for (const auto& f : audit.foreign)
    out += fact("by others", fmt::format("{} {}: {:.0f} bytes in {:.0f} requests, in {}; {}", f.disk, f.direction,
                                         f.bytes, f.ios, time_text(f.window_s * 1e9), f.who));
  for (const auto& port : audit.ports) out += fact("port", port);
  for (const auto& missing : audit.missing) out += fact("missing", missing);
  for (const auto& count : audit.counts) out += count_line(count);
  return out;
}

}  // namespace fathom::report::details
