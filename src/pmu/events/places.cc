// A place is the list of numbers that its CPUs share: empty, {cpu}, {socket}, {socket, die}, {socket, die, core}.
#include "pmu/events/places.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "base/system/cpu_list.h"
#include "base/text/parse.h"
#include "host/proc/text_file.h"

namespace fathom::pmu::events {
namespace {

using Place = std::vector<int>;

Place place_of(int cpu, Together together, const std::string& prefix) {
  const auto number = [&](const char* file) {
    const auto value = base::text::parse_int(
        host::proc::read_line(fmt::format("{}/sys/devices/system/cpu/cpu{}/topology/{}", prefix, cpu, file)));
    return value && *value >= 0 ? static_cast<int>(*value) : 0;
  };
  if (together == Together::all) return {};
  if (together == Together::cpu) return {cpu};
  Place place = {number("physical_package_id")};
  if (together != Together::socket) place.push_back(number("die_id"));
  if (together == Together::core) place.push_back(number("core_id"));
  return place;
}

std::string name_of(const Place& place, Together together) {
  if (together == Together::cpu) return fmt::format("CPU{}", place[0]);
  std::string name;
  for (std::size_t i = 0; i < place.size(); ++i) name += fmt::format("{}{}{}", i == 0 ? "" : "-", "SDC"[i], place[i]);
  return name;
}

std::vector<int> common(std::span<const int> a, std::span<const int> b) {
  std::vector<int> both;
  std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(both));
  return both;
}

// Copies events to places, and renumbers their mentions and groups.
class Copies {
 public:
  void add(std::span<const Event> mention, const std::string& place, std::span<const int> cpus) {
    const std::size_t before = events.size();
    for (const Event& event : mention) {
      auto counted = event.cpus.empty() ? std::vector<int>(cpus.begin(), cpus.end()) : common(event.cpus, cpus);
      if (counted.empty()) continue;
      Event copy = event;
      copy.cpus = std::move(counted);
      copy.place = place;
      copy.mention = mentions_;
      if (event.group >= 0)
        copy.group = groups_.try_emplace({event.group, place}, static_cast<int>(groups_.size())).first->second;
      events.push_back(std::move(copy));
    }
    mentions_ += events.size() > before;
  }
  std::vector<Event> events;

 private:
  std::map<std::pair<int, std::string>, int> groups_;
  int mentions_ = 0;
};

}  // namespace

std::vector<int> online_cpus(const std::string& prefix) {
  auto cpus = base::system::kernel_cpu_list(host::proc::read_line(prefix + "/sys/devices/system/cpu/online"));
  if (!cpus.empty()) return cpus;
  for (long cpu = 0; cpu < ::sysconf(_SC_NPROCESSORS_ONLN); ++cpu) cpus.push_back(static_cast<int>(cpu));
  return cpus;
}

std::vector<Event> on_cpus(std::span<const Event> events, std::span<const int> cpus, Together together,
                           const std::string& prefix) {
  std::map<Place, std::vector<int>> places;
  for (const int cpu : cpus) places[place_of(cpu, together, prefix)].push_back(cpu);
  std::vector<std::span<const Event>> mentions;
  for (std::size_t begin = 0, end = 0; begin < events.size(); begin = end) {
    while (end < events.size() && events[end].mention == events[begin].mention) ++end;
    mentions.push_back(events.subspan(begin, end - begin));
  }
  Copies copies;
  if (together == Together::cpu)
    for (const auto& mention : mentions)
      for (const auto& [place, of_place] : places) copies.add(mention, name_of(place, together), of_place);
  else
    for (const auto& [place, of_place] : places)
      for (const auto& mention : mentions) copies.add(mention, name_of(place, together), of_place);
  return std::move(copies.events);
}

}  // namespace fathom::pmu::events
