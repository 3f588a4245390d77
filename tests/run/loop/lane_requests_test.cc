// One stream of requests for several lanes.
#include "run/loop/lane_requests.h"

#include <gtest/gtest.h>

#include <set>
#include <thread>

#include "base/time.h"

namespace fathom::run::loop {
namespace {

// Passes of so many requests, numbered by their offsets.
class Numbers final : public workload::Source {
 public:
  Numbers(std::uint64_t a_pass, std::uint64_t passes) : a_pass_(a_pass), passes_(passes) {}
  std::size_t next(std::span<io::Request> out) override {
    std::size_t n = 0;
    for (; n < out.size() && made_ < a_pass_; ++n, ++made_) out[n] = {.offset = number_++, .length = 1};
    return n;
  }
  bool begin_pass() override {
    made_ = 0;
    return --passes_ > 0;
  }

 private:
  std::uint64_t a_pass_, passes_, made_ = 0, number_ = 0;
};

TEST(LaneRequests, RequestsAreHandedOutOnceInOrderOverAllPasses) {
  Numbers numbers(300, 3);
  job::Job job;
  std::atomic<std::uint32_t> stop{0};
  int passes = 0;
  LaneRequests requests(
      numbers, job, 1, [&] { ++passes; }, stop);
  io::Request request;
  for (std::uint64_t i = 0; i < 900; ++i) {
    ASSERT_TRUE(requests.take(0, request));
    EXPECT_EQ(request.offset, i);
  }
  EXPECT_FALSE(requests.take(0, request));
  EXPECT_FALSE(requests.take(0, request));
  EXPECT_EQ(passes, 2);
}

TEST(LaneRequests, APassEndsOnlyWhenNoLaneIsBusy) {
  Numbers numbers(100, 5);
  job::Job job;
  std::atomic<std::uint32_t> stop{0};
  std::atomic<int> busy{0};
  int busy_at_pass = 0;
  LaneRequests requests(
      numbers, job, 4, [&] { busy_at_pass += busy.load(); }, stop);
  std::mutex mutex;
  std::multiset<std::uint64_t> seen;
  std::vector<std::thread> lanes;
  for (std::size_t lane = 0; lane < 4; ++lane)
    lanes.emplace_back([&, lane] {
      io::Request request;
      while (requests.take(lane, request)) {
        ++busy;
        {
          const std::lock_guard lock(mutex);
          seen.insert(request.offset);
        }
        std::this_thread::yield();
        --busy;
      }
      requests.leave(lane);
    });
  for (auto& lane : lanes) lane.join();
  EXPECT_EQ(seen.size(), 500u);
  EXPECT_EQ(std::set<std::uint64_t>(seen.begin(), seen.end()).size(), 500u);
  EXPECT_EQ(busy_at_pass, 0);
}

// A pass may be over before a lane that waited for it has looked: that is no end.
TEST(LaneRequests, APassOverBeforeAWaitingLaneLooksIsNotTheEnd) {
  Numbers numbers(1, 20'000);
  job::Job job;
  std::atomic<std::uint32_t> stop{0};
  LaneRequests requests(
      numbers, job, 4, [] {}, stop);
  std::atomic<int> done{0};
  std::vector<std::thread> lanes;
  for (std::size_t lane = 0; lane < 4; ++lane)
    lanes.emplace_back([&, lane] {
      for (io::Request request; requests.take(lane, request);) ++done;
      requests.leave(lane);
    });
  for (auto& lane : lanes) lane.join();
  EXPECT_EQ(done.load(), 20'000);
}

// A lane that ends with a request in hand holds nobody up.
TEST(LaneRequests, ALaneThatEndsDoesNotHoldUpThePass) {
  Numbers numbers(1, 2);
  job::Job job;
  std::atomic<std::uint32_t> stop{0};
  LaneRequests requests(
      numbers, job, 2, [] {}, stop);
  io::Request request;
  ASSERT_TRUE(requests.take(0, request));
  std::thread other([&] {
    io::Request next;
    EXPECT_TRUE(requests.take(1, next));
  });
  requests.leave(0);
  other.join();
}

TEST(LaneRequests, ThinktimeIsOfTheJobNotOfALane) {
  Numbers numbers(6, 1);
  job::Job job;
  job.thinktime_ns = 20'000'000;
  job.thinktime_blocks = 2;
  job.rate_iops[0] = 1000;
  job.own.get<job::fields::Think>().rate_ignores = true;
  std::atomic<std::uint32_t> stop{0};
  LaneRequests requests(
      numbers, job, 1, [] {}, stop);
  requests.begin(base::monotonic_ns());
  const std::uint64_t begin = base::monotonic_ns();
  io::Request request;
  while (requests.take(0, request)) {
  }
  EXPECT_GE(base::monotonic_ns() - begin, 60'000'000u) << "after two, four and six";
}

}  // namespace
}  // namespace fathom::run::loop
