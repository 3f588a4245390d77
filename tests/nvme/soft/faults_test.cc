// What can be made to go wrong, each seen from the driver's side, and the latency model on a clock that is moved by
// hand.
#include <algorithm>
#include <cmath>

#include "nvme/soft/driver.h"

namespace fathom::nvme::soft {
namespace {

void submit(Driver& d, Queue& q, std::uint16_t cid) {
  Command command = d.transfer(NvmOpcode::read, 0, 1);
  command.cid = cid;
  q.post(command);
  q.ring();
  d.device->idle();
}

TEST(SoftFault, StatusFailsEveryNthCommand) {
  Driver d("ideal,fault=status:after=2:every=3:sc=0x281");
  auto q = d.make_queue();
  std::string seen;
  for (int i = 0; i < 9; ++i) seen += d.run(*q, d.transfer(NvmOpcode::read, 0, 1)).status == 0x281 ? 'x' : '.';
  EXPECT_EQ(seen, "..x..x..x");
}

TEST(SoftFault, AFailedWriteChangesNoData) {
  Driver d("size=1m,fault=status:after=1:sc=0x280");
  auto q = d.make_queue();
  EXPECT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 0, 1)).status, 0);
  const std::byte before = d.data.memory[0];
  d.data.memory[0] = ~before;
  EXPECT_EQ(d.run(*q, d.transfer(NvmOpcode::write, 0, 1)).status, 0x280);
  EXPECT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 0, 1)).status, 0);
  EXPECT_EQ(d.data.memory[0], before);
}

TEST(SoftFault, DropOmitsACompletion) {
  Driver d("ideal,fault=drop:after=1");
  auto q = d.make_queue();
  for (std::uint16_t cid = 0; cid < 3; ++cid) submit(d, *q, cid);
  EXPECT_EQ(q->wait()->cid, 0);
  EXPECT_EQ(q->wait()->cid, 2);
  EXPECT_FALSE(q->wait());
  EXPECT_EQ(d.run_admin(AdminOpcode::abort, 1u << 16 | 1).result, 1u);  // it is no longer there
}

// A dropped completion must not cost a slot for ever: a ring of 4 goes on after more drops than it has slots.
TEST(SoftFault, DropsLeakNoSlots) {
  Driver d("ideal,fault=drop:every=2");
  auto q = d.make_queue(1, 4);
  for (std::uint16_t cid = 0; cid < 40; ++cid) {
    submit(d, *q, cid);
    const auto reply = q->take();
    ASSERT_EQ(reply.has_value(), cid % 2 == 1) << cid;
  }
}

TEST(SoftFault, LateDelaysACompletion) {
  Driver d("ideal,fault=late:by=10us");
  auto q = d.make_queue();
  submit(d, *q, 1);
  submit(d, *q, 2);
  EXPECT_EQ(q->wait()->cid, 2);
  EXPECT_FALSE(q->wait());
  d.time.advance_to(d.time.now_ns() + 9'999);
  EXPECT_FALSE(q->wait());
  d.time.advance_to(d.time.now_ns() + 1);
  EXPECT_EQ(q->wait()->cid, 1);
}

TEST(SoftFault, ALateCommandCanBeAborted) {
  Driver d("ideal,fault=late");
  auto q = d.make_queue();
  submit(d, *q, 5);
  EXPECT_EQ(d.run_admin(AdminOpcode::abort, 5u << 16 | 1).result, 0u);
  const auto reply = q->wait();
  ASSERT_TRUE(reply);
  EXPECT_EQ(reply->cid, 5);
  EXPECT_EQ(reply->status, 0x007);
}

TEST(SoftFault, DeletingTheQueueEndsLateCommands) {
  Driver d("ideal,fault=late");
  auto q = d.make_queue();
  submit(d, *q, 5);
  EXPECT_EQ(d.run_admin(AdminOpcode::delete_io_sq, 1).status, 0);
  EXPECT_EQ(q->take()->status, 0x008);
}

TEST(SoftFault, DuplicateCidRepeatsACompletion) {
  Driver d("ideal,fault=duplicate_cid:after=1");
  auto q = d.make_queue();
  for (std::uint16_t cid = 0; cid < 3; ++cid) submit(d, *q, cid);
  std::string seen;
  while (const auto reply = q->take()) seen += static_cast<char>('0' + reply->cid);
  EXPECT_EQ(seen, "0112");
}

TEST(SoftFault, WrongPhaseHidesACompletion) {
  Driver d("ideal,fault=wrong_phase:after=1");
  auto q = d.make_queue();
  for (std::uint16_t cid = 0; cid < 3; ++cid) submit(d, *q, cid);
  EXPECT_EQ(q->take()->cid, 0);
  EXPECT_FALSE(q->wait());  // it is there, with the tag of the lap before; the one behind it is good
  Completion second, third;
  std::memcpy(&second, q->cq().memory + 16, 16);
  std::memcpy(&third, q->cq().memory + 32, 16);
  EXPECT_EQ(second.cid, 1);
  EXPECT_EQ(second.status & 1, 0);
  EXPECT_EQ(third.status & 1, 1);
}

TEST(SoftFault, FatalSetsCfsUntilAReset) {
  Driver d("ideal,fault=fatal:after=1");
  auto q = d.make_queue();
  EXPECT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 0, 1)).status, 0);
  submit(d, *q, 9);
  EXPECT_FALSE(q->wait());
  EXPECT_EQ(d.csts(), kCstsReady | kCstsFatal);
  d.device->write32(kCc, 0);
  EXPECT_EQ(d.csts(), 0u);
  d.enable();
  q = d.make_queue();
  EXPECT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 0, 1)).status, 0);
}

