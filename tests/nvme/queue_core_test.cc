// What a queue pair does beside its path, against a device that keeps to the letter: more requests than slots,
// splitting, PRP lists word by word, completions that cannot be, phases over many laps, and doorbells that never starve
// the device.
#include "nvme/queue_core.h"

#include <cerrno>
#include <numeric>
#include <random>
#include <vector>

#include "nvme/open_fake.h"

namespace fathom::nvme {
namespace {

struct QueueCoreTest : ::testing::Test {
  void open(QueueOptions options) {
    controller = open_well(device);
    ASSERT_TRUE(controller->open_queue(queue, options).ok());
  }
  void TearDown() override {
    if (controller) controller->close_queue(queue);
  }
  int read(std::uint64_t lba, std::uint32_t blocks, Ended& ended, std::uint64_t iova = kBuffer) {
    return queue.read_write(NvmOpcode::read, 1, lba, blocks, iova, blocks * 4096, Ended::callback, &ended);
  }
  unsigned turn() {
    queue.ring();
    device.step();
    return queue.poll(64, nothing);
  }
  FakeDevice device;
  std::unique_ptr<Controller> controller;
  IoQueue queue;
};

TEST_F(QueueCoreTest, more_requests_than_slots_all_complete_in_order) {
  open({.entries = 8, .requests = 100});
  std::vector<std::uint64_t> order;
  device.io_status = [&](const Command& c) {
    order.push_back(c.cdw10);
    return std::uint16_t{0};
  };
  std::vector<Ended> ended(108);
  int refused = 0;
  for (std::size_t i = 0; i < ended.size(); ++i) refused += read(i, 1, ended[i]) == -ENOMEM;
  EXPECT_EQ(refused, 1) << "seven slots and room for a hundred";
  for (int turns = 0; turns < 40; ++turns) turn();
  for (std::size_t i = 0; i < 107; ++i) ASSERT_EQ(ended[i].calls, 1) << i;
  EXPECT_EQ(ended[107].calls, 0);
  std::vector<std::uint64_t> expected(107);
  std::iota(expected.begin(), expected.end(), 0u);
  EXPECT_EQ(order, expected);
  EXPECT_EQ(queue.counts().waited, 100u);
  EXPECT_EQ(queue.counts().commands, 107u);
  EXPECT_EQ(queue.counts().completions, 107u);
  EXPECT_EQ(device.cq_full, 0u);
}

TEST_F(QueueCoreTest, a_mebibyte_is_split_into_parts_of_mdts_with_one_callback) {
  open({.entries = 4});
  std::vector<Command> seen;
  device.io_status = [&](const Command& c) {
    seen.push_back(c);
    return std::uint16_t{0};
  };
  Ended ended;
  ASSERT_EQ(read(1000, 256, ended, kBuffer + 512), 0);
  for (int i = 0; i < 20 && ended.calls == 0; ++i) turn();
  EXPECT_EQ(ended.calls, 1);
  EXPECT_EQ(ended.status, 0);
  ASSERT_EQ(seen.size(), 8u);
  for (std::size_t i = 0; i < seen.size(); ++i) {
    EXPECT_EQ(seen[i].cdw10, 1000 + 32 * i);
    EXPECT_EQ(seen[i].cdw12, 31u);
    EXPECT_EQ(seen[i].prp1, kBuffer + 512 + i * 128 * 1024);
  }
  EXPECT_EQ(queue.counts().split, 1u);
  turn();
  EXPECT_EQ(ended.calls, 1);
}

TEST_F(QueueCoreTest, of_a_split_the_first_error_wins_and_flags_stay) {
  open({.entries = 32});
  device.io_status = [](const Command& c) -> std::uint16_t {
    EXPECT_EQ(c.cdw12 & 0xffff0000, kForceUnitAccess);
    return c.cdw10 == 64 ? 0x281 : c.cdw10 == 128 ? 0x80 : 0;
  };
  Ended ended;
  ASSERT_EQ(queue.read_write(NvmOpcode::write, 1, 0, 256, kBuffer, 1 << 20, Ended::callback, &ended, kForceUnitAccess),
            0);
  turn();
  EXPECT_EQ(ended.calls, 1);
  EXPECT_EQ(ended.status, 0x281);
}

TEST_F(QueueCoreTest, a_split_is_taken_whole_or_not_at_all) {
  open({.entries = 4, .requests = 6, .splits = 2});
  device.hold_io = true;
  std::vector<Ended> ended(8);
  EXPECT_EQ(read(0, 320, ended[0]), -ENOMEM) << "ten parts, nine places";
  EXPECT_EQ(queue.in_flight(), 0u);
  EXPECT_EQ(read(0, 256, ended[1]), 0);
  EXPECT_EQ(read(0, 256, ended[2]), -ENOMEM);
  EXPECT_EQ(read(0, 1, ended[3]), 0);
  EXPECT_EQ(read(0, 1, ended[4]), -ENOMEM);
  device.hold_io = false;
  for (int i = 0; i < 10; ++i) turn();
  EXPECT_EQ(ended[1].calls + ended[3].calls, 2);
  EXPECT_EQ(ended[0].calls + ended[2].calls + ended[4].calls, 0);
  for (int i = 0; i < 50; ++i) {
    Ended again;
    ASSERT_EQ(read(0, 256, again), 0) << "parts and places were given back";
    for (int k = 0; k < 10; ++k) turn();
    ASSERT_EQ(again.calls, 1);
  }
}

TEST_F(QueueCoreTest, what_cannot_be_split_is_refused) {
  open({});
  Command compare;
  compare.opcode = static_cast<std::uint8_t>(NvmOpcode::compare);
  Ended ended;
  EXPECT_EQ(queue.submit(compare, kBuffer, 1 << 20, 4096, Ended::callback, &ended), -EINVAL);
  Command read_command;
  read_command.opcode = static_cast<std::uint8_t>(NvmOpcode::read);
  EXPECT_EQ(queue.submit(read_command, kBuffer, 1 << 20, 0, Ended::callback, &ended), -EINVAL);
  EXPECT_EQ(queue.in_flight(), 0u);
}

TEST_F(QueueCoreTest, prps_of_unaligned_buffers_are_right) {
  open({.entries = 64});
  std::vector<Command> seen;
  device.hold_io = true;
  std::mt19937 random(4);
  for (int n = 0; n < 2000; ++n) {
    const std::uint32_t bytes = (1 + random() % 32) * 4096;
    const std::uint64_t iova = kBuffer + random() % 64 * 4096 + random() % 1024 * 4;
    Ended ended;
    ASSERT_EQ(queue.read_write(NvmOpcode::read, 1, 0, bytes / 4096, iova, bytes, Ended::callback, &ended), 0);
    queue.ring();
    device.step();
    ASSERT_EQ(device.held.size(), 1u);
    std::uint64_t next = iova;
    std::uint32_t sum = 0;
    for (const auto& [at, length] : device.pieces(device.held[0].command, bytes)) {
      ASSERT_EQ(at, next);
      ASSERT_LE((at & 4095) + length, 4096u);
      next += length;
      sum += length;
    }
    ASSERT_EQ(sum, bytes);
    if ((iova & 4095) + bytes > 8192) {
      const std::uint64_t list = device.held[0].command.prp2;
      const std::uint64_t pages = ((iova & 4095) + bytes + 4095) / 4096 - 1;
      ASSERT_EQ(list % 8, 0u);
      ASSERT_LE((list & 4095) + pages * 8, 4096u) << "a list stays in its page";
    }
    device.complete_held(0);
    turn();
    ASSERT_EQ(ended.calls, 1);
  }
  EXPECT_EQ(device.bad_addresses, 0u);
}

TEST_F(QueueCoreTest, one_page_has_no_second_pointer_and_two_have_no_list) {
  open({});
  device.hold_io = true;
  Ended ended[3];
  ASSERT_EQ(queue.read_write(NvmOpcode::read, 1, 0, 1, kBuffer, 4096, Ended::callback, &ended[0]), 0);
  ASSERT_EQ(queue.read_write(NvmOpcode::read, 1, 0, 1, kBuffer + 8, 4096, Ended::callback, &ended[1]), 0);
  ASSERT_EQ(queue.read_write(NvmOpcode::read, 1, 0, 2, kBuffer, 8192, Ended::callback, &ended[2]), 0);
  queue.ring();
  device.step();
  EXPECT_EQ(device.held[0].command.prp2, 0u);
  EXPECT_EQ(device.held[1].command.prp2, kBuffer + 4096);
  EXPECT_EQ(device.held[2].command.prp2, kBuffer + 4096);
  device.hold_io = false;
  turn();
  EXPECT_EQ(ended[0].calls + ended[1].calls + ended[2].calls, 3);
}

// The duplicate of a ends b, which has got the same identifier: what tells is b's own completion, when nothing is in
// flight any more.
TEST_F(QueueCoreTest, a_surplus_completion_is_counted) {
  open({.entries = 16});
  device.hold_io = true;
  Ended a, b;
  ASSERT_EQ(read(0, 1, a), 0);
  queue.ring();
  device.step();
  const std::uint16_t cid = device.held[0].command.cid;
  device.complete(1, cid, 0);
  queue.poll(64, nothing);
  EXPECT_EQ(queue.counts().unexpected, 0u);
  ASSERT_EQ(read(1, 1, b), 0);
  queue.ring();
  device.step();
  device.complete(1, cid, 0);  // a's again
  queue.poll(64, nothing);
  EXPECT_EQ(b.calls, 1);
  EXPECT_EQ(queue.counts().unexpected, 0u);
  device.complete(1, cid, 0);  // b's own
  EXPECT_EQ(queue.counts().unexpected, 1u);
}

TEST_F(QueueCoreTest, unexpected_completions_are_counted_and_nothing_is_called_twice) {
  open({.entries = 16});
  device.hold_io = true;
  Ended a, b;
  ASSERT_EQ(read(0, 1, a), 0);
  ASSERT_EQ(read(1, 1, b), 0);
  queue.ring();
  device.step();
  const std::uint16_t cid = device.held[0].command.cid;
  device.complete(1, cid, 0);
  device.complete(1, cid, 0);        // a duplicate
  device.complete(1, 15, 0);         // beyond those in flight at most
  device.complete(1, 0xffff, 0x06);  // nobody's
  device.complete(1, 3, 0);          // never used
  EXPECT_EQ(queue.poll(64, nothing), 5u);
  EXPECT_EQ(a.calls, 1);
  EXPECT_EQ(b.calls, 0);
  EXPECT_EQ(queue.counts().unexpected, 4u);
  EXPECT_EQ(queue.in_flight(), 1u);
  device.complete_held(1);
  queue.poll(64, nothing);
  EXPECT_EQ(b.calls, 1);
  EXPECT_EQ(queue.in_flight(), 0u);
}

TEST_F(QueueCoreTest, an_entry_of_the_wrong_phase_is_not_consumed) {
  open({.entries = 4});
  const std::uint64_t entry = device.queues.at(1).cq.iova;
  Completion c;
  std::memcpy(device.at(entry, sizeof c), &c, sizeof c);
  Ended ended;
  for (int lap = 0; lap < 40; ++lap) {
    EXPECT_EQ(queue.poll(8, nothing), 0u) << "entries of the lap before are all there is";
    EXPECT_FALSE(queue.ready());
    ended = {};
    ASSERT_EQ(read(static_cast<std::uint64_t>(lap), 1, ended), 0);
    ASSERT_EQ(turn(), 1u);
    ASSERT_EQ(ended.calls, 1);
  }
  EXPECT_EQ(queue.counts().unexpected, 0u);
}

TEST_F(QueueCoreTest, deallocate_sends_its_range) {
  open({.entries = 4, .requests = 10});
  std::vector<DsmRange> ranges;
  device.io_status = [&](const Command& c) {
    EXPECT_EQ(c.opcode, 9);
    EXPECT_EQ(c.cdw10, 0u) << "one range";
    EXPECT_EQ(c.cdw11, kDsmDeallocate);
    EXPECT_EQ(c.cdw13 | c.cdw14 | c.cdw15, 0u);
    DsmRange r;
    std::memcpy(&r, device.at(c.prp1, sizeof r), sizeof r);
    ranges.push_back(r);
    return std::uint16_t{0};
  };
  Ended ended[8];
  for (std::uint32_t i = 0; i < 8; ++i)
    ASSERT_EQ(queue.deallocate(1, 0x1'0000'0000ull + i, 100 + i, Ended::callback, &ended[i]), 0);
  for (int i = 0; i < 5; ++i) turn();
  ASSERT_EQ(ranges.size(), 8u);
  for (std::uint32_t i = 0; i < 8; ++i) {
    EXPECT_EQ(ranges[i].lba, 0x1'0000'0000ull + i);
    EXPECT_EQ(ranges[i].blocks, 100 + i);
    EXPECT_EQ(ended[i].calls, 1);
  }
}

TEST_F(QueueCoreTest, aborted_commands_without_a_callback_are_reported_to_the_owner) {
  open({.entries = 4});
  device.hold_io = true;
  struct Told {
    std::vector<void*> contexts;
    std::uint16_t status = 0;
  } told;
  queue.set_owner(
      [](void* owner, void* context, std::uint16_t status) {
        static_cast<Told*>(owner)->contexts.push_back(context);
        static_cast<Told*>(owner)->status = status;
      },
      &told);
  for (std::uintptr_t i = 1; i <= 5; ++i)
    ASSERT_EQ(queue.post(NvmOpcode::read, 1, i, 1, kBuffer, 4096, reinterpret_cast<void*>(i)), 0);
  queue.abort_all(kStatusAborted);
  std::uintptr_t sum = 0;
  for (const void* c : told.contexts) sum += reinterpret_cast<std::uintptr_t>(c);
  EXPECT_EQ(told.contexts.size(), 5u);
  EXPECT_EQ(sum, 15u);
  EXPECT_EQ(told.status, kStatusAborted);
}

// One story told to every variant: the same commands must end the same way.
template <Policy P>
struct Variant {
  static constexpr Policy kPolicy = P;
};

template <class V>
struct EveryPolicy : ::testing::Test {};

constexpr Policy with(auto change) {
  Policy p;
  change(p);
  return p;
}

using Variants = ::testing::Types<Variant<Policy{}>, Variant<with([](Policy& p) { p.copy = SqCopy::sse2; })>,
                                  Variant<with([](Policy& p) { p.copy = SqCopy::nontemporal; })>,
                                  Variant<with([](Policy& p) { p.sq_doorbell = SqDoorbell::command; })>,
                                  Variant<with([](Policy& p) { p.cq_doorbell = CqDoorbell::entry; })>,
                                  Variant<with([](Policy& p) { p.cq_doorbell = CqDoorbell::lazy; })>,
                                  Variant<with([](Policy& p) { p.lookahead = Lookahead::none; })>,
                                  Variant<with([](Policy& p) { p.lookahead = Lookahead::pipeline; })>,
                                  Variant<with([](Policy& p) { p.cq_read = CqRead::line; })>,
                                  Variant<with([](Policy& p) { p.context = Context::in_request; })>,
                                  Variant<with([](Policy& p) { p.wide_entries = true; })>,
                                  Variant<with([](Policy& p) { p.trackers_4k_apart = true; })>,
                                  Variant<with([](Policy& p) { p.divide = true; })>, Variant<with([](Policy& p) {
                                    p.copy = SqCopy::nontemporal;
                                    p.cq_doorbell = CqDoorbell::lazy;
                                    p.lookahead = Lookahead::pipeline;
                                    p.cq_read = CqRead::line;
                                  })>>;

TYPED_TEST_SUITE(EveryPolicy, Variants);

// callback_every: one command in so many has a callback, the others are the owner's (0: all are); one in fail_every
// fails.
template <Policy kPolicy>
void tell(std::uint32_t entries, std::size_t callback_every, std::uint32_t fail_every) {
  const auto with_callback = [&](std::size_t i) { return callback_every != 0 && i % callback_every == 0; };
  FakeDevice device;
  ControllerOptions controller_options = fake_options();
  controller_options.completion_entry_bytes = kPolicy.wide_entries ? 64 : 16;
  const auto controller = open_well(device, controller_options);
  QueuePair<kPolicy> queue;
  QueueOptions options;
  options.entries = entries;
  options.trackers_4k_apart = kPolicy.trackers_4k_apart;
  options.completion_entry_bytes = controller_options.completion_entry_bytes;
  ASSERT_TRUE(controller->open_queue(queue, options).ok());
  device.io_status = [&](const Command& c) -> std::uint16_t { return c.cdw10 % fail_every == 0 ? 0x281 : 0; };

  constexpr std::size_t kCommands = 5000;
  std::vector<Ended> ended(kCommands);
  std::vector<int> told(kCommands, 0);
  std::vector<std::uint16_t> status(kCommands, 0);
  const auto handler = [&](void* context, std::uint16_t s) {
    const auto i = reinterpret_cast<std::uintptr_t>(context) - 1;
    ++told[i];
    status[i] = s;
  };
  std::mt19937 random(1);
  std::size_t next = 0, idle_turns = 0;
  while (idle_turns < 10) {
    device.hold_io = random() % 4 == 0;
    for (unsigned burst = random() % (entries + 8); burst > 0 && next < kCommands; --burst) {
      const std::uint32_t blocks = next % 5 == 0 ? 3 : 1;
      const int rc = with_callback(next) ? queue.read_write(NvmOpcode::read, 1, next, blocks, kBuffer, blocks * 4096,
                                                            Ended::callback, &ended[next])
                                         : queue.post(NvmOpcode::read, 1, next, blocks, kBuffer, blocks * 4096,
                                                      reinterpret_cast<void*>(next + 1));
      if (rc != 0) break;
      ++next;
    }
    queue.ring();
    device.step();
    const unsigned got = queue.poll(1 + random() % entries, handler);
    idle_turns = next == kCommands && got == 0 && !device.hold_io ? idle_turns + 1 : 0;
  }
  for (std::size_t i = 0; i < kCommands; ++i) {
    ASSERT_EQ(with_callback(i) ? ended[i].calls : told[i], 1) << i;
    ASSERT_EQ(with_callback(i) ? ended[i].status : status[i], i % fail_every == 0 ? 0x281 : 0) << i;
  }
  EXPECT_EQ(queue.in_flight(), 0u);
  EXPECT_EQ(queue.counts().unexpected, 0u);
  EXPECT_EQ(queue.counts().commands, kCommands);
  EXPECT_EQ(device.cq_full, 0u) << "the device always had room to complete";
  EXPECT_EQ(device.bad_addresses, 0u);
  controller->close_queue(queue);
}

TYPED_TEST(EveryPolicy, ends_every_command_once_with_its_status) { tell<TypeParam::kPolicy>(16, 2, 7); }
TYPED_TEST(EveryPolicy, ends_every_command_without_a_callback_once) { tell<TypeParam::kPolicy>(64, 0, 61); }

}  // namespace
}  // namespace fathom::nvme
