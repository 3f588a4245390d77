// Counters over a substitute for the kernel: what is opened how, groups, wraps, refusals, sources that vanish.
#include "pmu/counters.h"

#include <gtest/gtest.h>

#include "pmu/fake_kernel.h"
#include "pmu/open_errors.h"

namespace fathom::pmu {
namespace {

using testing::FakeKernel;

events::Event port_event(std::uint64_t config = 0x21) {
  events::Event event;
  event.name = "pcie_bdf_200/x/";
  event.pmu = "pcie_bdf_200";
  event.type = 60;
  event.config[0] = config;
  event.reach = events::Reach::system;
  event.cpus = {0};
  return event;
}

events::Event software_event() {
  events::Event event;
  event.name = event.pmu = "software";
  event.type = PERF_TYPE_SOFTWARE;
  return event;
}

OpenOptions options(pid_t pid = -1, bool all_cpus = false) {
  OpenOptions o;
  if (pid >= 0) o.tasks = {pid};
  o.all_cpus = all_cpus;
  o.calls = &FakeKernel::calls();
  return o;
}

TEST(Counters, AnUncoreEventIsOpenedOnItsCpumaskForAllTasks) {
  FakeKernel kernel;
  events::Event event = port_event();
  event.cpus = {0, 64};
  event.config[3] = 9;
  auto opened = Counters::open({event}, options(4711));
  ASSERT_TRUE(opened);
  ASSERT_EQ(kernel.counters.size(), 2u);
  EXPECT_EQ(kernel.counters[0].pid, -1);
  EXPECT_EQ(kernel.counters[1].cpu, 64);
  EXPECT_FALSE(kernel.counters[0].attr.inherit);
  EXPECT_TRUE(kernel.counters[0].attr.disabled);
  EXPECT_GT(kernel.counters[0].attr.size, static_cast<std::uint32_t>(PERF_ATTR_SIZE_VER7)) << "config3 lies behind";
}

TEST(Counters, TheAttributeIsAsLongAsTheWordsItFills) {
  FakeKernel kernel;
  constexpr std::uint32_t kSizes[] = {128, 128, 128, 136, 144};
  for (std::size_t word = 0; word < events::kConfigWords; ++word) {
    events::Event event = port_event();
    event.config[word] = 0x10 + word;
    ASSERT_TRUE(Counters::open({event}, options()));
    const auto& attr = kernel.counters.back().attr;
    EXPECT_EQ(attr.size, kSizes[word]) << word;
    EXPECT_EQ(kernel.counters.back().behind[0], word == 3 ? 0x13u : 0u);
    EXPECT_EQ(kernel.counters.back().behind[1], word == 4 ? 0x14u : 0u);
  }
  kernel.refuse = [](const auto& counter) { return counter.attr.size > PERF_ATTR_SIZE_VER7 ? E2BIG : 0; };
  events::Event event = port_event();
  event.config[4] = 1;
  const auto refused = Counters::open({event}, options());
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().help.find("one later than 6.18 for config4"), std::string::npos);
}

TEST(Counters, EachKindOfCoreIsOpenedForATaskAndOnItsOwnCpus) {
  events::Event core, atom;
  core.type = atom.type = PERF_TYPE_HARDWARE;
  core.cpus = {0, 1};
  atom.cpus = {2};
  for (const bool all_cpus : {false, true}) {
    FakeKernel kernel;
    ASSERT_TRUE(Counters::open({core, atom}, options(all_cpus ? -1 : 4711, all_cpus)));
    std::vector<int> cpus;
    for (const auto& counter : kernel.counters) cpus.push_back(counter.cpu);
    EXPECT_EQ(cpus, (all_cpus ? std::vector<int>{0, 1, 2} : std::vector<int>{-1, -1}));
  }
}

TEST(Counters, ATaskEventIsInheritedAndEnabledOnExec) {
  FakeKernel kernel;
  auto o = options(4711);
  o.enable_on_exec = true;
  auto opened = Counters::open({software_event(), port_event()}, o);
  ASSERT_TRUE(opened);
  EXPECT_EQ(kernel.counters[0].pid, 4711);
  EXPECT_EQ(kernel.counters[0].cpu, -1);
  EXPECT_TRUE(kernel.counters[0].attr.inherit);
  EXPECT_TRUE(kernel.counters[0].attr.enable_on_exec);
  ASSERT_TRUE(opened->enable());
  EXPECT_FALSE(kernel.counters[0].enabled) << "the kernel does that";
  EXPECT_TRUE(kernel.counters[1].enabled);
}

TEST(Counters, EachTaskIsOpenedAndOneThatHasEndedIsLeftOut) {
  FakeKernel kernel;
  kernel.refuse = [](const auto& counter) { return counter.pid == 12 ? ESRCH : 0; };
  auto o = options();
  o.tasks = {11, 12, 13};
  events::Event a = software_event(), b = software_event();
  a.group = b.group = 0;
  auto opened = Counters::open({a, b}, o);
  ASSERT_TRUE(opened && opened->enable());
  std::vector<int> pids, leaders;
  for (const auto& counter : kernel.counters) pids.push_back(counter.pid), leaders.push_back(counter.group_fd);
  EXPECT_EQ(pids, (std::vector<int>{11, 13, 11, 13}));
  EXPECT_EQ(leaders, (std::vector<int>{-1, -1, 100, 101}));
  kernel.run(1000, 10, 1000);
  EXPECT_EQ(opened->read(1).raw, 20u);
  kernel.refuse = [](const auto&) { return ESRCH; };
  const auto none = Counters::open({a}, o);
  ASSERT_FALSE(none) << "all of them have ended";
  EXPECT_EQ(none.error().sys_errno, ESRCH);
}

TEST(Counters, SumsAndScalesTheCountsOfAllCpus) {
  FakeKernel kernel;
  events::Event event = port_event();
  event.cpus = {0, 64};
  auto opened = Counters::open({event}, options());
  ASSERT_TRUE(opened && opened->enable());
  kernel.run(1000, 10, 500);
  const auto count = opened->read(0);
  EXPECT_EQ(count.state, events::CountState::counted);
  EXPECT_EQ(count.raw, 20u);
  EXPECT_DOUBLE_EQ(count.scaled, 40);
  EXPECT_DOUBLE_EQ(count.running_share, 0.5);
  EXPECT_EQ(count.window_ns, 1000u);
}

TEST(Counters, CountsFromTheValueAtEnable) {
  FakeKernel kernel;
  events::Event event = port_event();
  const std::uint64_t near_wrap = ~0ull - 5;
  kernel.refuse = [](const auto&) { return 0; };
  auto opened = Counters::open({event}, options());
  kernel.counters[0].value = near_wrap;
  (void)opened->read(0);
  kernel.counters[0].value = 4;
  kernel.counters[0].running_ns = kernel.counters[0].enabled_ns = 1;
  EXPECT_EQ(opened->read(0).raw, 4u) << "over 2^64, exactly";
}

TEST(Counters, ANarrowCounterIsUnwrappedBetweenReadings) {
  FakeKernel kernel;
  events::Event event = port_event();
  event.width_bits = 8;
  auto opened = Counters::open({event}, options());
  ASSERT_TRUE(opened);
  auto& counter = kernel.counters[0];
  counter.enabled_ns = counter.running_ns = 1;
  std::uint64_t truth = 0;
  for (int i = 0; i < 50; ++i) {
    truth += 100;
    counter.value = truth & 0xff;
    EXPECT_EQ(opened->read(0).raw, truth);
  }
}

TEST(Counters, AGroupIsOpenedAsLeaderAndSiblings) {
  FakeKernel kernel;
  events::Event a = port_event(1), b = port_event(2);
  a.group = b.group = 0;
  a.pinned = b.pinned = true;
  auto opened = Counters::open({a, b}, options());
  ASSERT_TRUE(opened);
  EXPECT_EQ(kernel.counters[1].group_fd, 100);
  EXPECT_FALSE(kernel.counters[1].attr.disabled) << "it follows its leader";
  EXPECT_FALSE(kernel.counters[1].attr.pinned) << "only a leader can be";
  ASSERT_TRUE(opened->enable());
  EXPECT_TRUE(kernel.counters[1].enabled);
}

TEST(Counters, AGroupRefusedByItsPmuIsNotSupported) {
  FakeKernel kernel;
  kernel.refuse = [](const auto& counter) { return counter.group_fd >= 0 ? EINVAL : 0; };
  events::Event a = port_event(1), b = port_event(2);
  a.group = b.group = 0;
  auto opened = Counters::open({a, b}, options());
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->read(0).state, events::CountState::not_counted);
  EXPECT_EQ(opened->read(1).state, events::CountState::not_supported);
  EXPECT_TRUE(opened->refused_in_group(1));
  EXPECT_FALSE(opened->refused_in_group(0));
}

