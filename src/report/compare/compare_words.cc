// Each name is external text. It is escaped where it enters a line.
#include "report/compare/compare_words.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text/printable.h"
#include "report/paging/paging_view.h"
#include "report/parts/numbers.h"

namespace fathom::report::compare {
namespace {

using base::text::printable;
using result::Change;
using result::Told;

std::string count_text(std::uint64_t count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

std::string numbers_text(const result::ComparedMetric& metric, const Change& change) {
  if (!change.percent) return printable(metric.name);
  auto out = fmt::format("{} {}%", metric_text(metric), percent_text(*change.percent));
  if (const auto interval = interval_text(change); !interval.empty())
    out += fmt::format(", {:.3g}% interval {}%", 100 * change.confidence, interval);
  return out;
}

std::string verdict(const std::string& base, const result::ComparedMetric& metric, const Change& change,
                    double margin) {
  const auto numbers = numbers_text(metric, change);
  const auto words = answer_text(base, change);
  if (change.told == Told::no_change) return fmt::format("{}: {}, within ±{:g}%.", words, numbers, margin);
  if (change.told == Told::cannot_tell) return fmt::format("{}: {}; {}.", words, numbers, printable(change.reason));
  return fmt::format("{}: {}.", words, numbers);
}

}  // namespace

std::string percent_text(double percent) {
  const double size = std::fabs(percent);
  if (!(size < 99'999)) return fmt::format("{:+.2g}", percent);
  return fmt::format("{:+.{}f}", percent, size < 9.995 ? 2 : size < 99.95 ? 1 : 0);
}

std::string answer_text(const std::string& base, const Change& change) {
  const auto side = printable(change.side);
  switch (change.told) {
    case Told::faster:
    case Told::slower:
      return fmt::format("{} is {} than {}", side, name(change.told), base);
    case Told::no_change:
      return fmt::format("No change from {} to {}", base, side);
    case Told::cannot_tell:
      break;
  }
  return fmt::format("Cannot tell whether {} differs from {}", side, base);
}

std::string base_name(const result::Compare& compare) {
  return compare.sides.empty() ? std::string("A") : printable(compare.sides[0].name);
}

std::optional<double> typical_of(const result::ComparedMetric& metric, const std::string& side) {
  for (const auto& values : metric.sides)
    if (values.side == side) return values.typical;
  return std::nullopt;
}

bool is_zero(const result::ComparedMetric& metric) {
  return !metric.primary &&
         std::all_of(metric.sides.begin(), metric.sides.end(), [](const auto& side) { return side.typical == 0; });
}

std::string interval_text(const Change& change) {
  if (!change.low_percent || !change.high_percent) return "";
  return fmt::format("{} to {}", percent_text(*change.low_percent), percent_text(*change.high_percent));
}

std::string metric_text(const result::ComparedMetric& metric) {
  return printable(metric.of.empty() ? metric.name : metric.of + " " + metric.name);
}

std::string value_text(double value, const std::string& unit) { return parts::quantity_text(value, unit); }

std::vector<std::string> verdicts(const result::Compare& compare) {
  std::vector<std::string> out;
  const auto base = base_name(compare);
  for (const auto& metric : compare.metrics)
    if (metric.primary)
      for (const auto& change : metric.changes) out.push_back(verdict(base, metric, change, compare.margin_percent));
  return out;
}

std::vector<std::string> failed_checks(const result::Compare& compare) {
  std::vector<std::string> out;
  for (const auto& side : compare.sides)
    if (side.failed_runs > 0)
      out.push_back(fmt::format(
          "The checks of {} of {} runs of {} FAILED ({}): their numbers do not describe the requested jobs.",
          side.failed_runs, side.runs, printable(side.name),
          printable(fmt::format("{}", fmt::join(side.failed_by, ", ")))));
  return out;
}

std::string unlike(const result::Compare& compare) {
  std::string out;
  for (const auto& difference : compare.differences)
    if (difference.unlike) out += (out.empty() ? "" : ", ") + printable(difference.name);
  return out;
}

std::string still_needed(const result::Compare& compare) {
  std::string out;
  for (const auto& metric : compare.metrics)
    for (const auto& change : metric.changes)
      if (!metric.primary && change.runs_needed > 0)
        out += fmt::format("{}{}{} {}", out.empty() ? "" : ", ", metric_text(metric),
                           compare.sides.size() > 2 ? " of " + printable(change.side) : "", change.runs_needed);
  return out.empty() ? out : "runs per side that would be enough, about: " + out;
}

std::string side_text(const result::ComparedSide& side) {
  return fmt::format("{} of {}", count_text(side.runs, "run", "runs"), count_text(side.invocations, "file", "files"));
}

std::string difference_text(const result::Compare& compare, const result::SetupDifference& difference) {
  std::string out;
  for (std::size_t i = 0; i < difference.values.size(); ++i) {
    const auto side = i < compare.sides.size() ? compare.sides[i].name : std::string("?");
    out += fmt::format("{}{} {}", i == 0 ? "" : ", ", printable(side), printable(difference.values[i]));
  }
  return fmt::format("{}: {}{}", printable(difference.name), out, difference.unlike ? " (unlike jobs)" : "");
}

std::string fitted(const std::string& text, const std::string& indent, std::size_t width) {
  const std::size_t room = width - indent.size();
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find(' ', at), text.size());
    auto word = text.substr(at, end - at);
    if (word.size() > room) {
      std::size_t head = room / 3, tail = word.size() - (room - head - 3);
      const auto inside = [&](std::size_t i) { return (static_cast<unsigned char>(word[i]) & 0xC0) == 0x80; };
      while (head > 0 && inside(head)) --head;
      while (tail < word.size() && inside(tail)) ++tail;
      word = word.substr(0, head) + "..." + word.substr(tail);
    }
    out += word;
    if (end < text.size()) out += ' ';
    at = end + 1;
  }
  return paging::wrapped(out, indent, width);
}

}  // namespace fathom::report::compare
