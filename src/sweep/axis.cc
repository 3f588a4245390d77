// A range covers numbers that are followed by a common suffix.
#include "sweep/axis.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text/parse.h"

namespace fathom::sweep {
namespace {

using base::text::parse_double;
using base::text::trim;

struct Known {
  std::string_view option;
  LoadKind kind;
  std::string_view usual;
};
constexpr std::array<Known, 4> kLoads = {
    Known{"rate_iops", LoadKind::rate, "10%..100%+10%"}, Known{"rate", LoadKind::rate, "10%..100%+10%"},
    Known{"iodepth", LoadKind::depth, "1..256"}, Known{"numjobs", LoadKind::depth, "1..16"}};

const Known* known(std::string_view option) {
  const auto found = std::find_if(kLoads.begin(), kLoads.end(), [&](const Known& k) { return k.option == option; });
  return found == kLoads.end() ? nullptr : &*found;
}

base::Error wrong(std::string_view text, std::string cause, const std::string& help = "") {
  base::Error error;
  error.what = fmt::format("--over: `{}` is not an option with values", text);
  error.cause = std::move(cause);
  error.help = help.empty() ? "write for example `iodepth=1..256`, `bs=4k,64k` or `rate_iops=1000..5000+500`" : help;
  return error;
}

struct Number {
  double value = 0;
  std::string suffix;
};

std::optional<Number> number_of(std::string_view text) {
  const auto digits = std::min(text.find_first_not_of("0123456789."), text.size());
  const auto value = parse_double(text.substr(0, digits));
  if (digits == 0 || !value) return std::nullopt;
  return Number{*value, std::string(text.substr(digits))};
}

struct Range {
  double first = 0, last = 0, step = 0, factor = 2;
  std::string suffix;
};

base::Expected<Range> range_of(std::string_view text, std::string_view part) {
  const auto dots = part.find("..");
  auto rest = part.substr(dots + 2);
  const auto sign = rest.find_first_of("+*");
  const auto by = sign == rest.npos ? std::string_view() : rest.substr(sign + 1);
  const auto first = number_of(trim(part.substr(0, dots)));
  const auto last = number_of(trim(rest.substr(0, sign)));
  if (!first || !last) return wrong(text, fmt::format("an end of `{}` is not a number", part));
  if (first->suffix != last->suffix)
    return wrong(text, fmt::format("the ends of `{}` have different units", part),
                 "write both with the same unit: `4k..64k`");
  if (first->value > last->value) return wrong(text, fmt::format("`{}` ends below its start", part));
  Range range{first->value, last->value, 0, 2, first->suffix};
  if (sign == rest.npos) {
    if (first->value <= 0) return wrong(text, "zero cannot be doubled", "begin with 1, or write a step: `0..64k+16k`");
    return range;
  }
  const auto step = number_of(trim(by));
  if (!step || !(step->suffix.empty() || step->suffix == range.suffix) || step->value <= 0)
    return wrong(text, fmt::format("`{}` is not a step", by));
  if (rest[sign] == '+') return range.step = step->value, range;
  if (step->value <= 1 || first->value <= 0) return wrong(text, "a factor must be above 1, and its range above 0");
  return range.factor = step->value, range;
}

std::string value_text(double value, const std::string& suffix) {
  const bool whole = value == std::floor(value);
  return whole ? fmt::format("{:.0f}{}", value, suffix) : fmt::format("{:g}{}", value, suffix);
}

base::Expected<void> add_range(std::string_view text, std::string_view part, std::vector<std::string>& values) {
  const auto read = range_of(text, part);
  if (!read) return read.error();
  const Range& range = *read;
  double exact = range.first;
  for (std::size_t steps = 0; exact < range.last * (1 - 1e-9); ++steps) {
    if (steps > kMostValues || values.size() > kMostValues)
      return wrong(text, fmt::format("more than {} values", kMostValues));
    const double value = range.step > 0 ? exact : std::round(exact);
    if (values.empty() || values.back() != value_text(value, range.suffix))
      values.push_back(value_text(value, range.suffix));
    exact = range.step > 0 ? exact + range.step : exact * range.factor;
  }
  values.push_back(value_text(range.last, range.suffix));
  return {};
}

base::Expected<void> add_values(std::string_view text, std::string_view list, std::vector<std::string>& values) {
  for (std::size_t at = 0; at <= list.size();) {
    const auto end = std::min(list.find(',', at), list.size());
    const auto part = trim(list.substr(at, end - at));
    if (part.empty()) return wrong(text, "a value is empty");
    if (part.find("..") == part.npos)
      values.emplace_back(part);
    else if (auto ok = add_range(text, part, values); !ok)
      return ok;
    at = end + 1;
  }
  return {};
}

// Percentages as they are. Other numbers are read like those of a job.
std::vector<double> numbers_of(const std::vector<std::string>& values, bool shares) {
  std::vector<double> numbers;
  for (const auto& value : values) {
    const auto number = shares ? base::text::parse_percent(value) : base::Expected<double>(0.0);
    const auto bytes = base::text::parse_bytes(value);
    if (shares ? !number : !bytes) return {};
    numbers.push_back(shares ? *number : static_cast<double>(*bytes));
  }
  return numbers;
}

}  // namespace

base::Expected<Axis> axis_of(std::string_view text) {
  const auto equals = text.find('=');
  Axis axis;
  axis.written = std::string(text);
  axis.option = std::string(trim(text.substr(0, equals)));
  const Known* const load = known(axis.option);
  if (axis.option.empty()) return wrong(text, "the option's name is missing");
  if (equals == text.npos && load == nullptr) return wrong(text, "the values are missing");
  if (load != nullptr) axis.kind = load->kind;
  const auto list = equals == text.npos ? load->usual : trim(text.substr(equals + 1));
  if (auto ok = add_values(text, list, axis.values); !ok) return ok.error();
  const auto percents =
      std::count_if(axis.values.begin(), axis.values.end(), [](const auto& v) { return v.ends_with('%'); });
  if (percents > 0 && axis.kind == LoadKind::rate) {
    axis.shares = true;
    if (static_cast<std::size_t>(percents) != axis.values.size())
      return wrong(text, "some values are percentages, others are not");
  }
  axis.numbers = numbers_of(axis.values, axis.shares);
  if (axis.shares && axis.numbers.empty()) return wrong(text, "a percentage is not a number");
  if (axis.kind != LoadKind::none &&
      std::any_of(axis.numbers.begin(), axis.numbers.end(), [](double n) { return n <= 0; }))
    return wrong(text, "a load must be above 0");
  for (std::size_t i = 0; i < axis.values.size(); ++i)
    if (std::find(axis.values.begin(), axis.values.begin() + static_cast<std::ptrdiff_t>(i), axis.values[i]) !=
        axis.values.begin() + static_cast<std::ptrdiff_t>(i))
      return wrong(text, fmt::format("`{}` occurs twice", axis.values[i]));
  return axis;
}

std::optional<std::size_t> load_axis(const std::vector<Axis>& axes) {
  for (const auto kind : {LoadKind::rate, LoadKind::depth})
    for (std::size_t i = 0; i < axes.size(); ++i)
      if (axes[i].kind == kind && !axes[i].numbers.empty()) return i;
  return std::nullopt;
}

}  // namespace fathom::sweep
