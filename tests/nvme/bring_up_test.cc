// Bring-up and shutdown: which registers are written in which order, what bounds the waits, and what is said of a
// device that does not come up.
#include <algorithm>
#include <cerrno>
#include <string>

#include "nvme/detail/identify_check.h"
#include "nvme/open_fake.h"

namespace fathom::nvme {
namespace {

std::vector<std::uint32_t> offsets(const FakeDevice& device) {
  std::vector<std::uint32_t> found;
  for (const auto& w : device.writes) found.push_back(w.offset);
  return found;
}

TEST(BringUp, writes_the_registers_in_the_order_of_section_3_5_1) {
  FakeDevice device;
  const auto controller = open_well(device);
  EXPECT_EQ(offsets(device), (std::vector<std::uint32_t>{kAqa, kAsq, kAcq, kCc, kCc}));
  EXPECT_EQ(device.writes[0].value, 31u << 16 | 31u);
  EXPECT_EQ(device.writes[3].value, cc_entry_sizes(6, 4));
  EXPECT_EQ(device.writes[4].value, cc_entry_sizes(6, 4) | kCcEnable);
  EXPECT_EQ(device.asq % 4096, 0u);
  EXPECT_EQ(device.acq % 4096, 0u);
  EXPECT_EQ(device.bad_addresses, 0u);
}

TEST(BringUp, disables_a_controller_that_somebody_left_enabled) {
  FakeDevice device;
  device.cc = kCcEnable | kCcShutdownNormal;
  device.csts = kCstsReady | kCstsShutdownComplete;
  const auto controller = open_well(device);
  ASSERT_GE(device.writes.size(), 6u);
  EXPECT_EQ(device.writes[0], (FakeDevice::Write{kCc, 0}));
  EXPECT_EQ(device.writes[1].offset, kAqa);
}

TEST(BringUp, waits_for_ready_before_it_disables) {
  FakeDevice device;
  device.cc = kCcEnable;
  device.ready_after_reads = 5;
  const auto controller = open_well(device);
  EXPECT_LE(device.ready_after_reads, 0);
}

TEST(BringUp, waits_as_long_as_cap_to_allows) {
  FakeDevice device;
  device.ready_after_reads = 4000;  // of 100 us each, and CAP.TO is 500 ms
  EXPECT_TRUE(try_open(device).ok());
}

TEST(BringUp, never_ready_is_an_error_with_csts_and_remedy) {
  FakeDevice device;
  device.never_ready = true;
  const std::uint64_t from = fake_now_ns();
  const auto opened = try_open(device);
  const std::uint64_t took_ms = (fake_now_ns() - from) / 1'000'000;
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().kind, base::ErrorKind::io);
  EXPECT_EQ(opened.error().sys_errno, ETIMEDOUT);
  EXPECT_TRUE(says(opened.error().what, "fake: the controller did not become ready")) << opened.error().what;
  EXPECT_TRUE(says(opened.error().cause, "CSTS is 00000000h 500 ms after CC.EN was set")) << opened.error().cause;
  EXPECT_TRUE(says(opened.error().help, "reset the device"));
  EXPECT_LT(took_ms, 1700u) << "enabling, and disabling again with its own two waits";
  EXPECT_EQ(device.cc & kCcEnable, 0u) << "left disabled: its queues' memory is gone";
}

TEST(BringUp, ready_timeout_of_crto_applies_where_supported) {
  for (const bool has_crto : {false, true}) {
    FakeDevice device;
    device.cap |= has_crto ? 1ull << 59 : 0;
    device.crto = 4;
    device.never_ready = true;
    const auto opened = try_open(device);
    ASSERT_FALSE(opened.ok());
    EXPECT_TRUE(says(opened.error().cause, has_crto ? " 2000 ms after" : " 500 ms after")) << opened.error().cause;
  }
}

TEST(BringUp, never_disabled_is_an_error) {
  FakeDevice device;
  device.cc = kCcEnable;
  device.csts = kCstsReady;
  device.never_disabled = true;
  const auto opened = try_open(device);
  ASSERT_FALSE(opened.ok());
  EXPECT_TRUE(says(opened.error().what, "did not become disabled"));
}

TEST(BringUp, fatal_status_ends_the_wait_at_once) {
  FakeDevice device;
  device.fatal_when_enabled = true;
  device.never_ready = true;
  const auto opened = try_open(device);
  ASSERT_FALSE(opened.ok());
  EXPECT_TRUE(says(opened.error().what, "fatal status"));
  EXPECT_TRUE(says(opened.error().cause, "CFS"));
}

TEST(BringUp, a_missing_device_is_enodev) {
  FakeDevice device;
  device.gone = true;
  const auto opened = try_open(device);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().sys_errno, ENODEV);
}

