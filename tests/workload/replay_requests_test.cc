// What each record of a trace becomes, and when it is due. Recorded times of the tests are in ns.
#include "workload/replay_requests.h"

#include <gtest/gtest.h>

#include <vector>

namespace fathom::workload::testing {
namespace {

using job::fields::Replay;
using trace::Action;
using trace::Event;

Event io_at(std::uint64_t time_ns, Action action, std::uint64_t offset = 0, std::uint64_t length = 4096) {
  Event event;
  event.time_ns = time_ns;
  event.action = action;
  event.offset_bytes = offset;
  event.length_bytes = length;
  return event;
}

struct Made {
  std::vector<io::Request> requests;
  ReplayRequests maker;
};
Made make_all(const std::vector<Event>& events, const Replay& options = {}, bool has_times = true,
              std::vector<ReplayTarget> targets = {{}}, ReplayLimits limits = {}) {
  Made made{{}, ReplayRequests(options, has_times, std::move(targets), limits)};
  for (const auto& event : events) {
    io::Request out[ReplayRequests::kMost];
    const auto n = made.maker.make(event, out);
    made.requests.insert(made.requests.end(), out, out + n);
  }
  return made;
}
std::vector<std::uint64_t> dues(const Made& made) {
  std::vector<std::uint64_t> out;
  for (const auto& request : made.requests) out.push_back(request.due_ns);
  return out;
}
using Times = std::vector<std::uint64_t>;

TEST(ReplayRequests, TheFirstGapAndNanosecondsAreKept) {
  const auto made =
      make_all({io_at(0, Action::read), io_at(1'000'000'001, Action::read), io_at(1'000'000'003, Action::write)});
  EXPECT_EQ(dues(made), (Times{1, 1'000'000'001, 1'000'000'003}));  // 0 is not a paced request
}

// effect: replay_time_scale
TEST(ReplayRequests, TimeScaleIsAPercentageOfTheRate) {
  Replay half, twice;
  half.time_scale = 50;
  twice.time_scale = 200;
  const std::vector<Event> events{io_at(400, Action::read), io_at(1'000'000'000'000'000'000, Action::read)};
  EXPECT_EQ(dues(make_all(events, half)), (Times{800, 2'000'000'000'000'000'000}));
  EXPECT_EQ(dues(make_all(events, twice)), (Times{200, 500'000'000'000'000'000}));
}

TEST(ReplayRequests, TimesBeyondAPacedRequestEndThere) {
  Replay slow;
  slow.time_scale = 1;
  EXPECT_EQ(dues(make_all({io_at(~std::uint64_t{0}, Action::read)}, slow)), (Times{io::kHeld_ns - 1}));
}

// effect: replay_no_stall
TEST(ReplayRequests, NoStallHasNoTimes) {
  Replay options;
  options.no_stall = true;
  EXPECT_EQ(dues(make_all({io_at(5, Action::read), io_at(900, Action::write)}, options)), (Times{0, 0}));
}

TEST(ReplayRequests, TimesThatGoBackAddNoDelay) {
  EXPECT_EQ(dues(make_all({io_at(10, Action::read), io_at(5, Action::read), io_at(11, Action::read)})),
            (Times{10, 10, 11}));
}

// effect: replay_skip
TEST(ReplayRequests, PausesOfSkippedKindsAreKept) {
  Replay options;
  options.skipped_dirs = 1u << io::index(io::Dir::write);
  const auto made = make_all({io_at(10, Action::read), io_at(600, Action::write), io_at(600, Action::read)}, options);
  EXPECT_EQ(dues(made), (Times{10, 600}));
  EXPECT_EQ(made.maker.skipped(ReplaySkipReason::asked_write), 1u);
  EXPECT_EQ(made.maker.made(), 2u);
}

TEST(ReplayRequests, WaitsDelayATraceWithoutTimes) {
  Event wait = io_at(7'000'000, Action::add, 0, 0);
  wait.is_wait = true;
  const auto made = make_all({io_at(0, Action::read), wait, io_at(7'000'000, Action::read)}, {}, false);
  EXPECT_EQ(dues(made), (Times{0, 7'000'000}));
}

// effect: replay_scale replay_align
TEST(ReplayRequests, OffsetsAreScaledThenAligned) {
  Replay options;
  options.scale = 3;
  options.align_bytes = 4096;
  const auto made = make_all({io_at(1, Action::read, 30'000, 5000)}, options);
  ASSERT_EQ(made.requests.size(), 1u);
  EXPECT_EQ(made.requests[0].offset, 8192u);
  EXPECT_EQ(made.requests[0].length, 8192u);
}

TEST(ReplayRequests, AFlushBeforeAWriteIsASyncAndThenTheWrite) {
  auto write = io_at(9, Action::write, 512, 512);
  write.flush_first = write.forced_unit_access = true;
  const auto made = make_all({write});
  ASSERT_EQ(made.requests.size(), 3u);
  EXPECT_EQ(made.requests[0].dir, io::Dir::sync);
  EXPECT_EQ(made.requests[0].flags, 0);
  EXPECT_EQ(made.requests[1].dir, io::Dir::write);
  EXPECT_EQ(made.requests[1].offset, 512u);
  EXPECT_EQ(made.requests[2].dir, io::Dir::sync);
  EXPECT_EQ(made.requests[2].flags, io::kDataSync);
  EXPECT_EQ(dues(made), (Times{9, 9, 9}));

  const auto durable = make_all({write}, {}, true, {{}}, {.dsync_writes = true});
  ASSERT_EQ(durable.requests.size(), 2u);
  EXPECT_EQ(durable.requests[1].dir, io::Dir::write);
  EXPECT_EQ(durable.requests[1].flags, io::kDataSync);
}

TEST(ReplayRequests, SyncsHaveNoLengthAndKeepTheirKind) {
  const auto made = make_all({io_at(1, Action::sync, 77, 0), io_at(2, Action::datasync, 0, 0)});
  ASSERT_EQ(made.requests.size(), 2u);
  EXPECT_EQ(made.requests[0].length, 0u);
  EXPECT_EQ(made.requests[0].offset, 0u);
  EXPECT_EQ(made.requests[0].flags, 0);
  EXPECT_EQ(made.requests[1].flags, io::kDataSync);
}

TEST(ReplayRequests, WhatDoesNotFitIsCounted) {
  const ReplayTarget target{8192, false, 512};
  const ReplayLimits limits{65'536, false, true, false};
  const auto made =
      make_all({io_at(1, Action::read, 0, 0), io_at(1, Action::read, 4096, 8192),
                io_at(1, Action::read, ~std::uint64_t{0} - 511, 1024), io_at(1, Action::read, 100, 512),
                io_at(1, Action::write, 0, 1 << 20), io_at(1, Action::trim, 0, 512), io_at(1, Action::write, 0, 8192)},
               {}, true, {target}, limits);
  EXPECT_EQ(made.requests.size(), 1u);
  using Reason = ReplaySkipReason;
  EXPECT_EQ(made.maker.skipped(Reason::zero_length), 1u);
  EXPECT_EQ(made.maker.skipped(Reason::beyond_end), 2u);
  EXPECT_EQ(made.maker.skipped(Reason::unaligned), 1u);
  EXPECT_EQ(made.maker.skipped(Reason::too_long), 1u);
  EXPECT_EQ(made.maker.skipped(Reason::no_trim), 1u);
}

TEST(ReplayRequests, AWriteExtendsARegularFileForLaterReads) {
  const auto made =
      make_all({io_at(1, Action::read, 4096), io_at(2, Action::write, 4096), io_at(3, Action::read, 4096)}, {}, true,
               {{4096, true, 1}});
  EXPECT_EQ(made.requests.size(), 2u);
  EXPECT_EQ(made.maker.skipped(ReplaySkipReason::beyond_end), 1u);
}

// effect: replay_redirect
TEST(ReplayRequests, ARedirectedReplayHasOneTarget) {
  auto other = io_at(1, Action::read);
  other.file = 3;
  Replay options;
  EXPECT_EQ(make_all({other}).maker.skipped(ReplaySkipReason::unknown_file), 1u);
  options.redirect = "/dev/x";
  const auto made = make_all({other}, options);
  ASSERT_EQ(made.requests.size(), 1u);
  EXPECT_EQ(made.requests[0].target, 0);
}

}  // namespace
}  // namespace fathom::workload::testing
