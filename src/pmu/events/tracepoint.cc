// tracefs has the numbers of tracepoints (pmu/events/tracefs.h). Often only root can read its files.
#include <fmt/format.h>
#include <fnmatch.h>
#include <linux/perf_event.h>
#include <unistd.h>

#include <cerrno>

#include "base/nearest.h"
#include "host/proc/text_file.h"
#include "pmu/events/event_parse.h"
#include "pmu/events/format.h"
#include "pmu/events/tracefs.h"

namespace fathom::pmu::events {
namespace {

constexpr std::string_view kNameLetters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.*?[]";

base::Error at_place(base::Error error, std::string_view all, std::string_view part) {
  error.place = mistake(all, part, "", "").place;
  return error;
}

base::Error ids_unreadable() {
  auto error = base::system_error("the numbers of tracepoints cannot be read", EACCES);
  error.cause = "tracefs belongs to root";
  error.help = "run as root; other events still work";
  return error;
}

std::vector<std::string> fitting(const std::vector<std::string>& names, std::string_view pattern) {
  std::vector<std::string> found;
  for (const auto& name : names)
    if (::fnmatch(std::string(pattern).c_str(), name.c_str(), 0) == 0) found.push_back(name);
  return found;
}

struct Found {
  std::vector<Event> events;
  bool unreadable = false;
};

void add_from(const std::string& folder, const std::string& system, std::string_view pattern, Found& found) {
  for (const auto& name : fitting(host::proc::list_names(folder), pattern)) {
    const std::string file = folder + "/" + name + "/id";
    const auto id = parse_number(host::proc::read_line(file));
    if (!id) found.unreadable |= ::access(file.c_str(), R_OK) != 0 && errno == EACCES;
    if (!id) continue;
    Event event;
    event.name = system + ":" + name;
    event.pmu = "tracepoint";
    event.alias = name;
    event.type = PERF_TYPE_TRACEPOINT;
    event.config[0] = *id;
    found.events.push_back(std::move(event));
  }
}

}  // namespace

base::Expected<std::vector<Event>> tracepoints(std::string_view all, std::string_view system, std::string_view name,
                                               const std::string& prefix) {
  for (const auto part : {system, name})
    if (part.empty() || part.find_first_not_of(kNameLetters) != std::string_view::npos)
      return mistake(all, part, fmt::format("no tracepoint `{}:{}`", system, name), "write tracepoints as system:name");
  const auto root = tracefs_root(prefix);
  if (!root) return at_place(root.error(), all, system);
  const std::string folder = *root + "/events";
  const auto systems = host::proc::list_names(folder);
  const auto meant = fitting(systems, system);
  if (meant.empty())
    return mistake(
        all, system, fmt::format("no event, and no group of tracepoints `{}`", system),
        base::did_you_mean(system, systems, "look in /sys/kernel/tracing/events, which has a directory per group"));
  Found found;
  for (const auto& one : meant) add_from(folder + "/" + one, one, name, found);
  if (!found.events.empty()) return found.events;
  if (found.unreadable) return at_place(ids_unreadable(), all, system);
  const auto names = host::proc::list_names(folder + "/" + meant.front());
  return mistake(all, name, fmt::format("no tracepoint `{}` in {}", name, meant.front()),
                 base::did_you_mean(
                     name, names,
                     fmt::format("look in /sys/kernel/tracing/events/{}, which lists the tracepoints", meant.front())));
}

}  // namespace fathom::pmu::events