TEST(SoftFault, RemovalReadsAsAllOnes) {
  Driver d("ideal,fault=removal:after=1");
  auto q = d.make_queue();
  EXPECT_EQ(d.run(*q, d.transfer(NvmOpcode::read, 0, 1)).status, 0);
  EXPECT_FALSE(d.device->gone());
  submit(d, *q, 9);
  EXPECT_FALSE(q->wait());
  EXPECT_TRUE(d.device->gone());
  EXPECT_EQ(d.csts(), kAllOnes);
  EXPECT_EQ(d.device->read64(kCap), ~0ull);
  d.device->write32(kCc, 0);
  d.enable();
  EXPECT_EQ(d.csts(), kAllOnes);
}

TEST(SoftFault, RemoveMakesTheDeviceGone) {
  Driver d;
  d.device->controller().remove();
  EXPECT_TRUE(d.device->gone());
  EXPECT_EQ(d.csts(), kAllOnes);
}

TEST(SoftFault, NeverReadyKeepsCstsAtZero) {
  Driver d("fault=never_ready");
  EXPECT_EQ(d.csts(), 0u);
  EXPECT_EQ(d.device->read32(kCc) & 1, 1u);
}

// Each of 2000 commands alone, timed on the hand-moved clock; the quantiles of what was seen against the definition.
TEST(SoftQueueLatency, LognormalQuantilesMatchTheDefinition) {
  Driver d("ideal,latency=lognormal:80us:0.3");
  auto q = d.make_queue();
  std::vector<std::uint64_t> took;
  for (std::uint16_t cid = 0; cid < 2000; ++cid) {
    submit(d, *q, cid);
    const std::uint64_t begin = d.time.now_ns();
    while (!q->take()) {
      d.time.advance_to(d.time.now_ns() + 100);
      d.device->idle();
      ASSERT_LT(d.time.now_ns() - begin, 10'000'000u);
    }
    took.push_back(d.time.now_ns() - begin);
  }
  std::sort(took.begin(), took.end());
  EXPECT_NEAR(static_cast<double>(took[1000]), 80'000, 4'000);
  EXPECT_NEAR(static_cast<double>(took[1683]), 80'000 * std::exp(0.3), 7'000);
  EXPECT_NEAR(static_cast<double>(took[317]), 80'000 * std::exp(-0.3), 4'000);
}

TEST(SoftQueueLatency, DueTimesDecideTheOrder) {
  Driver d("ideal,latency=table:0.5=10us;1=20us,seed=3");
  auto q = d.make_queue();
  for (std::uint16_t cid = 0; cid < 32; ++cid) submit(d, *q, cid);
  EXPECT_FALSE(q->take());
  const auto at = [&](std::uint64_t ns) {
    d.time.advance_to(d.time.now_ns() + ns);
    d.device->idle();
    std::vector<std::uint16_t> cids;
    while (const auto reply = q->take()) cids.push_back(reply->cid);
    return cids;
  };
  EXPECT_TRUE(at(9'999).empty());
  const auto fast = at(1), slow = at(10'000);
  EXPECT_EQ(fast.size() + slow.size(), 32u);
  EXPECT_GT(fast.size(), 6u);
  EXPECT_GT(slow.size(), 6u);
  EXPECT_TRUE(std::is_sorted(fast.begin(), fast.end()));
  EXPECT_TRUE(std::is_sorted(slow.begin(), slow.end()));
}

// More than the completion ring holds is not fetched, however long the commands take.
TEST(SoftQueueLatency, FetchedCommandsAlwaysHaveACompletionSlot) {
  Driver d("ideal,latency=fixed:10us");
  auto q = d.make_queue(1, 8);
  for (std::uint16_t cid = 0; cid < 20; ++cid) submit(d, *q, cid);
  d.time.advance_to(d.time.now_ns() + 10'000);
  unsigned seen = 0;
  d.device->idle();
  while (q->take(false)) ++seen;
  EXPECT_EQ(seen, 7u);
}

}  // namespace
}  // namespace fathom::nvme::soft
