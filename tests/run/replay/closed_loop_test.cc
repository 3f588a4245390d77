// What an I/O of a closed loop waits for. Times in ns since the job or the trace began.
#include "run/replay/closed_loop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace fathom::run::replay {
namespace {

using testing::ElementsAre;

trace::Event event(std::uint64_t time_ns, std::uint64_t response_ns) {
  trace::Event e;
  e.time_ns = time_ns;
  e.response_ns = response_ns;
  return e;
}

TEST(RecordedEnds, NamesWhatEndedSinceTheEventBefore) {
  RecordedEnds recorded;
  EXPECT_THAT(recorded.before(event(10, 100), 2), ElementsAre());
  EXPECT_EQ(recorded.pause_ns(), 10u);
  EXPECT_THAT(recorded.before(event(50, 20), 1), ElementsAre());
  EXPECT_THAT(recorded.before(event(75, trace::kNotKnown), 1), ElementsAre(2));
  EXPECT_EQ(recorded.pause_ns(), 5u);
  EXPECT_THAT(recorded.before(event(200, 5), 1), ElementsAre(0, 1));
  EXPECT_EQ(recorded.pause_ns(), 90u);
  EXPECT_THAT(recorded.before(event(150, 5), 1), ElementsAre()) << "a time that goes back";
  EXPECT_EQ(recorded.pause_ns(), 40u);
  EXPECT_THAT(recorded.before(event(900, 5), 1), ElementsAre(5, 4)) << "the request without an end has none";
}

TEST(RecordedEnds, ADeepTraceEndsTheFirst) {
  RecordedEnds recorded;
  for (std::size_t i = 0; i < RecordedEnds::kMost; ++i)
    ASSERT_THAT(recorded.before(event(5, trace::kNotKnown - 6 - i), 1), ElementsAre());
  EXPECT_THAT(recorded.before(event(5, 7), 1), ElementsAre(RecordedEnds::kMost - 1));
}

struct Loop {
  ClosedLoop closed;
  std::vector<io::Request> requests = std::vector<io::Request>(8);
  std::size_t held = 0;
  io::Request& hold(std::initializer_list<std::uint64_t> for_these, std::uint64_t pause_ns) {
    for (const auto number : for_these) closed.wait_for(number);
    closed.hold(requests[held], pause_ns);
    return requests[held++];
  }
};

TEST(ClosedLoop, TheFirstRequestsStartAfterTheirPauseInOrder) {
  Loop loop;
  EXPECT_EQ(loop.hold({}, 0).due_ns, 1u);  // 0 is not paced
  EXPECT_EQ(loop.hold({}, 700).due_ns, 700u);
  EXPECT_EQ(loop.hold({}, 300).due_ns, 701u) << "a time of its own";
}

TEST(ClosedLoop, ARequestWaitsForThoseBeforeItAndForNoOther) {
  Loop loop;
  const auto slow = loop.hold({}, 0), first = loop.hold({}, 10), second = loop.hold({}, 20);
  auto& next = loop.hold({2, 1}, 500);
  EXPECT_EQ(next.due_ns, io::kHeld_ns);
  loop.closed.ended(second, 3000);
  EXPECT_EQ(next.due_ns, io::kHeld_ns);
  loop.closed.ended(first, 1000);
  EXPECT_EQ(next.due_ns, 3500u) << "the pause counts from the last end";
  loop.closed.ended(slow, 9000);
  loop.closed.ended(next, 4000);
  EXPECT_EQ(loop.hold({3}, 5).due_ns, 4005u);
  EXPECT_EQ(loop.hold({0}, 5).due_ns, 9005u);
}

TEST(ClosedLoop, NothingInFlightEndsTheWait) {
  Loop loop;
  const auto first = loop.hold({}, 0), lost = loop.hold({}, 0);
  auto& next = loop.hold({0, 1}, 50);
  loop.closed.ended(first, 1000);
  EXPECT_EQ(next.due_ns, io::kHeld_ns);
  loop.closed.nothing_in_flight();
  EXPECT_EQ(next.due_ns, 1050u);
  loop.closed.nothing_in_flight();
  loop.closed.ended(lost, 5000);
  EXPECT_EQ(next.due_ns, 1050u) << "a request is set once";
  EXPECT_EQ(loop.hold({}, 0).due_ns, 1051u);
}

TEST(ClosedLoop, AnOldRequestIsForgotten) {
  ClosedLoop closed;
  io::Request request;
  constexpr std::uint64_t kMany = 4 * RecordedEnds::kMost;
  closed.hold(request, 0);
  for (std::uint64_t i = 1; i < kMany; ++i) {
    closed.wait_for(0);  // it never ends
    closed.hold(request, 0);
    if (request.due_ns == io::kHeld_ns) closed.nothing_in_flight();
  }
  closed.ended({.due_ns = 1}, 5);
  EXPECT_EQ(request.due_ns, kMany);
}

TEST(ClosedLoop, AnEndlessPauseIsNotTheTimeOfAHeldRequest) {
  Loop loop;
  EXPECT_EQ(loop.hold({}, io::kHeld_ns).due_ns, io::kHeld_ns - 1);
}

}  // namespace
}  // namespace fathom::run::replay