TEST(Counters, MissingHardwareEventsAreNotSupported) {
  FakeKernel kernel;
  kernel.refuse = [](const auto& counter) { return counter.attr.type == PERF_TYPE_HARDWARE ? ENOENT : 0; };
  events::Event cycles;
  cycles.type = PERF_TYPE_HARDWARE;
  auto opened = Counters::open({cycles, software_event()}, options(1));
  ASSERT_TRUE(opened);
  EXPECT_FALSE(opened->refused_in_group(0)) << "it is absent";
  EXPECT_EQ(opened->read(0).state, events::CountState::not_supported);
  kernel.refuse = [](const auto&) { return ENOENT; };
  EXPECT_FALSE(Counters::open({port_event()}, options())) << "a PMU that is there and knows no such event is an error";
}

TEST(Counters, LanesThatThePortLacksAreDropped) {
  FakeKernel kernel;
  kernel.refuse = [](const auto& counter) { return counter.attr.config >> 20 >= 2 ? EINVAL : 0; };
  std::vector<events::Event> lanes;
  for (int lane = 0; lane < 4; ++lane) {
    lanes.push_back(port_event(static_cast<std::uint64_t>(lane) << 20));
    lanes.back().lane = lane;
  }
  auto opened = Counters::open(lanes, options());
  ASSERT_TRUE(opened) << opened.error().what;
  EXPECT_EQ(kernel.counters.size(), 2u);
  kernel.refuse = [](const auto&) { return EINVAL; };
  EXPECT_FALSE(Counters::open(lanes, options())) << "not even the first";
}

