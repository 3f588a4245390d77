// The end of a verdict: of what is doubted how much, the worst of it, and what can be done. And how its lines look.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/text/wrapped.h"
#include "report/headline/verdict_parts.h"
#include "result/sums/belief.h"

namespace fathom::report::headline {
namespace {

namespace text = base::text;
using result::sums::Aspect;
using result::sums::Belief;

bool begins(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

std::string_view bytes_text(const result::Run& run) {
  if (!run.audit) return "bytes not audited";
  switch (run.audit->verdict) {
    case result::Verdict::no_witness:
      return "no witness of the bytes";
    case result::Verdict::too_short:
      return "too short to audit";
    case result::Verdict::agrees:
      return "bytes agree";
    case result::Verdict::explained:
      return "bytes explained";
    case result::Verdict::disagrees:
      break;
  }
  return "bytes disagree";
}

// What speaks for it, or how many doubts there are of what.
std::string grounds(const result::Run& run, const result::sums::Believed& b) {
  constexpr std::string_view kNames[result::sums::kAspects] = {"delivery", "audit", "clock", "machine"};
  std::vector<std::string> doubts;
  for (std::size_t a = 0; a < result::sums::kAspects; ++a)
    if (b.doubts[a] > 0) doubts.push_back(fmt::format("{} {}", kNames[a], b.doubts[a]));
  std::string out = run.interrupted ? "interrupted; " : "";
  if (!run.errors.empty()) out += "I/Os failed; ";
  if (!doubts.empty())
    out += fmt::format("doubts of {}", fmt::join(doubts, ", "));
  else if (b.of[static_cast<std::size_t>(Aspect::delivery)] == Belief::yes)
    out += "delivered as asked";
  else
    out += "no other doubt";
  // Most paging moves no bytes that anyone else counts.
  return run.paging && !run.audit ? out : fmt::format("{}; {}", out, bytes_text(run));
}

// The worst doubt, and what can be done. An I/O that failed is worse than a warning.
struct Doubt {
  std::string_view word;
  std::string says, remedy;
};

Doubt worst_of(const result::Run& run, const result::sums::Believed& b, Doubts doubts) {
  const bool is_error = b.worst != nullptr && b.worst->severity == result::Severity::error;
  if (!is_error && !run.errors.empty()) {
    const auto& error = run.errors.front();
    const std::string where = error.job.empty() ? "" : error.job + ": ";
    const std::string& what = !error.message.empty() ? error.message : !error.what.empty() ? error.what : error.op;
    return {"error", where + what,
            error.remedy.empty() ? "the failed I/Os and their places stand below" : error.remedy};
  }
  if (b.worst == nullptr) return {};
  const bool is_note = b.worst->severity == result::Severity::note;
  const std::string where = b.worst->job.empty() ? "" : b.worst->job + ": ";
  const std::string says = doubts == Doubts::by_id ? fmt::format("{}{}, below", where, b.worst->id)
                                                   : fmt::format("{}{} [{}]", where, b.worst->evidence, b.worst->id);
  return {result::name(b.worst->severity), says, is_note ? "" : b.worst->remedy};
}

std::string next(const Doubt& doubt, bool repeated) {
  if (!doubt.remedy.empty()) return doubt.remedy;
  if (!repeated) return "--repeat=5 says how far another run would lie";
  return "`fathom compare` holds it against another";
}

}  // namespace

std::string Lines::one(std::string_view word, std::string_view says) const {
  constexpr std::string_view kCut = "...";
  std::string out = fmt::format("  {:<9}{}", word, says);
  if (static_cast<std::size_t>(std::count_if(out.begin(), out.end(), begins)) <= columns) return out + "\n";
  std::size_t end = 0, column = 0;
  while (end < out.size() && (!begins(out[end]) || ++column <= columns - kCut.size())) ++end;
  return out.substr(0, end) + std::string(kCut) + "\n";
}

std::string Lines::whole(std::string_view word, std::string_view says) const {
  return text::wrapped(fmt::format("  {:<9}{}", word, says), columns) + "\n";
}

std::string time_text(double ns) { return text::unit_text(ns, text::kTimeLive); }

std::string range_text(double low, double high, std::span<const base::text::UnitStep> scale) {
  std::string from = text::unit_text(low, scale);
  const std::string to = text::unit_text(high, scale);
  const auto unit = to.rfind(' ');
  if (unit != std::string::npos && from.ends_with(to.substr(unit))) from.resize(from.size() - (to.size() - unit));
  return from + "-" + to;
}

std::string belief_lines(const result::Run& run, Doubts doubts, const Lines& lines, bool repeated) {
  const auto b = result::sums::believed(run);
  const auto doubt = worst_of(run, b, doubts);
  const auto said = [&](std::string_view word, const std::string& says) {
    return doubts == Doubts::in_full ? lines.whole(word, says) : lines.one(word, says);
  };
  std::string out = lines.one("believe", fmt::format("{}: {}", name(b.all), grounds(run, b)));
  if (!doubt.says.empty()) out += said(doubt.word, doubt.says);
  return out + said("next", next(doubt, repeated));
}

}  // namespace fathom::report::headline
