// Reads /sys/bus/event_source/devices once. A file that is missing or cannot be parsed is skipped: drivers differ, and
// a missing file of one driver must not hide the others.
#include "pmu/events/sources.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <string>

#include "base/system/cpu_list.h"
#include "base/text/parse.h"
#include "host/proc/text_file.h"
#include "pmu/events/format.h"

namespace fathom::pmu::events {
namespace {

constexpr std::string_view kSideFiles[] = {".scale", ".unit", ".per-pkg", ".snapshot"};

bool ends_with_any(std::string_view name) {
  return std::any_of(std::begin(kSideFiles), std::end(kSideFiles), [&](auto end) { return name.ends_with(end); });
}

std::vector<NamedEvent> read_events(const std::string& folder) {
  std::vector<NamedEvent> events;
  for (const auto& name : host::proc::list_names(folder)) {
    if (ends_with_any(name)) continue;
    const std::string file = fmt::format("{}/{}", folder, name);
    NamedEvent event{name, host::proc::read_line(file), 1, host::proc::read_line(fmt::format("{}.unit", file))};
    if (const auto scale = base::text::parse_double(host::proc::read_line(fmt::format("{}.scale", file))))
      event.scale = *scale;
    if (!event.terms.empty()) events.push_back(std::move(event));
  }
  return events;
}

Source read_source(const std::string& name, const std::string& folder) {
  Source source;
  source.name = name;
  source.alias = host::proc::read_line(folder + "/alias");
  const auto type = parse_number(host::proc::read_line(folder + "/type"));
  if (type && *type <= std::numeric_limits<std::uint32_t>::max()) source.type = static_cast<std::uint32_t>(*type);
  for (const auto& term : host::proc::list_names(folder + "/format"))
    if (const auto format = parse_format(host::proc::read_line(fmt::format("{}/format/{}", folder, term))))
      source.formats[term] = *format;
  source.events = read_events(folder + "/events");
  source.cpumask = base::system::kernel_cpu_list(host::proc::read_line(folder + "/cpumask"));
  source.has_cpumask = !source.cpumask.empty();
  if (source.has_cpumask) return source;
  source.cpumask = base::system::kernel_cpu_list(host::proc::read_line(folder + "/cpus"));
  source.core = !source.cpumask.empty();
  return source;
}

}  // namespace

const NamedEvent* Source::find(std::string_view event) const {
  const auto found = std::find_if(events.begin(), events.end(), [&](const auto& e) { return e.name == event; });
  return found == events.end() ? nullptr : &*found;
}

EventSources::EventSources(std::string prefix, clock::sources::Cpuid cpuid)
    : prefix_(std::move(prefix)), cpuid_(std::move(cpuid)) {
  if (!cpuid_ && prefix_.empty()) cpuid_ = clock::sources::this_cpu;
  const std::string devices = prefix_ + "/sys/bus/event_source/devices";
  for (const auto& name : host::proc::list_names(devices))
    sources_.push_back(read_source(name, fmt::format("{}/{}", devices, name)));
}

std::vector<const Source*> EventSources::kinds_of_core() const {
  std::vector<const Source*> cores;
  for (const auto& source : sources_)
    if (source.core && source.type) cores.push_back(&source);
  if (cores.size() < 2) cores.clear();
  return cores;
}

const Source* EventSources::find(std::string_view name) const {
  const auto found = std::find_if(sources_.begin(), sources_.end(), [&](const auto& s) { return s.name == name; });
  return found == sources_.end() ? nullptr : &*found;
}

}  // namespace fathom::pmu::events
