// On which CPUs events count: of a machine of two sockets in a folder, by every way of showing CPUs apart.
#include "pmu/events/places.h"

#include <gtest/gtest.h>

#include "host/temp_tree.h"

namespace fathom::pmu::events {
namespace {

using host::testing::TempTree;
using Lines = std::vector<std::string>;

// Two sockets of two cores of two CPUs: CPU n and n + 4 are one core.
void two_sockets(const TempTree& tree) {
  tree.file("/sys/devices/system/cpu/online", "0-7\n");
  for (int cpu = 0; cpu < 8; ++cpu) {
    const std::string topology = "/sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/topology/";
    tree.file(topology + "physical_package_id", std::to_string(cpu % 4 / 2) + "\n");
    tree.file(topology + "core_id", std::to_string(cpu % 2) + "\n");
  }
}

Event named(const char* name, int mention, std::vector<int> cpus = {}, int group = -1) {
  Event event;
  event.name = name;
  event.mention = mention;
  event.cpus = std::move(cpus);
  event.group = group;
  return event;
}

// "2 S0-D0 cs 0,1": mention, place, name, CPUs.
Lines lines(const std::vector<Event>& events) {
  Lines lines;
  for (const auto& event : events) {
    std::string line = std::to_string(event.mention) + " " + event.place + " " + event.name;
    for (const int cpu : event.cpus) line += (cpu == event.cpus.front() ? " " : ",") + std::to_string(cpu);
    lines.push_back(line);
  }
  return lines;
}

struct Placed : TempTree {
  Placed() { two_sockets(*this); }
  Lines of(const std::vector<Event>& events, Together together, const std::vector<int>& cpus) const {
    return lines(on_cpus(events, cpus, together, root()));
  }
};

TEST(PmuPlaces, OnlineCpusAreThoseOfTheKernelsList) {
  EXPECT_EQ(online_cpus(Placed().root()), (std::vector<int>{0, 1, 2, 3, 4, 5, 6, 7}));
}

TEST(PmuPlaces, ChosenCpusAreCountedTogether) {
  const std::vector<Event> events = {named("cs", 0), named("imc", 1, {0, 2}), named("atom", 2, {6, 7})};
  EXPECT_EQ(Placed().of(events, Together::all, {0, 1}), (Lines{"0  cs 0,1", "1  imc 0"}))
      << "what counts elsewhere is dropped";
}

TEST(PmuPlaces, EachCpuHasARowEventByEvent) {
  EXPECT_EQ(Placed().of({named("cs", 0), named("imc", 1, {0, 2})}, Together::cpu, {0, 1, 2}),
            (Lines{"0 CPU0 cs 0", "1 CPU1 cs 1", "2 CPU2 cs 2", "3 CPU0 imc 0", "4 CPU2 imc 2"}));
}

TEST(PmuPlaces, LargerPlacesFollowEachOther) {
  const Placed machine;
  const std::vector<Event> events = {named("cs", 0), named("faults", 1)};
  const std::vector<int> all = online_cpus(machine.root());
  EXPECT_EQ(machine.of(events, Together::socket, all),
            (Lines{"0 S0 cs 0,1,4,5", "1 S0 faults 0,1,4,5", "2 S1 cs 2,3,6,7", "3 S1 faults 2,3,6,7"}));
  EXPECT_EQ(machine.of({events[0]}, Together::die, {1, 2}), (Lines{"0 S0-D0 cs 1", "1 S1-D0 cs 2"}));
  EXPECT_EQ(machine.of({events[0]}, Together::core, all),
            (Lines{"0 S0-D0-C0 cs 0,4", "1 S0-D0-C1 cs 1,5", "2 S1-D0-C0 cs 2,6", "3 S1-D0-C1 cs 3,7"}));
}

TEST(PmuPlaces, InstancesUnderOneNameStayOneMention) {
  EXPECT_EQ(Placed().of({named("imc", 0, {0, 2}), named("imc", 0, {0, 2}), named("cs", 1)}, Together::socket, {0, 2}),
            (Lines{"0 S0 imc 0", "0 S0 imc 0", "1 S0 cs 0", "2 S1 imc 2", "2 S1 imc 2", "3 S1 cs 2"}));
}

TEST(PmuPlaces, AGroupIsAGroupOfEachPlace) {
  const std::vector<Event> events = {named("a", 0, {}, 0), named("b", 1, {}, 0), named("c", 2)};
  std::vector<int> groups;
  for (const auto& event : on_cpus(events, std::vector{0, 1}, Together::cpu, Placed().root()))
    groups.push_back(event.group);
  EXPECT_EQ(groups, (std::vector<int>{0, 1, 0, 1, -1, -1}));
}

}  // namespace
}  // namespace fathom::pmu::events
