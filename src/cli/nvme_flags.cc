// Reading flags from their tables.
#include "cli/nvme_flags.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <optional>

#include "base/nearest.h"
#include "base/parse.h"
#include "cli/exit_codes.h"
#include "cli/show_error.h"
#include "cli/terminal.h"

namespace fathom::cli {
namespace {

base::Error unknown_flag(const Manual& manual, std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& flag : manual.flags) names.push_back(flag.name);
  return usage_error(fmt::format("no option `{}`", name), "",
                     base::did_you_mean(name, names, fmt::format("`{} --help` lists them", manual.command)));
}

base::Expected<std::string> value_of(const Flag& flag, std::optional<std::string> written,
                                     std::span<const std::string> args, std::size_t& at) {
  if (flag.value.empty()) {
    if (written) return usage_error(fmt::format("{}: it takes no value", flag.name), "", "");
    return std::string();
  }
  if (!written && at + 1 < args.size() && args[at + 1].substr(0, 2) != "--") written = args[++at];
  if (!written || written->empty())
    return usage_error(fmt::format("{}: a value is missing", flag.name), "",
                       fmt::format("write `{}={}`", flag.name, flag.value));
  return *written;
}

int written(bool taken, std::string_view program) {
  if (taken && std::fflush(stdout) == 0) return kOk;
  show_error(base::system_error("write to standard output", errno), program);
  return kIoError;
}

}  // namespace

base::Error usage_error(std::string what, std::string cause, std::string help) {
  base::Error e;
  e.what = std::move(what);
  e.cause = std::move(cause);
  e.help = std::move(help);
  return e;
}

const std::string* Given::last(std::string_view name) const {
  const auto found = std::find_if(flags.rbegin(), flags.rend(), [&](const auto& flag) { return flag.first == name; });
  return found == flags.rend() ? nullptr : &found->second;
}

std::vector<std::string> Given::all(std::string_view name) const {
  std::vector<std::string> values;
  for (const auto& [flag, value] : flags)
    if (flag == name) values.push_back(value);
  return values;
}

base::Expected<Given> read_flags(const Manual& manual, std::span<const std::string> args) {
  Given given;
  for (std::size_t at = 0; at < args.size(); ++at) {
    const std::string& arg = args[at];
    if (arg == "--help" || arg == "-h") {
      given.help = true;
      continue;
    }
    if (arg.size() < 2 || arg[0] != '-') {
      given.words.push_back(arg);
      continue;
    }
    const std::size_t equals = arg.find('=');
    const std::string_view name = std::string_view(arg).substr(0, equals);
    const auto flag =
        std::find_if(manual.flags.begin(), manual.flags.end(), [&](const Flag& f) { return f.name == name; });
    if (flag == manual.flags.end()) return unknown_flag(manual, name);
    const auto written = equals == std::string::npos ? std::nullopt : std::optional(arg.substr(equals + 1));
    auto value = value_of(*flag, written, args, at);
    if (!value) return value.error();
    given.flags.emplace_back(flag->name, std::move(*value));
  }
  return given;
}

std::string manual_text(const Manual& manual) {
  std::size_t width = 0;
  const auto head = [](const Flag& flag) {
    return flag.value.empty() ? std::string(flag.name) : fmt::format("{}={}", flag.name, flag.value);
  };
  for (const auto& flag : manual.flags) width = std::max(width, head(flag).size());
  std::string out = fmt::format("usage: {} {}\n\n{}\n", manual.command, manual.usage, manual.about);
  for (const auto& flag : manual.flags) out += fmt::format("  {:<{}}  {}\n", head(flag), width, flag.help);
  return out;
}

base::Expected<std::int64_t> number_flag(const Given& given, std::string_view name, std::int64_t fallback,
                                         std::int64_t least, std::int64_t most) {
  const std::string* text = given.last(name);
  if (text == nullptr) return fallback;
  const auto value = base::parse_int(*text);
  if (value && *value >= least && *value <= most) return *value;
  return usage_error(fmt::format("{}={}: not a number from {} to {}", name, *text, least, most), "", "");
}

int with_flags(const Manual& manual, std::span<const std::string> args,
               const std::function<base::Expected<std::string>(const Given&)>& carry_out) {
  const auto given = read_flags(manual, args);
  auto text = !given        ? base::Expected<std::string>(given.error())
              : given->help ? base::Expected<std::string>(manual_text(manual))
                            : carry_out(*given);
  if (!text) {
    show_error(text.error(), manual.command);
    return exit_code(text.error(), false);
  }
  return written(given->has("--raw") ? write_bytes(stdout, *text) : write_text(stdout, *text), manual.command);
}

int print_out(std::string_view text, std::string_view program) { return written(write_text(stdout, text), program); }

}  // namespace fathom::cli
