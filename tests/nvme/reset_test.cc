// The end of things: reset with commands in flight, waiting and split, each ended in error exactly once; recovery of an
// overdue command; fatal status; surprise removal; queues that come and go.
#include <atomic>
#include <cerrno>
#include <chrono>
#include <thread>
#include <vector>

#include "nvme/open_fake.h"
#include "nvme/recovery.h"

namespace fathom::nvme {
namespace {

// A queue of 8 slots with 7 commands in flight, one of them a part of a split, and more of both waiting.
struct Loaded {
  explicit Loaded(FakeDevice& d) : device(d), controller(open_well(d)) {
    QueueOptions options;
    options.entries = 8;
    if (!controller->open_queue(queue, options).ok()) throw std::runtime_error("open_queue");
    device.hold_io = true;
  }
  ~Loaded() { controller.reset(); }
  void load() {
    for (std::size_t i = 0; i < 20; ++i) {
      const std::uint32_t blocks = i % 5 == 4 ? 96 : 1;  // 384 KiB: three parts
      ASSERT_EQ(queue.read_write(NvmOpcode::read, 1, i, blocks, kBuffer, blocks * 4096, Ended::callback, &ended[i]), 0);
    }
    queue.ring();
    device.step();
    ASSERT_EQ(queue.in_flight(), 7u);
    ASSERT_EQ(queue.waiting(), 16u + 4 * 3 - 7);
  }
  void expect_all_ended_once(std::uint16_t status) {
    for (std::size_t i = 0; i < std::size(ended); ++i) {
      EXPECT_EQ(ended[i].calls, 1) << i;
      EXPECT_EQ(ended[i].status, status) << i;
    }
    EXPECT_EQ(queue.in_flight(), 0u);
    EXPECT_EQ(queue.waiting(), 0u);
  }
  void expect_io_goes() {
    device.hold_io = false;
    for (int i = 0; i < 100; ++i) {
      Ended one;
      ASSERT_EQ(queue.read_write(NvmOpcode::read, 1, 0, 1, kBuffer, 4096, Ended::callback, &one), 0);
      queue.ring();
      device.step();
      queue.poll(8, nothing);
      ASSERT_EQ(one.calls, 1);
      ASSERT_EQ(one.status, 0);
    }
  }
  FakeDevice& device;
  IoQueue queue;
  std::unique_ptr<Controller> controller;
  Ended ended[20];
};

TEST(ControllerReset, ends_everything_exactly_once_and_comes_up_again) {
  FakeDevice device;
  Loaded l(device);
  l.load();
  const std::size_t queues_before = device.count(AdminOpcode::create_io_sq);
  ASSERT_TRUE(l.controller->reset().ok());
  l.expect_all_ended_once(kStatusAborted);
  EXPECT_EQ(device.count(AdminOpcode::create_io_sq), queues_before + 1);
  EXPECT_FALSE(l.controller->failed());
  device.step();
  EXPECT_EQ(device.events.size(), 4u) << "event requests are armed again";
  l.expect_io_goes();
  l.expect_all_ended_once(kStatusAborted);
  EXPECT_EQ(device.bad_addresses, 0u);
}

TEST(ControllerReset, part_of_a_split_that_had_completed_does_not_end_it_twice) {
  FakeDevice device;
  Loaded l(device);
  l.load();
  device.complete_held(4);  // the first part of the first split
  device.complete_held(0);
  l.queue.poll(8, nothing);
  EXPECT_EQ(l.ended[0].calls, 1);
  EXPECT_EQ(l.ended[0].status, 0);
  EXPECT_EQ(l.ended[4].calls, 0);
  ASSERT_TRUE(l.controller->reset().ok());
  for (std::size_t i = 1; i < 20; ++i) {
    EXPECT_EQ(l.ended[i].calls, 1) << i;
    EXPECT_EQ(l.ended[i].status, kStatusAborted) << i;
  }
}

TEST(ControllerReset, aborts_after_the_device_was_disabled_and_not_before) {
  FakeDevice device;
  Loaded l(device);
  static bool enabled_when_ended;
  static FakeDevice* watched;
  watched = &device;
  enabled_when_ended = false;
  ASSERT_EQ(l.queue.read_write(
                NvmOpcode::read, 1, 0, 1, kBuffer, 4096,
                [](void*, const Completion&) {
                  enabled_when_ended = enabled_when_ended || (watched->csts & kCstsReady) != 0;
                },
                nullptr),
            0);
  l.queue.ring();
  ASSERT_TRUE(l.controller->reset().ok());
  EXPECT_FALSE(enabled_when_ended);
}

TEST(ControllerReset, submissions_from_a_callback_are_refused_meanwhile) {
  FakeDevice device;
  Loaded l(device);
  struct Again {
    IoQueue* queue;
    int rc = 0;
    int calls = 0;
  } again{&l.queue};
  ASSERT_EQ(l.queue.read_write(
                NvmOpcode::read, 1, 0, 1, kBuffer, 4096,
                [](void* context, const Completion&) {
                  auto* a = static_cast<Again*>(context);
                  ++a->calls;
                  a->rc = a->queue->read_write(NvmOpcode::read, 1, 0, 1, kBuffer, 4096, nullptr, nullptr);
                },
                &again),
            0);
  ASSERT_TRUE(l.controller->reset().ok());
  EXPECT_EQ(again.calls, 1);
  EXPECT_EQ(again.rc, -ENXIO);
  l.expect_io_goes();
}

TEST(ControllerReset, a_callback_may_ask_and_close_but_not_reset) {
  FakeDevice device;
  Loaded l(device);
  struct Asks {
    Loaded* l;
    bool failed = false, reset = true;
  } asks{&l};
  ASSERT_EQ(l.queue.read_write(
                NvmOpcode::read, 1, 0, 1, kBuffer, 4096,
                [](void* context, const Completion&) {
                  auto* a = static_cast<Asks*>(context);
                  a->failed = a->l->controller->failed();
                  a->reset = a->l->controller->reset().ok();
                  a->l->controller->close_queue(a->l->queue);
                },
                &asks),
            0);
  ASSERT_TRUE(l.controller->reset().ok());
  EXPECT_FALSE(asks.failed);
  EXPECT_FALSE(asks.reset);
  EXPECT_EQ(device.queues.size(), 1u) << "only the admin queue";
}

TEST(ControllerReset, controller_calls_from_a_callback_fail_at_once) {
  FakeDevice device;
  Loaded l(device);
  struct Asks {
    Loaded* l;
    IoQueue queue;
    int refused = 0;
    std::uint64_t took_ns = 0;
  } asks;
  asks.l = &l;
  ASSERT_EQ(l.queue.read_write(
                NvmOpcode::read, 1, 0, 1, kBuffer, 4096,
                [](void* context, const Completion&) {
                  auto* a = static_cast<Asks*>(context);
                  const std::uint64_t from = fake_now_ns();
                  a->refused += !a->l->controller->admin({}, {}, Transfer::none).ok();
                  a->refused += !a->l->controller->open_queue(a->queue, {}).ok();
                  a->refused += !a->l->controller->open_namespace(1).ok();
                  a->took_ns = fake_now_ns() - from;
                },
                &asks),
            0);
  ASSERT_TRUE(l.controller->reset().ok());
  EXPECT_EQ(asks.refused, 3);
  EXPECT_LE(asks.took_ns, 100'000u) << "no wait";
  EXPECT_TRUE(l.controller->open_namespace(1).ok()) << "and afterwards it may";
}

TEST(ControllerReset, recreates_all_queues_under_their_ids) {
  FakeDevice device;
  const auto controller = open_well(device);
  IoQueue a, b, c;
  for (auto* q : {&a, &b, &c}) ASSERT_TRUE(controller->open_queue(*q, {}).ok());
  controller->close_queue(b);
  ASSERT_TRUE(controller->reset().ok());
  EXPECT_EQ(device.queues.size(), 3u);
  EXPECT_EQ(device.queues.count(a.qid()) + device.queues.count(c.qid()), 2u);
  ASSERT_TRUE(controller->open_queue(b, {}).ok());
  EXPECT_EQ(b.qid(), 2u) << "the id that is free";
  for (auto* q : {&a, &b, &c}) controller->close_queue(*q);
  EXPECT_EQ(device.queues.size(), 1u);
}

TEST(ControllerReset, a_failed_reset_ends_every_command_and_says_why) {
  FakeDevice device;
  Loaded l(device);
  l.load();
  device.never_ready = true;
  const auto done = l.controller->reset();
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().sys_errno, ETIMEDOUT);
  l.expect_all_ended_once(kStatusAborted);
  EXPECT_TRUE(l.controller->failed());
  EXPECT_EQ(l.queue.submit({}, 0, 0, 0, nullptr, nullptr), -ENXIO);
  l.controller->fail_all();
  l.expect_all_ended_once(kStatusAborted);
  device.never_ready = false;
  ASSERT_TRUE(l.controller->reset().ok()) << "a second try may help";
  l.expect_io_goes();
}

TEST(ControllerReset, fewer_queues_than_before_are_an_error) {
  FakeDevice device;
  IoQueue a, b;
  const auto controller = open_well(device);
  ASSERT_TRUE(controller->open_queue(a, {}).ok());
  ASSERT_TRUE(controller->open_queue(b, {}).ok());
  device.on_admin = [](const Command& c) -> std::optional<FakeDevice::Answer> {
    if (c.opcode != static_cast<std::uint8_t>(AdminOpcode::create_io_sq) || (c.cdw10 & 0xffff) < 2) return {};
    return FakeDevice::Answer{0x101, 0};
  };
  const auto done = controller->reset();
  ASSERT_FALSE(done.ok());
  EXPECT_NE(done.error().what.find("Invalid Queue Identifier"), std::string::npos);
  EXPECT_TRUE(controller->failed());
  EXPECT_TRUE(a.dead() && b.dead());
}

TEST(ControllerFailure, fatal_status_ends_everything_exactly_once) {
  FakeDevice device;
  Loaded l(device);
  l.load();
  EXPECT_FALSE(l.controller->failed());
  device.csts |= kCstsFatal;
  EXPECT_TRUE(l.controller->failed());
  l.controller->fail_all();
  l.expect_all_ended_once(kStatusAborted);
  EXPECT_EQ(device.cc & kCcEnable, 0u) << "told to stop before its commands were given up";
  l.controller->fail_all();
  l.controller->shutdown();
  l.expect_all_ended_once(kStatusAborted);
}

TEST(ControllerFailure, removal_ends_everything_exactly_once) {
  FakeDevice device;
  Loaded l(device);
  l.load();
  device.gone = true;
  EXPECT_TRUE(l.controller->failed());
  l.controller->fail_all();
  l.expect_all_ended_once(kStatusAborted);
  EXPECT_EQ(l.queue.submit({}, 0, 0, 0, nullptr, nullptr), -ENXIO);
  const auto again = l.controller->reset();
  ASSERT_FALSE(again.ok());
  EXPECT_EQ(again.error().sys_errno, ENODEV);
  EXPECT_FALSE(l.controller->open_namespace(1).ok());
  EXPECT_TRUE(l.controller->namespaces().empty());
}

TEST(Recovery, aborts_first_and_resets_when_that_did_not_help) {
  FakeDevice device;
  Loaded l(device);
  ASSERT_EQ(l.queue.read_write(NvmOpcode::read, 1, 0, 1, kBuffer, 4096, Ended::callback, &l.ended[0]), 0);
  l.queue.ring();
  device.step();
  EXPECT_EQ(l.queue.overdue(3), -1);
  EXPECT_EQ(l.queue.overdue(3), -1);
  const int cid = l.queue.overdue(3);
  ASSERT_GE(cid, 0);
  auto how = recover(*l.controller, l.queue, static_cast<std::uint16_t>(cid));
  ASSERT_TRUE(how.ok());
  EXPECT_EQ(*how, Recovery::aborted);
  l.queue.poll(8, nothing);
  EXPECT_EQ(l.ended[0].calls, 1);
  EXPECT_EQ(l.queue.overdue(3), -1);

  ASSERT_EQ(l.queue.read_write(NvmOpcode::read, 1, 0, 1, kBuffer, 4096, Ended::callback, &l.ended[1]), 0);
  l.queue.ring();
  how = recover(*l.controller, l.queue, static_cast<std::uint16_t>(cid), Recovery::aborted);
  ASSERT_TRUE(how.ok());
  EXPECT_EQ(*how, Recovery::reset);
  EXPECT_EQ(l.ended[1].calls, 1);
  l.expect_io_goes();
}

TEST(Recovery, resets_when_the_controller_cannot_abort_and_fails_all_when_it_cannot_reset) {
  FakeDevice device;
  Loaded l(device);
  l.load();
  device.on_admin = [](const Command& c) -> std::optional<FakeDevice::Answer> {
    if (c.opcode != static_cast<std::uint8_t>(AdminOpcode::abort)) return {};
    return FakeDevice::Answer{0, 1};
  };
  const auto how = recover(*l.controller, l.queue, 0);
  ASSERT_TRUE(how.ok());
  EXPECT_EQ(*how, Recovery::reset);
  l.expect_all_ended_once(kStatusAborted);
  device.never_disabled = true;
  EXPECT_FALSE(recover(*l.controller, l.queue, 0).ok());
  EXPECT_TRUE(l.queue.dead());
}

TEST(IoQueues, are_created_with_their_size_and_address) {
  FakeDevice device;
  const auto controller = open_well(device);
  IoQueue queue;
  QueueOptions options;
  options.entries = 100;
  ASSERT_TRUE(controller->open_queue(queue, options).ok());
  EXPECT_EQ(queue.entries(), 128u);
  const auto& pair = device.queues.at(1);
  EXPECT_EQ(pair.sq.entries, 128u);
  EXPECT_EQ(pair.cq.entries, queue.cq_entries());
  EXPECT_EQ(pair.sq.iova, queue.sq_iova());
  EXPECT_EQ(pair.cq.iova, queue.cq_iova());
  controller->close_queue(queue);
  controller->close_queue(queue);
}

TEST(IoQueues, entries_are_cut_to_what_mqes_allows) {
  for (const auto& [mqes, entries] : {std::pair{62u, 32u}, {63u, 64u}, {1u, 2u}}) {
    FakeDevice device;
    device.cap = (device.cap & ~0xffffull) | mqes;
    const auto controller = open_well(device);
    IoQueue queue;
    QueueOptions options;
    options.entries = 4096;
    ASSERT_TRUE(controller->open_queue(queue, options).ok());
    EXPECT_EQ(queue.entries(), entries);
    controller->close_queue(queue);
  }
}

TEST(IoQueues, beyond_those_granted_are_refused) {
  FakeDevice device;
  device.queues_granted = 2;
  IoQueue a, b, c;
  const auto controller = open_well(device);
  ASSERT_TRUE(controller->open_queue(a, {}).ok());
  ASSERT_TRUE(controller->open_queue(b, {}).ok());
  const auto refused = controller->open_queue(c, {});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, base::ErrorKind::usage);
  EXPECT_EQ(refused.error().cause, "the controller granted 2, and all are open");
}

TEST(IoQueues, a_completion_queue_without_its_submission_queue_is_deleted) {
  FakeDevice device;
  device.on_admin = [](const Command& c) -> std::optional<FakeDevice::Answer> {
    if (c.opcode != static_cast<std::uint8_t>(AdminOpcode::create_io_sq)) return {};
    return FakeDevice::Answer{0x102, 0};
  };
  const auto controller = open_well(device);
  IoQueue queue;
  const std::size_t regions = device.regions.size();
  ASSERT_FALSE(controller->open_queue(queue, {}).ok());
  EXPECT_EQ(device.count(AdminOpcode::delete_io_cq), 1u);
  EXPECT_EQ(device.regions.size(), regions);
  EXPECT_EQ(queue.submit({}, 0, 0, 0, nullptr, nullptr), -ENXIO);
}

TEST(IoQueues, a_queue_that_is_not_deleted_disables_the_controller) {
  FakeDevice device;
  Loaded l(device);
  l.load();
  device.silent = {AdminOpcode::delete_io_sq};
  l.controller->close_queue(l.queue);
  EXPECT_EQ(device.cc & kCcEnable, 0u) << "disabled: the rings are not its memory any more";
  EXPECT_TRUE(l.controller->failed());
  l.expect_all_ended_once(kStatusQueueDeleted);
}

TEST(IoQueues, an_unanswered_creation_disables_the_controller) {
  FakeDevice device;
  const auto controller = open_well(device);
  device.silent = {AdminOpcode::create_io_cq};
  IoQueue queue;
  ASSERT_FALSE(controller->open_queue(queue, {}).ok());
  EXPECT_EQ(device.cc & kCcEnable, 0u);
  EXPECT_TRUE(controller->failed());
}

// A transport that notices when two are in it at once.
struct Watched : FakeTransport {
  using FakeTransport::FakeTransport;
  struct Inside {
    explicit Inside(Watched& w) : watched(w) {
      if (++watched.inside > 1) ++watched.met;
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
    ~Inside() { --watched.inside; }
    Watched& watched;
  };
  base::Expected<DmaMemory> allocate(std::size_t bytes) override {
    const Inside here(*this);
    return FakeTransport::allocate(bytes);
  }
  base::Expected<std::uint64_t> map(const HostMemory&) override {
    const Inside here(*this);
    return std::uint64_t{0x1000};
  }
  void unmap(const HostMemory&) override { const Inside here(*this); }
  std::atomic<int> inside{0}, met{0};
};

TEST(IoQueues, queue_commands_and_mappings_do_not_overlap) {
  FakeDevice device;
  auto transport = std::make_unique<Watched>(device);
  Watched& watched = *transport;
  auto opened = Controller::open(std::move(transport), fake_options());
  ASSERT_TRUE(opened.ok());
  Controller* const controller = opened->get();
  std::thread maps([&] {
    for (int i = 0; i < 100; ++i) {
      EXPECT_TRUE(controller->map_memory({}).ok());
      controller->unmap_memory({});
    }
  });
  for (int i = 0; i < 20; ++i) {
    IoQueue queue;
    EXPECT_TRUE(controller->open_queue(queue, {}).ok());
    controller->close_queue(queue);
  }
  maps.join();
  EXPECT_EQ(watched.met, 0);
}

TEST(IoQueues, closing_ends_what_is_in_flight_and_waiting) {
  FakeDevice device;
  Loaded l(device);
  l.load();
  l.controller->close_queue(l.queue);
  l.expect_all_ended_once(kStatusQueueDeleted);
}

}  // namespace
}  // namespace fathom::nvme