TEST(Counters, APmuWithoutTaskModeCountsSystemWide) {
  FakeKernel kernel;
  kernel.refuse = [](const auto& counter) { return counter.pid >= 0 ? EINVAL : 0; };
  events::Event event = port_event();
  event.reach = events::Reach::task;
  event.cpus = {3};
  auto opened = Counters::open({event}, options(4711));
  ASSERT_TRUE(opened);
  EXPECT_EQ(kernel.counters.at(0).cpu, 3);
  EXPECT_EQ(opened->events()[0].reach, events::Reach::system);
}

TEST(Counters, WithoutPermissionUserModeIsCountedAndShownAsSuch) {
  FakeKernel kernel;
  kernel.refuse = [](const auto& counter) { return counter.attr.exclude_kernel ? 0 : EACCES; };
  auto opened = Counters::open({software_event()}, options(4711));
  ASSERT_TRUE(opened);
  EXPECT_EQ(opened->events()[0].shown(), "software:u");
  events::Event kernel_only = software_event();
  kernel_only.exclude_user = kernel_only.exclude_hv = true;
  kernel_only.modifiers = "k";
  const auto nothing_left = Counters::open({kernel_only}, options(4711));
  ASSERT_FALSE(nothing_left) << "without the kernel nothing is left of :k";
  EXPECT_EQ(nothing_left.error().kind, base::ErrorKind::privilege);
  kernel.refuse = [](const auto&) { return EACCES; };
  const auto refused = Counters::open({software_event()}, options(4711));
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.error().kind, base::ErrorKind::privilege);
}

TEST(Counters, APinnedEventWithoutACounterIsReportedAsTaken) {
  FakeKernel kernel;
  events::Event event = port_event();
  event.pinned = true;
  auto opened = Counters::open({event}, options());
  kernel.counters[0].read_error = -1;
  EXPECT_EQ(opened->read(0).state, events::CountState::taken);
}

TEST(Counters, AVanishedPmuKeepsTheLastReading) {
  FakeKernel kernel;
  auto opened = Counters::open({port_event()}, options());
  ASSERT_TRUE(opened->enable());
  kernel.run(1000, 70, 1000);
  EXPECT_EQ(opened->read(0).raw, 70u);
  kernel.counters[0].read_error = ENODEV;
  const auto count = opened->read(0);
  EXPECT_EQ(count.state, events::CountState::lost);
  EXPECT_EQ(count.raw, 70u);
  kernel.counters[0].read_error = 0;
  EXPECT_EQ(opened->read(0).state, events::CountState::lost) << "what came back began anew";
}

TEST(Counters, AFailedOpenClosesAllDescriptors) {
  FakeKernel kernel;
  kernel.refuse = [&](const auto&) { return kernel.counters.size() == 2 ? EMFILE : 0; };
  events::Event event = port_event();
  event.cpus = {0, 1, 2};
  const auto opened = Counters::open({event}, options());
  ASSERT_FALSE(opened);
  EXPECT_NE(opened.error().help.find("ulimit"), std::string::npos);
  for (const auto& counter : kernel.counters) EXPECT_TRUE(counter.closed);
}

TEST(OpenErrors, NameThePermissionToSetAndWhatStillWorks) {
  const auto denied = open_error(port_event(), EACCES, true, 2);
  EXPECT_EQ(denied.kind, base::ErrorKind::privilege);
  EXPECT_NE(denied.cause.find("perf_event_paranoid is 2"), std::string::npos);
  EXPECT_NE(denied.cause.find("in user mode"), std::string::npos);
  EXPECT_NE(denied.help.find("perf_event_paranoid=0"), std::string::npos);
  EXPECT_NE(open_error(software_event(), EPERM, false, 2).help.find("perf_event_paranoid=1"), std::string::npos);
  EXPECT_NE(open_error(port_event(), EPERM, true, 4).cause.find("nothing without CAP_PERFMON"), std::string::npos);
  EXPECT_NE(open_error(port_event(), EBUSY, true, 0).cause.find("another user"), std::string::npos);
  EXPECT_NE(open_error(port_event(), ENODEV, true, 0).cause.find("no longer exists"), std::string::npos);
}

}  // namespace
}  // namespace fathom::pmu
