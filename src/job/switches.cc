// fio's own options, and fathom's, which are accepted in fio mode too.
#include "job/switches.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/nearest.h"
#include "base/parse.h"
#include "job/value.h"

namespace fathom::job {
namespace {

Outcome usage(std::string what, std::string cause, std::string help, std::string_view at,
              base::ErrorKind kind = base::ErrorKind::usage) {
  return Problem{std::move(what), std::move(cause), std::move(help), at, kind};
}

template <bool Command::*Member>
Outcome set(Command& command, std::string_view) {
  command.*Member = true;
  return {};
}

Outcome read_count(std::string_view value, unsigned max, unsigned& out) {
  const auto n = base::parse_int(value);
  if (!n) return usage("not a number", n.error().what, "write a whole number", value);
  if (*n < 1 || *n > max)
    return usage("out of range", fmt::format("it is between 1 and {}", max), "write a number in that range", value);
  out = static_cast<unsigned>(*n);
  return {};
}

template <unsigned Command::*Member>
Outcome count(Command& command, std::string_view value) {
  return read_count(value, 1'000'000, command.*Member);
}

Outcome cmdhelp(Command& command, std::string_view value) {
  command.cmdhelp = std::string(value);
  return {};
}
Outcome enghelp(Command& command, std::string_view value) {
  command.enghelp = std::string(value);
  return {};
}
Outcome output(Command& command, std::string_view value) {
  command.output = std::string(value);
  return {};
}

Outcome output_format(Command& command, std::string_view value) {
  constexpr std::string_view kFormats[] = {"normal", "json", "json+", "spdk", "spdk-l", "spdk-ll", "spdk-stats"};
  std::vector<std::string> formats;
  for (const auto part : split(value, ',')) {
    if (part == "terse")
      return usage("fio's terse output is not built in fathom yet", "", "write `--output-format=json` or `json+`", part,
                   base::ErrorKind::not_built);
    if (std::find(std::begin(kFormats), std::end(kFormats), part) == std::end(kFormats))
      return usage("not an output format", "the formats are normal, json, json+, spdk, spdk-l, spdk-ll and spdk-stats",
                   base::did_you_mean(part, kFormats, "write one of them"), part);
    formats.emplace_back(part);
  }
  command.output_formats = std::move(formats);
  return {};
}

Outcome section(Command& command, std::string_view value) {
  command.sections.emplace_back(value);
  return {};
}

Outcome eta(Command& command, std::string_view value) {
  if (value == "auto")
    command.eta = Eta::automatic;
  else if (value == "always")
    command.eta = Eta::always;
  else if (value == "never")
    command.eta = Eta::never;
  else
    return usage("not a value of --eta", "the values are always, never and auto", "write `--eta=never`", value);
  return {};
}

Outcome stamps(Command& command, std::string_view value) {
  if (value != "fio" && value != "fathom")
    return usage("not a value of --stamps", "the values are fathom and fio", "write `--stamps=fio`", value);
  command.fio_stamps = value == "fio";
  return {};
}

Outcome clock_check(Command& command, std::string_view value) {
  if (value == "cached")
    command.clock_check = ClockCheck::cached;
  else if (value == "full")
    command.clock_check = ClockCheck::full;
  else if (value == "skip")
    command.clock_check = ClockCheck::skip;
  else
    return usage("not a value of --clock-check", "the values are cached, full and skip", "write `--clock-check=full`",
                 value);
  return {};
}

// auto: sysfs, /proc and a PMU; trace: tracepoints too; pmu:NAME: this PMU, whatever port the device is behind; link:
// the PMU's link events too, in turns on a counter of their own; smart: an NVMe controller's health log, by a command.
Outcome audit(Command& command, std::string_view value) {
  constexpr std::string_view kWays[] = {"auto", "off", "trace", "pmu", "link", "smart"};
  std::vector<std::string> ways;
  for (const auto part : split(value, ',')) {
    const bool named = part.starts_with("pmu:") && part.size() > 4;
    if (!named && std::find(std::begin(kWays), std::end(kWays), part) == std::end(kWays))
      return usage("not a value of --audit", "the values are auto, off, trace, pmu, pmu:NAME, link and smart",
                   base::did_you_mean(part, kWays, "write one of them"), part);
    ways.emplace_back(part);
  }
  if (ways.size() > 1 && std::find(ways.begin(), ways.end(), "off") != ways.end())
    return usage("`off` stands alone", "the other values ask for an audit", "write `--audit=off`", value);
  command.audit = std::move(ways);
  return {};
}

Outcome unit_bytes(Command& command, std::string_view value) {
  const auto bytes = base::parse_double(value);
  if (!bytes || !(*bytes > 0))
    return usage("not a number of bytes", "it is what one increment of the counter stands for",
                 "write `--unit-bytes=16`", value);
  command.unit_bytes = *bytes;
  return {};
}

Outcome debug(Command& command, std::string_view value) {
  for (const auto part : split(value, ','))
    if (part != "parse")
      return usage(fmt::format("fio's debug output `{}` is not built in fathom yet", part), "", "write `--debug=parse`",
                   part, base::ErrorKind::not_built);
  command.debug_parse = true;
  return {};
}

// A list, and one name: a device may have commas in its own (a socket's path, options of a controller in software).
Outcome allow_destructive(Command& command, std::string_view value) {
  if (value.find(',') != std::string_view::npos) command.allow_destructive.emplace_back(value);
  for (const auto part : split(value, ','))
    if (!part.empty()) command.allow_destructive.emplace_back(part);
  return {};
}

// As in fio, the limit is 4096 whatever is written here.
Outcome max_jobs(Command&, std::string_view value) {
  const auto n = base::parse_int(value);
  if (n) return {};
  return usage("not a number", n.error().what, "write a whole number, or leave it out", value);
}

// fio's pools of shared memory; fathom has none to make larger.
Outcome no_effect(Command&, std::string_view) { return {}; }

constexpr Switch kSwitches[] = {
    {"help", Takes::nothing, set<&Command::help>, "Print this page"},
    {"version", Takes::nothing, set<&Command::version>, "Print the version"},
    {"cmdhelp", Takes::optional_value, cmdhelp, "Help for one option, or a line for each"},
    {"enghelp", Takes::optional_value, enghelp, "The engines, or the options of one"},
    {"parse-only", Takes::nothing, set<&Command::parse_only>, "Check the jobs and do not run them"},
    {"showcmd", Takes::nothing, set<&Command::showcmd>, "Print job files as command lines"},
    {"cpuclock-test", Takes::nothing, set<&Command::cpuclock_test>, "Test the CPU clock across CPUs, in fio's words"},
    {"debug", Takes::value, debug, "parse: print how each option was understood"},
    {"output", Takes::value, output, "Write the report to this file"},
    {"output-format", Takes::value, output_format,
     "normal, json, json+, spdk, spdk-l, spdk-ll, spdk-stats; several separated by commas"},
    {"section", Takes::value, section, "Run only this job of the file; may be given again"},
    {"eta", Takes::value, eta, "Status line: always, never or auto"},
    {"readonly", Takes::nothing, set<&Command::readonly>, "Refuse jobs that write or trim"},
    {"max-jobs", Takes::value, max_jobs, "Without effect, as in fio: the limit is 4096 jobs"},
    {"alloc-size", Takes::value, no_effect, "Without effect: there are no pools to size"},
    {"repeat", Takes::value, count<&Command::repeat>, "Run everything this often and report mean and spread"},
    {"settle", Takes::nothing, set<&Command::settle>, "Wait until machine and target are idle"},
    {"stamps", Takes::value, stamps, "fio: stamp I/Os where fio does; fathom: before the system call"},
    {"clock-check", Takes::value, clock_check, "Test of the CPU clock before a run: cached, full or skip"},
    {"audit", Takes::value, audit,
     "What holds the bytes against other counters: auto, off, trace, pmu, pmu:NAME, link, smart; several separated by "
     "commas"},
    {"breakdown", Takes::nothing, set<&Command::breakdown>,
     "Divide latencies into submit, queue, device and completion, by the kernel's tracepoints"},
    {"unit-bytes", Takes::value, unit_bytes, "Bytes of one increment of the PCIe counter, instead of the table's"},
    {"allow-destructive", Takes::value, allow_destructive, "Allow writing to this device although it is in use"},
    {"minimal", Takes::nothing, nullptr, ""},
    {"append-terse", Takes::nothing, nullptr, ""},
    {"terse-version", Takes::value, nullptr, ""},
    {"bandwidth-log", Takes::optional_value, nullptr, ""},
    {"latency-log", Takes::value, nullptr, ""},
    {"status-interval", Takes::value, nullptr, ""},
    {"eta-interval", Takes::value, nullptr, ""},
    {"eta-newline", Takes::value, nullptr, ""},
    {"warnings-fatal", Takes::nothing, nullptr, ""},
    {"server", Takes::optional_value, nullptr, ""},
    {"daemonize", Takes::value, nullptr, ""},
    {"client", Takes::value, nullptr, ""},
    {"remote-config", Takes::value, nullptr, ""},
    {"crctest", Takes::optional_value, nullptr, ""},
    {"memcpytest", Takes::optional_value, nullptr, ""},
    {"idle-prof", Takes::value, nullptr, ""},
    {"inflate-log", Takes::value, nullptr, ""},
    {"trigger-file", Takes::value, nullptr, ""},
    {"trigger-timeout", Takes::value, nullptr, ""},
    {"trigger", Takes::value, nullptr, ""},
    {"trigger-remote", Takes::value, nullptr, ""},
    {"aux-path", Takes::value, nullptr, ""},
    {"merge-blktrace-only", Takes::nothing, nullptr, ""},
};

}  // namespace

std::span<const Switch> switches() { return kSwitches; }

}  // namespace fathom::job