TEST(BringUp, unusable_registers_are_refused) {
  struct Case {
    std::uint64_t cap;
    std::size_t doorbell_bytes;
    base::ErrorKind kind;
    const char* words;
  };
  const Case cases[] = {
      {0x0001'0020'0101'03ff, 0x1000, base::ErrorKind::not_built, "pages of more than 4 KiB"},
      {0x0000'0020'0101'0000, 0x1000, base::ErrorKind::io, "CAP.MQES is 0"},
      {0x0000'002f'0101'03ff, 0x1000, base::ErrorKind::io, "CAP.DSTRD"},
      {0x0000'0020'0101'03ff, 8, base::ErrorKind::io, "CAP.DSTRD"},
      {0x0000'0020'0101'03ff, 0, base::ErrorKind::io, "CAP.DSTRD"},
      {0x0000'1000'0101'03ff, 0x1000, base::ErrorKind::not_built, "administrative controllers"},
  };
  for (const auto& c : cases) {
    FakeDevice device;
    device.cap = c.cap;
    device.doorbell_bytes = c.doorbell_bytes;
    const auto opened = try_open(device);
    ASSERT_FALSE(opened.ok()) << c.words;
    EXPECT_EQ(opened.error().kind, c.kind) << c.words;
    EXPECT_TRUE(says(opened.error().what, c.words)) << opened.error().what;
    EXPECT_TRUE(device.writes.empty()) << "nothing was touched";
  }
}

TEST(BringUp, doorbells_that_are_mapped_bound_the_number_of_queues) {
  FakeDevice device;
  device.doorbell_bytes = 3 * 8;
  ControllerOptions options = fake_options();
  options.io_queues = 64;
  EXPECT_EQ(open_well(device, options)->io_queues_max(), 2u);
}

TEST(BringUp, the_command_set_is_chosen_from_cap_css) {
  FakeDevice device;
  device.cap = 0x0000'0800'0101'03ff;  // CSS: bit 6 alone
  const auto controller = open_well(device);
  EXPECT_EQ(device.cc >> 4 & 7, 6u);
}

TEST(BringUp, waits_are_limited_to_a_minute) {
  FakeDevice device;
  device.cap |= 1ull << 59;
  device.crto = 0xffff;
  device.never_ready = true;
  const auto opened = try_open(device);
  ASSERT_FALSE(opened.ok());
  EXPECT_TRUE(says(opened.error().cause, " 60000 ms after")) << opened.error().cause;
  EXPECT_EQ(detail::shutdown_ms(0xffffffff, 500), 60'000u);
  EXPECT_EQ(detail::shutdown_ms(0, 127'500), 60'000u);
  EXPECT_EQ(detail::shutdown_ms(2'000'000, 500), 2001u);
  EXPECT_EQ(detail::shutdown_ms(1000, 500), 500u);
}

TEST(BringUp, a_queue_with_entries_of_another_size_is_refused) {
  for (const auto& [controllers, queues] : {std::pair{64u, 16u}, {16u, 64u}}) {
    FakeDevice device;
    ControllerOptions options = fake_options();
    options.completion_entry_bytes = controllers;
    const auto controller = open_well(device, options);
    IoQueue queue;
    QueueOptions wanted;
    wanted.completion_entry_bytes = queues;
    const auto refused = controller->open_queue(queue, wanted);
    ASSERT_FALSE(refused.ok());
    EXPECT_EQ(refused.error().kind, base::ErrorKind::usage);
    EXPECT_EQ(refused.error().cause,
              "the controller was opened with completion entries of " + std::to_string(controllers) + " bytes");
    EXPECT_FALSE(refused.error().help.empty());
    EXPECT_EQ(device.count(AdminOpcode::create_io_cq), 0u);
  }
}

TEST(BringUp, wide_completion_entries_need_the_controllers_cqes) {
  FakeDevice device;
  ControllerOptions options = fake_options();
  options.completion_entry_bytes = 64;
  const auto controller = open_well(device, options);
  EXPECT_EQ(device.cc, cc_entry_sizes(6, 6) | kCcEnable);
  device.id.cqes = 0x44;
  FakeDevice narrow;
  narrow.id.cqes = 0x44;
  const auto refused = try_open(narrow, options);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, base::ErrorKind::usage);
  options.completion_entry_bytes = 48;
  FakeDevice odd;
  EXPECT_FALSE(try_open(odd, options).ok());
}

TEST(BringUp, invalid_identify_data_is_refused) {
  struct Case {
    void (*spoil)(IdentifyController&);
    base::ErrorKind kind;
    const char* words;
  };
  const Case cases[] = {
      {[](IdentifyController& id) { id.sqes = 0; }, base::ErrorKind::io, "SQES is 00h"},
      {[](IdentifyController& id) { id.cqes = 0x55; }, base::ErrorKind::io, "CQES is 55h"},
      {[](IdentifyController& id) { id.cntrltype = 2; }, base::ErrorKind::not_built, "fabrics"},
      {[](IdentifyController& id) { id.cntrltype = 3; }, base::ErrorKind::not_built, "administrative"},
  };
  for (const auto& c : cases) {
    FakeDevice device;
    c.spoil(device.id);
    const auto opened = try_open(device);
    ASSERT_FALSE(opened.ok()) << c.words;
    EXPECT_EQ(opened.error().kind, c.kind) << c.words;
    EXPECT_TRUE(says(opened.error().what, c.words)) << opened.error().what;
    EXPECT_EQ(device.cc & kCcEnable, 0u);
    EXPECT_TRUE(device.regions.empty()) << "no memory is left behind";
  }
}

TEST(BringUp, no_memory_is_an_error_at_any_allocation) {
  FakeDevice all;
  { const auto controller = open_well(all); }
  ASSERT_GT(all.allocations, 2u);
  for (std::size_t allowed = 0; allowed < all.allocations; ++allowed) {
    FakeDevice device;
    device.allocations_allowed = allowed;
    const auto opened = try_open(device);
    ASSERT_FALSE(opened.ok()) << allowed;
    EXPECT_EQ(opened.error().sys_errno, ENOMEM);
    EXPECT_TRUE(device.regions.empty());
  }
}

TEST(BringUp, transfer_limit_is_mdts_and_a_mebibyte_at_most) {
  const std::pair<std::uint8_t, std::uint32_t> cases[] = {{5, 128 * 1024}, {1, 8192},     {0, 1 << 20},  {8, 1 << 20},
                                                          {9, 1 << 20},    {20, 1 << 20}, {255, 1 << 20}};
  for (const auto& [mdts, bytes] : cases) {
    FakeDevice device;
    device.id.mdts = mdts;
    EXPECT_EQ(open_well(device)->transfer_bytes_max(), bytes) << int{mdts};
  }
}

TEST(BringUp, number_of_queues_is_the_smaller_of_wanted_and_granted) {
  for (const std::uint32_t granted : {1u, 3u, 9u, 65536u}) {
    FakeDevice device;
    device.queues_granted = granted;
    EXPECT_EQ(open_well(device)->io_queues_max(), std::min(granted, 4u));
  }
  FakeDevice lopsided;
  lopsided.on_admin = [](const Command& c) -> std::optional<FakeDevice::Answer> {
    if (c.opcode != static_cast<std::uint8_t>(AdminOpcode::set_features) || (c.cdw10 & 0xff) != 7) return {};
    return FakeDevice::Answer{0, 1u << 16 | 7u};
  };
  EXPECT_EQ(open_well(lopsided)->io_queues_max(), 2u);
}

TEST(BringUp, a_refused_number_of_queues_names_the_status) {
  FakeDevice device;
  device.on_admin = [](const Command& c) -> std::optional<FakeDevice::Answer> {
    if (c.opcode != static_cast<std::uint8_t>(AdminOpcode::set_features)) return {};
    return FakeDevice::Answer{kInvalidField, 0};
  };
  const auto opened = try_open(device);
  ASSERT_FALSE(opened.ok());
  EXPECT_TRUE(says(opened.error().what, "Set Features: Invalid Field in Command (SCT 0h, SC 02h)"))
      << opened.error().what;
}

TEST(BringUp, a_version_of_0_is_taken_as_1_0) {
  FakeDevice device;
  device.vs = 0;
  EXPECT_EQ(open_well(device)->version(), 0x10000u);
}

TEST(Shutdown, deletes_the_queues_sets_shn_and_waits) {
  FakeDevice device;
  Ended ended;
  IoQueue queue;
  {
    const auto controller = open_well(device);
    ASSERT_TRUE(controller->open_queue(queue, {}).ok());
    device.hold_io = true;
    ASSERT_EQ(queue.read_write(NvmOpcode::read, 1, 0, 1, 0x10000, 4096, Ended::callback, &ended), 0);
    queue.ring();
  }
  EXPECT_EQ(device.count(AdminOpcode::delete_io_sq), 1u);
  EXPECT_EQ(device.count(AdminOpcode::delete_io_cq), 1u);
  EXPECT_EQ(device.cc & kCcShutdownMask, kCcShutdownNormal);
  EXPECT_EQ(ended.calls, 1);
  EXPECT_EQ(ended.status, kStatusQueueDeleted);
  EXPECT_TRUE(device.regions.empty());
  EXPECT_EQ(queue.submit({}, 0, 0, 0, nullptr, nullptr), -ENXIO);
}

TEST(Shutdown, a_controller_that_never_finishes_is_disabled) {
  FakeDevice device;
  device.never_shut = true;
  { const auto controller = open_well(device); }
  EXPECT_EQ(device.cc & kCcEnable, 0u);
}

TEST(Shutdown, commands_afterwards_are_refused) {
  FakeDevice device;
  const auto controller = open_well(device);
  controller->shutdown();
  EXPECT_TRUE(controller->failed());
  EXPECT_FALSE(controller->reset().ok());
  EXPECT_FALSE(controller->open_namespace(1).ok());
  IoQueue queue;
  EXPECT_FALSE(controller->open_queue(queue, {}).ok());
  controller->poll_admin();
}

}  // namespace
}  // namespace fathom::nvme
