// The whole driver on the soft controller, stepped in one thread: data that comes back, splits, overflow of the ring,
// reset under load, and the faults that the soft controller makes on order.
#include <cstring>
#include <numeric>
#include <vector>

#include "nvme/open.h"
#include "nvme/open_fake.h"
#include "nvme/recovery.h"

namespace fathom::nvme {
namespace {

struct OnSoft {
  explicit OnSoft(const std::string& keys, QueueOptions options = {}) {
    auto transport = open_transport(*parse_address("soft:step,size=64m," + keys));
    if (!transport) throw std::runtime_error(transport.error().what);
    ControllerOptions controller_options;
    controller_options.admin_timeout_ms = 200;
    auto opened = Controller::open(std::move(*transport), controller_options);
    if (!opened) throw std::runtime_error(opened.error().what);
    controller = std::move(*opened);
    ns = *controller->open_namespace(1);
    if (!controller->open_queue(queue, options).ok()) throw std::runtime_error("open_queue");
    buffer = *controller->transport().allocate(4 << 20);
  }
  ~OnSoft() {
    controller->close_queue(queue);
    controller->transport().release(buffer);
  }
  int io(NvmOpcode opcode, std::uint64_t lba, std::uint32_t bytes, std::size_t at, Ended& ended) {
    return queue.read_write(opcode, 1, lba, bytes / ns.block_bytes, buffer.iova + at, bytes, Ended::callback, &ended);
  }
  void settle(unsigned turns = 200) {
    for (unsigned i = 0; i < turns; ++i) {
      queue.ring();
      controller->transport().idle();
      queue.poll(64, nothing);
    }
  }
  std::unique_ptr<Controller> controller;
  IoQueue queue;
  Namespace ns;
  DmaMemory buffer;
};

TEST(ControllerOnSoft, what_was_written_is_read_back_over_both_block_sizes) {
  for (const char* keys : {"bs=512", "bs=4096"}) {
    OnSoft soft(keys, {.entries = 8});
    auto* words = reinterpret_cast<std::uint32_t*>(soft.buffer.memory);
    std::iota(words, words + (1 << 18), 7u);
    Ended written, read;
    ASSERT_EQ(soft.io(NvmOpcode::write, 16, 1 << 20, 0, written), 0);
    soft.settle();
    ASSERT_EQ(written.calls, 1);
    ASSERT_EQ(written.status, 0) << status_text(written.status);
    ASSERT_EQ(soft.io(NvmOpcode::read, 16, 1 << 20, (2 << 20) + 512, read), 0);
    soft.settle();
    ASSERT_EQ(read.calls, 1);
    ASSERT_EQ(read.status, 0);
    EXPECT_EQ(std::memcmp(words, soft.buffer.memory + (2 << 20) + 512, 1 << 20), 0) << keys;
    EXPECT_EQ(soft.queue.counts().split, 2u);
  }
}

TEST(ControllerOnSoft, more_ios_than_the_ring_holds_survive_a_reset) {
  OnSoft soft("bs=4096", {.entries = 8, .requests = 256});
  for (const bool reset : {false, true, true}) {
    std::vector<Ended> ended(200);
    for (std::size_t i = 0; i < ended.size(); ++i) ASSERT_EQ(soft.io(NvmOpcode::read, i, 4096, 0, ended[i]), 0);
    soft.queue.ring();
    if (reset) {
      soft.settle(1);
      const auto done = soft.controller->reset();
      ASSERT_TRUE(done.ok()) << done.error().what;
    }
    soft.settle();
    for (const auto& e : ended) {
      ASSERT_EQ(e.calls, 1);
      ASSERT_TRUE(e.status == 0 || (reset && e.status == kStatusAborted)) << status_text(e.status);
    }
  }
}

TEST(ControllerOnSoft, an_io_beyond_the_end_returns_lba_out_of_range) {
  OnSoft soft("bs=4096");
  Ended ended;
  ASSERT_EQ(soft.io(NvmOpcode::read, soft.ns.blocks, 4096, 0, ended), 0);
  soft.settle();
  EXPECT_EQ(ended.calls, 1);
  EXPECT_EQ(status_kind(ended.status), kLbaOutOfRange);
}

TEST(ControllerOnSoft, fatal_status_and_removal_end_everything_once) {
  for (const char* fault : {"fault=fatal:after=3", "fault=removal:after=3"}) {
    OnSoft soft(std::string("bs=4096,") + fault);
    std::vector<Ended> ended(20);
    for (std::size_t i = 0; i < ended.size(); ++i) ASSERT_EQ(soft.io(NvmOpcode::read, i, 4096, 0, ended[i]), 0);
    soft.settle();
    EXPECT_TRUE(soft.controller->failed()) << fault;
    soft.controller->fail_all();
    for (const auto& e : ended) EXPECT_EQ(e.calls, 1) << fault;
    EXPECT_EQ(ended.back().status, kStatusAborted);
  }
}

TEST(ControllerOnSoft, a_dropped_completion_is_overdue_and_recovered) {
  OnSoft soft("bs=4096,fault=drop:after=2");
  std::vector<Ended> ended(5);
  for (std::size_t i = 0; i < ended.size(); ++i) ASSERT_EQ(soft.io(NvmOpcode::read, i, 4096, 0, ended[i]), 0);
  soft.settle();
  EXPECT_EQ(ended[2].calls, 0);
  EXPECT_EQ(soft.queue.in_flight(), 1u);
  int cid = -1;
  for (int i = 0; i < 3; ++i) cid = soft.queue.overdue(3);
  ASSERT_GE(cid, 0);
  auto how = recover(*soft.controller, soft.queue, static_cast<std::uint16_t>(cid));
  ASSERT_TRUE(how.ok());
  if (*how == Recovery::aborted) {
    soft.settle();
    if (ended[2].calls == 0) how = recover(*soft.controller, soft.queue, static_cast<std::uint16_t>(cid), *how);
  }
  for (const auto& e : ended) EXPECT_EQ(e.calls, 1);
  EXPECT_EQ(soft.queue.in_flight(), 0u);
}

TEST(ControllerOnSoft, a_duplicate_cid_is_counted_as_unexpected) {
  OnSoft soft("bs=4096,fault=duplicate_cid:after=2");
  std::vector<Ended> ended(5);
  for (std::size_t i = 0; i < ended.size(); ++i) ASSERT_EQ(soft.io(NvmOpcode::read, i, 4096, 0, ended[i]), 0);
  soft.settle();
  for (const auto& e : ended) EXPECT_LE(e.calls, 1);
  EXPECT_GE(soft.queue.counts().unexpected + soft.queue.in_flight(), 1u);
}

}  // namespace
}  // namespace fathom::nvme
