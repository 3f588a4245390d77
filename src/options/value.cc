// The most frequent messages: cause, then the correct form, with the option's own name in the example.
#include "options/value.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/nearest.h"
#include "base/system/cpu_list.h"
#include "base/text/parse.h"
#include "options/expression.h"

namespace fathom::options {
namespace {

constexpr std::uint64_t kMicrosecond = 1000;

std::string_view kind_name(const Row& row) {
  switch (row.type) {
    case Type::duration:
      return "not a time";
    case Type::count:
      return "not a number";
    default:
      return "not a size";
  }
}

std::string_view unit_name(std::uint64_t ns) {
  return ns == 1'000'000'000 ? "seconds"
         : ns == 1'000'000   ? "milliseconds"
         : ns == 1'000       ? "microseconds"
                             : "nanoseconds";
}

std::string number_help(const Value& value) {
  switch (value.row.type) {
    case Type::duration:
      return fmt::format("write a time such as `{}`, `{}` or `{}`; a number without a unit is in {}", value.with("10s"),
                         value.with("500ms"), value.with("20us"), unit_name(value.row.time_unit_ns));
    case Type::bytes:
    case Type::bytes_or_percent:
      return fmt::format("write bytes, or a number with k, m, g or t: `{}`", value.with("4k"));
    case Type::range:
      return fmt::format("write bytes, or a number with k, m, g or t: `{}`", value.with("1k-4k"));
    default:
      return fmt::format("write a whole number: `{}`",
                         value.with(std::to_string(std::max<std::uint64_t>(value.row.min, 1))));
  }
}

// fio accepts these values, and runs another job than intended.
std::string_view silently_in_fio(const Value& value) {
  if (value.spelling != Spelling::key) return {};
  if (value.row.type == Type::duration) return "; fio reads the leading digits as microseconds, without a warning";
  return {};
}

Problem bad_number(const Value& value, std::string cause) {
  const auto text = value.text;
  if (cause == "empty") cause = "a value is missing";
  if (!text.empty() && text.back() == '%') cause = fmt::format("`{}` does not take a percentage", value.name());
  if (!text.empty() && text.front() >= '0' && text.front() <= '9') cause += silently_in_fio(value);
  return wrong(std::string(kind_name(value.row)), std::move(cause), number_help(value), text);
}

base::Error error(std::string cause) {
  base::Error e;
  e.what = std::move(cause);
  return e;
}

base::Expected<std::uint64_t> plain(const Value& value, std::string_view text) {
  if (value.row.type == Type::duration) return base::text::parse_duration_ns(text, value.row.time_unit_ns);
  if (value.row.type != Type::count || value.spelling == Spelling::key)
    return base::text::parse_bytes(text, value.kb_base);
  const auto whole = base::text::parse_int(text);  // only fio's counts have units: nrfiles=1k
  if (whole && *whole >= 0) return static_cast<std::uint64_t>(*whole);
  return whole ? error("negative") : whole.error();
}

base::Expected<std::uint64_t> number(const Value& value) {
  const auto text = value.text;
  if (text.empty() || text.front() != '(') return plain(value, text);
  if (value.row.type != Type::duration) return evaluate(text, [&](std::string_view n) { return plain(value, n); });
  // In an expression, a bare number is in microseconds, and (2*1s) is two seconds.
  auto microseconds = evaluate(text, [&](std::string_view n) -> base::Expected<std::uint64_t> {
    auto ns = base::text::parse_duration_ns(n, kMicrosecond);
    if (ns) *ns /= kMicrosecond;
    return ns;
  });
  if (!microseconds) return microseconds;
  if (*microseconds > kMaxU64 / kMicrosecond) return error("too large: it does not fit in 64 bits");
  return *microseconds * kMicrosecond;
}

std::string written(const Row& row, std::uint64_t value) {
  if (row.type != Type::duration) return std::to_string(value);
  for (const auto& [unit_ns, unit] : {std::pair(1'000'000'000u, "s"), {1'000'000u, "ms"}, {1'000u, "us"}})
    if (value % unit_ns == 0) return fmt::format("{}{}", value / unit_ns, unit);
  return fmt::format("{}ns", value);
}

}  // namespace

Problem wrong(std::string what, std::string cause, std::string help, std::string_view at, base::ErrorKind kind) {
  return {std::move(what), std::move(cause), std::move(help), at, kind};
}

Outcome read_bytes(const Value& value, std::uint64_t& out) {
  auto n = number(value);
  if (!n) return bad_number(value, n.error().what);
  out = *n;
  return {};
}

Outcome read_number(const Value& value, std::uint64_t& out) {
  const Row& row = value.row;
  std::uint64_t n = 0;
  if (auto problem = read_bytes(value, n)) return problem;
  const auto written_as = base::text::parse_double(value.text);
  if (row.type == Type::count && n == 0 && written_as && *written_as > 0)
    return wrong("less than 1", fmt::format("`{}` is a whole number, and 0 has another meaning", value.name()),
                 fmt::format("write `{}` or more", value.with("1")), value.text);
  if (row.max != 0 && (n < row.min || n > row.max)) {
    const bool low = n < row.min;
    const std::string limit = written(row, low ? row.min : row.max);
    return wrong("out of range", fmt::format("the {} value is {}", low ? "smallest" : "largest", limit),
                 fmt::format("write `{}` or {}", value.with(limit), low ? "more" : "less"), value.text);
  }
  out = n;
  return {};
}

Outcome read_real(const Value& value, double min, double max, double& out) {
  auto n = base::text::parse_double(value.text);
  const auto help = fmt::format("write a number from {} to {}", min, max);
  if (!n) return wrong("not a number", n.error().what, help, value.text);
  if (*n < min || *n > max)
    return wrong("out of range", fmt::format("{} of `{}` is not between {} and {}", *n, value.name(), min, max), help,
                 value.text);
  out = *n;
  return {};
}

Outcome read_size_or_percent(const Value& value, std::uint64_t& bytes, double& percent) {
  auto text = value.text;
  if (text.empty() || text.back() != '%' || text.front() == '(') {
    percent = 0;
    return read_number(value, bytes);
  }
  // an escaped percent sign, as Python's ConfigParser writes it
  if (text.size() > 1 && text[text.size() - 2] == '%') text.remove_suffix(1);
  auto read = base::text::parse_percent(text);
  if (!read || *read < 0 || *read > 100)
    return wrong("not a percentage", read ? "not between 0% and 100%" : read.error().what,
                 fmt::format("write `{}`, or a size such as `{}`", value.with("50%"), value.with("1g")), text);
  bytes = 0;
  percent = *read;
  return {};
}

Outcome read_range(const Value& value, std::uint64_t& low, std::uint64_t& high) {
  auto ends = split(value.text, '-');
  if (ends.size() == 1) ends = split(value.text, ':');
  if (ends.size() != 2)
    return wrong("not a range", "a range has a smallest and a largest value",
                 fmt::format("write `{}`", value.with("1k-4k")), value.text);
  std::uint64_t first = 0, second = 0;
  if (auto problem = read_number(value.part(base::text::trim(ends[0])), first)) return problem;
  if (auto problem = read_number(value.part(base::text::trim(ends[1])), second)) return problem;
  low = std::min(first, second);
  high = std::max(first, second);
  return {};
}

Outcome read_one_or_range(const Value& value, std::uint64_t& low, std::uint64_t& high) {
  if (split(value.text, '-').size() > 1 || split(value.text, ':').size() > 1) return read_range(value, low, high);
  auto problem = read_number(value, low);
  if (!problem) high = low;
  return problem;
}

namespace {

Problem not_a_choice(const Value& value) {
  std::vector<std::string_view> names;
  for (const auto& c : value.row.choices) names.push_back(c.name);
  return wrong(fmt::format("not a value of {}", value.name()), fmt::format("the values are {}", fmt::join(names, ", ")),
               base::did_you_mean(value.text, names, "write one of them", value.with("")), value.text);
}

bool is_choice(const Choice& choice, std::string_view text) {
  if (!choice.name.ends_with(':')) return choice.name == text;
  return text.starts_with(choice.name) && text.size() > choice.name.size();
}

}  // namespace

Outcome read_choice(const Value& value, int& out) {
  for (const auto& c : value.row.choices)
    if (is_choice(c, value.text)) return out = c.value, Outcome();
  return not_a_choice(value);
}

Outcome read_numbers(const Value& value, std::vector<int>& out) {
  const auto list = base::system::parse_cpu_list(value.text);
  const auto part = base::text::trim(list.wrong);
  if (!list.ok())
    return wrong("not a list of numbers", fmt::format("`{}` is not a number or range", part),
                 fmt::format("write numbers and ranges: `{}`", value.with("0,2-5")), part);
  out = list.sorted();
  return {};
}

Outcome read_usable_cpus(const Value& value, std::span<const int> usable, std::vector<int>& out) {
  std::vector<int> cpus;
  if (auto problem = read_numbers(value, cpus)) return problem;
  for (const int cpu : cpus)
    if (std::find(usable.begin(), usable.end(), cpu) == usable.end())
      return wrong(fmt::format("CPU {} may not be used", cpu),
                   "the CPU does not exist, or the affinity mask or the container excludes it",
                   fmt::format("choose from the CPUs of this process: {}", fmt::join(usable, ",")), value.text);
  out = std::move(cpus);
  return {};
}

Outcome read_positive(const Value& value, double& out) {
  const auto number = base::text::parse_double(value.text);
  if (!number || !(*number > 0))
    return wrong("not a number above 0", "", fmt::format("write for example `{}`", value.with("16")), value.text);
  out = *number;
  return {};
}

Outcome read_names(const Value& value, std::vector<std::string>& out) {
  std::vector<std::string> names;
  for (const auto part : split(value.text, ',')) {
    const auto& choices = value.row.choices;
    if (std::none_of(choices.begin(), choices.end(), [&](const auto& c) { return is_choice(c, part); }))
      return not_a_choice(value.part(part));
    names.emplace_back(part);
  }
  out = std::move(names);
  return {};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && depth > 0) --depth;
    if (text[i] != separator || depth > 0) continue;
    parts.push_back(base::text::trim(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  parts.push_back(base::text::trim(text.substr(begin)));
  return parts;
}

std::vector<std::string> split_names(std::string_view text) {
  std::vector<std::string> names(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '\\' && i + 1 < text.size() && text[i + 1] == ':') {
      names.back() += ':';
      ++i;
    } else if (text[i] == ':') {
      names.emplace_back();
    } else {
      names.back() += text[i];
    }
  }
  std::erase_if(names, [](const std::string& n) { return n.empty(); });
  return names;
}

}  // namespace fathom::options
