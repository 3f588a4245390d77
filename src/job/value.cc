// The messages here are what people see most: cause, then what to write, with the option's own name in the example.
#include "job/value.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/nearest.h"
#include "base/parse.h"
#include "job/expression.h"

namespace fathom::job {
namespace {

constexpr std::uint64_t kMicrosecond = 1000;

std::string_view kind_name(const Option& option) {
  switch (option.type) {
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

std::string number_help(const Option& option) {
  const auto name = option.name();
  switch (option.type) {
    case Type::duration:
      return fmt::format("write a time such as `{0}=10s`, `{0}=500ms` or `{0}=20us`; a bare number counts {1}", name,
                         unit_name(option.time_unit_ns));
    case Type::bytes:
    case Type::bytes_or_percent:
    case Type::range:
      return fmt::format("write bytes, or a number with k, m, g or t: `{0}={1}`", name,
                         option.type == Type::range ? "1k-4k" : "4k");
    default:
      return fmt::format("write a whole number: `{0}={1}`", name, std::max<std::uint64_t>(option.min, 1));
  }
}

// fio does not refuse these, and runs another job than was meant.
std::string_view silently_in_fio(const Option& option, std::string_view text) {
  if (option.type == Type::duration) return "; fio takes the digits at its start for microseconds, without a word";
  if (option.type == Type::bytes_or_percent && (text.back() | 0x20) == 'z')
    return ": it counts the zones of a device with zones, which are not built; fio reads 0 on any other";
  return {};
}

Problem bad_number(const Option& option, std::string_view text, std::string cause) {
  std::string help = number_help(option);
  if (cause == "empty") cause = "a value is missing";
  if (!text.empty() && text.back() == '%') cause = fmt::format("`{}` does not take a percentage", option.name());
  if (!text.empty() && text.front() >= '0' && text.front() <= '9') cause += silently_in_fio(option, text);
  return {std::string(kind_name(option)), std::move(cause), std::move(help), text, base::ErrorKind::usage};
}

base::Expected<std::uint64_t> plain(const Draft& draft, const Option& option, std::string_view text) {
  if (option.type == Type::duration) return base::parse_duration_ns(text, option.time_unit_ns);
  return base::parse_bytes(text, static_cast<unsigned>(draft.kb_base));
}

base::Expected<std::uint64_t> number(const Draft& draft, const Option& option, std::string_view text) {
  if (text.empty() || text.front() != '(') return plain(draft, option, text);
  if (option.type != Type::duration) return evaluate(text, [&](std::string_view n) { return plain(draft, option, n); });
  // In an expression a bare number counts microseconds, and so (2*1s) is two seconds.
  auto microseconds = evaluate(text, [&](std::string_view n) -> base::Expected<std::uint64_t> {
    auto ns = base::parse_duration_ns(n, kMicrosecond);
    if (ns) *ns /= kMicrosecond;
    return ns;
  });
  if (!microseconds) return microseconds;
  if (*microseconds > kMaxU64 / kMicrosecond) {
    base::Error e;
    e.what = "too large: it does not fit in 64 bits";
    return e;
  }
  return *microseconds * kMicrosecond;
}

std::string written(const Option& option, std::uint64_t value) {
  if (option.type != Type::duration) return std::to_string(value);
  return value % 1'000'000'000 == 0 ? fmt::format("{}s", value / 1'000'000'000) : fmt::format("{}ns", value);
}

}  // namespace

Outcome read_bytes(const Draft& draft, const Option& option, std::string_view text, std::uint64_t& out) {
  auto n = number(draft, option, text);
  if (!n) return bad_number(option, text, n.error().what);
  out = *n;
  return {};
}

Outcome read_number(const Draft& draft, const Option& option, std::string_view text, std::uint64_t& out) {
  std::uint64_t value = 0;
  if (auto problem = read_bytes(draft, option, text, value)) return problem;
  const auto written_as = base::parse_double(text);
  if (option.type == Type::count && value == 0 && written_as && *written_as > 0)
    return Problem{"less than 1", fmt::format("`{}` counts whole ones, and 0 would mean something else", option.name()),
                   fmt::format("write `{}=1` or more", option.name()), text, base::ErrorKind::usage};
  if (option.max != 0 && (value < option.min || value > option.max)) {
    const bool low = value < option.min;
    const std::string limit = written(option, low ? option.min : option.max);
    return Problem{"out of range", fmt::format("the {} value is {}", low ? "smallest" : "largest", limit),
                   fmt::format("write `{}={}` or {}", option.name(), limit, low ? "more" : "less"), text,
                   base::ErrorKind::usage};
  }
  out = value;
  return {};
}

Outcome read_real(const Option& option, std::string_view text, double min, double max, double& out) {
  auto n = base::parse_double(text);
  if (!n)
    return Problem{"not a number", n.error().what, fmt::format("write a number from {} to {}", min, max), text,
                   base::ErrorKind::usage};
  if (*n < min || *n > max)
    return Problem{"out of range", fmt::format("{} of `{}` is not between {} and {}", *n, option.name(), min, max),
                   fmt::format("write a number from {} to {}", min, max), text, base::ErrorKind::usage};
  out = *n;
  return {};
}

Outcome read_size_or_percent(const Draft& draft, const Option& option, std::string_view text, SizeOrPercent& out) {
  if (text.empty() || text.back() != '%' || text.front() == '(') {
    std::uint64_t bytes = 0;
    if (auto problem = read_number(draft, option, text, bytes)) return problem;
    out = {bytes, 0, true};
    return {};
  }
  if (text.size() > 1 && text[text.size() - 2] == '%') text.remove_suffix(1);  // as Python's ConfigParser writes it
  auto percent = base::parse_percent(text);
  if (!percent || *percent < 0 || *percent > 100)
    return Problem{"not a percentage", percent ? "it is not between 0% and 100%" : percent.error().what,
                   fmt::format("write `{0}=50%`, or a size such as `{0}=1g`", option.name()), text,
                   base::ErrorKind::usage};
  out = {0, *percent, true};
  return {};
}

Outcome read_range(const Draft& draft, const Option& option, std::string_view text, SizeRange& out) {
  auto ends = split(text, '-');
  if (ends.size() == 1) ends = split(text, ':');
  if (ends.size() != 2)
    return Problem{"not a range", "a range has a smallest and a largest value",
                   fmt::format("write `{}=1k-4k`", option.name()), text, base::ErrorKind::usage};
  SizeRange range;
  if (auto problem = read_number(draft, option, base::trim(ends[0]), range.low)) return problem;
  if (auto problem = read_number(draft, option, base::trim(ends[1]), range.high)) return problem;
  if (range.low > range.high) std::swap(range.low, range.high);
  out = range;
  return {};
}

Outcome read_choice(const Option& option, std::string_view text, int& out) {
  std::vector<std::string_view> names;
  for (const auto& c : option.choices) {
    if (c.name == text) {
      out = c.value;
      return {};
    }
    names.push_back(c.name);
  }
  return Problem{fmt::format("not a value of {}", option.name()),
                 fmt::format("the values are {}", fmt::join(names, ", ")),
                 base::did_you_mean(text, names, "write one of them", fmt::format("{}=", option.name())), text,
                 base::ErrorKind::usage};
}

std::vector<std::string_view> split(std::string_view text, char separator) {
  std::vector<std::string_view> parts;
  std::size_t begin = 0;
  int depth = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '(') ++depth;
    if (text[i] == ')' && depth > 0) --depth;
    if (text[i] != separator || depth > 0) continue;
    parts.push_back(base::trim(text.substr(begin, i - begin)));
    begin = i + 1;
  }
  parts.push_back(base::trim(text.substr(begin)));
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

}  // namespace fathom::job
