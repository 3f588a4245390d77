// The admin side of a controller that is up: passthrough, log pages in pieces, namespaces, async events, abort, and
// what happens when an answer does not come.
#include <cerrno>
#include <numeric>
#include <string>

#include "nvme/log_page.h"
#include "nvme/open_fake.h"

namespace fathom::nvme {
namespace {

Command command(AdminOpcode opcode) {
  Command c;
  c.opcode = static_cast<std::uint8_t>(opcode);
  return c;
}

std::vector<Command> sent(const FakeDevice& device, AdminOpcode opcode) {
  std::vector<Command> found;
  for (const auto& c : device.admin_log)
    if (c.opcode == static_cast<std::uint8_t>(opcode)) found.push_back(c);
  return found;
}

TEST(AdminCommand, passthrough_gives_the_completion_as_it_came) {
  FakeDevice device;
  const auto controller = open_well(device);
  device.on_admin = [](const Command&) { return FakeDevice::Answer{0x4109, 77}; };
  const auto done = controller->admin(command(AdminOpcode::get_features), {}, Transfer::none);
  ASSERT_TRUE(done.ok());
  EXPECT_EQ(status_of(*done), 0x4109);
  EXPECT_EQ(done->result, 77u);
}

TEST(AdminCommand, passthrough_moves_data_both_ways) {
  FakeDevice device;
  const auto controller = open_well(device);
  std::vector<std::byte> data(10'001);
  for (std::size_t i = 0; i < data.size(); ++i) data[i] = static_cast<std::byte>(i * 7);
  std::vector<std::byte> seen;
  Command vendor;
  vendor.opcode = 0xc1;
  device.step();  // takes the event requests
  device.on_admin = [&](const Command& c) {
    for (const auto& [iova, bytes] : device.pieces(c, 10'004))
      if (const auto* from = device.at(iova, bytes)) seen.insert(seen.end(), from, from + bytes);
    return FakeDevice::Answer{};
  };
  ASSERT_TRUE(controller->admin(vendor, data, Transfer::to_device).ok());
  seen.resize(data.size());
  EXPECT_EQ(seen, data);

  device.on_admin = [&](const Command& c) {
    for (const auto& [iova, bytes] : device.pieces(c, 10'004)) std::memset(device.at(iova, bytes), 0x5a, bytes);
    return FakeDevice::Answer{};
  };
  ASSERT_TRUE(controller->admin(vendor, data, Transfer::from_device).ok());
  EXPECT_EQ(data, std::vector<std::byte>(data.size(), std::byte{0x5a}));
  EXPECT_EQ(device.bad_addresses, 0u);
}

TEST(AdminCommand, data_of_an_earlier_command_is_not_read_back) {
  FakeDevice device;
  const auto controller = open_well(device);
  std::vector<std::byte> data(4096, std::byte{1});
  device.on_admin = [](const Command&) { return FakeDevice::Answer{}; };
  Command vendor;
  vendor.opcode = 0xc2;
  ASSERT_TRUE(controller->admin(vendor, data, Transfer::from_device).ok());
  EXPECT_EQ(data, std::vector<std::byte>(4096));
}

TEST(AdminCommand, reserved_and_unbuilt_commands_are_refused_unsent) {
  FakeDevice device;
  const auto controller = open_well(device);
  const std::size_t before = device.admin_log.size();
  std::vector<std::byte> much(256 * 1024);
  Command sgl = command(AdminOpcode::identify);
  sgl.flags = 0x40;
  Command metadata = command(AdminOpcode::identify);
  metadata.mptr = 4096;
  Command doorbell_buffer, fabrics;
  doorbell_buffer.opcode = 0x7c;
  fabrics.opcode = 0x7f;
  const std::pair<Command, base::ErrorKind> cases[] = {
      {command(AdminOpcode::async_event_request), base::ErrorKind::usage},
      {command(AdminOpcode::create_io_sq), base::ErrorKind::usage},
      {command(AdminOpcode::create_io_cq), base::ErrorKind::usage},
      {command(AdminOpcode::delete_io_sq), base::ErrorKind::usage},
      {command(AdminOpcode::delete_io_cq), base::ErrorKind::usage},
      {sgl, base::ErrorKind::not_built},
      {metadata, base::ErrorKind::not_built},
      {doorbell_buffer, base::ErrorKind::not_built},
      {fabrics, base::ErrorKind::not_built},
  };
  for (const auto& [c, kind] : cases) {
    const auto done = controller->admin(c, {}, Transfer::none);
    ASSERT_FALSE(done.ok()) << int{c.opcode};
    EXPECT_EQ(done.error().kind, kind) << int{c.opcode};
    EXPECT_FALSE(done.error().help.empty());
  }
  EXPECT_FALSE(controller->admin(command(AdminOpcode::get_log_page), much, Transfer::from_device).ok());
  EXPECT_EQ(device.admin_log.size(), before);
}

TEST(AdminCommand, a_command_without_an_answer_ends_in_a_timeout) {
  FakeDevice device;
  const auto controller = open_well(device);
  device.silent = {AdminOpcode::get_features};
  const std::uint64_t from = fake_now_ns();
  const auto done = controller->admin(command(AdminOpcode::get_features), {}, Transfer::none);
  ASSERT_FALSE(done.ok());
  EXPECT_EQ(done.error().sys_errno, ETIMEDOUT);
  EXPECT_TRUE(says(done.error().what, "Get Features: no completion in 100 ms")) << done.error().what;
  EXPECT_NEAR(static_cast<double>(fake_now_ns() - from) / 1e6, 100, 2);
  EXPECT_FALSE(controller->failed()) << "it may be this command alone";
}

TEST(AdminCommand, an_answer_that_comes_after_the_timeout_harms_nothing) {
  FakeDevice device;
  const auto controller = open_well(device);
  device.silent = {AdminOpcode::get_log_page};
  std::vector<std::byte> data(4096, std::byte{9});
  ASSERT_FALSE(controller->log_page(2, 0, data).ok());
  EXPECT_EQ(data, std::vector<std::byte>(4096, std::byte{9}));
  const Command late = device.admin_log.back();
  EXPECT_NE(device.at(late.prp1, 4096), nullptr) << "its memory is kept: the device may write to it";
  device.silent.clear();
  ASSERT_TRUE(controller->log_page(2, 0, data).ok());
  EXPECT_NE(device.admin_log.back().prp1, late.prp1);
  EXPECT_EQ(data[0], std::byte{1});
  device.complete(0, late.cid, 0);
  ASSERT_TRUE(controller->log_page(2, 0, data).ok());
  const auto bad = device.bad_addresses;
  EXPECT_EQ(device.at(late.prp1, 4096), nullptr) << "and given back once the answer has come";
  EXPECT_EQ(device.bad_addresses, bad + 1);
}

TEST(AdminCommand, after_four_timeouts_no_more_commands_are_sent) {
  FakeDevice device;
  const auto controller = open_well(device);
  device.silent = {AdminOpcode::get_features};
  for (int i = 0; i < 10; ++i)
    EXPECT_FALSE(controller->admin(command(AdminOpcode::get_features), {}, Transfer::none).ok());
  EXPECT_EQ(device.count(AdminOpcode::get_features), 4u);
  ASSERT_TRUE(controller->reset().ok());
  device.silent.clear();
  EXPECT_TRUE(controller->admin(command(AdminOpcode::get_features), {}, Transfer::none).ok());
}

TEST(AdminCommand, removal_and_fatal_status_end_a_wait_early) {
  for (const bool fatal : {false, true}) {
    FakeDevice device;
    const auto controller = open_well(device);
    device.on_admin = [&](const Command&) {
      if (fatal)
        device.csts |= kCstsFatal;
      else
        device.gone = true;
      return FakeDevice::Answer{};
    };
    device.step();
    const std::uint64_t from = fake_now_ns();
    const auto done = controller->admin(command(AdminOpcode::keep_alive), {}, Transfer::none);
    ASSERT_FALSE(done.ok());
    EXPECT_EQ(done.error().sys_errno, fatal ? EIO : ENODEV);
    EXPECT_LT((fake_now_ns() - from) / 1'000'000, 10u);
    EXPECT_TRUE(controller->failed());
  }
}

TEST(LogPage, is_read_in_pieces_with_offset_and_the_event_retained) {
  FakeDevice device;
  const auto controller = open_well(device);
  std::vector<std::byte> data(4096 + 4096 + 512);
  ASSERT_TRUE(controller->log_page(static_cast<std::uint8_t>(LogPage::error_information), ~0u, data).ok());
  const auto commands = sent(device, AdminOpcode::get_log_page);
  ASSERT_EQ(commands.size(), 3u);
  const std::uint32_t retain = 1u << 15;
  EXPECT_EQ(commands[0].cdw10, 1u | retain | 1023u << 16);
  EXPECT_EQ(commands[1].cdw10, 1u | retain | 1023u << 16);
  EXPECT_EQ(commands[2].cdw10, 1u | 127u << 16);
  EXPECT_EQ(commands[1].cdw12, 4096u);
  EXPECT_EQ(commands[2].cdw12, 8192u);
  EXPECT_EQ(commands[2].nsid, ~0u);
  EXPECT_EQ(data[0], std::byte{1});
  EXPECT_EQ(data[4096], std::byte{2});
  EXPECT_EQ(data.back(), std::byte{3});
}

TEST(LogPage, without_offsets_is_one_command_or_an_error) {
  FakeDevice device;
  device.id.lpa = 0;
  device.vs = 0x10200;
  const auto controller = open_well(device);
  std::vector<std::byte> data(16384), more(16388);
  ASSERT_TRUE(controller->log_page(1, 0, data).ok());
  EXPECT_EQ(sent(device, AdminOpcode::get_log_page).size(), 1u);
  const auto refused = controller->log_page(1, 0, more);
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().kind, base::ErrorKind::usage);
}

TEST(LogPage, keeps_to_a_small_transfer_limit_and_names_the_status) {
  FakeDevice device;
  device.on_admin = [](const Command& c) -> std::optional<FakeDevice::Answer> {
    if (c.opcode != static_cast<std::uint8_t>(AdminOpcode::get_log_page)) return {};
    return FakeDevice::Answer{0x109, 0};
  };
  const auto controller = open_well(device);
  std::vector<std::byte> data(512);
  const auto done = controller->log_page(0xee, 0, data);
  ASSERT_FALSE(done.ok());
  EXPECT_TRUE(says(done.error().what, "Get Log Page: Invalid Log Page (SCT 1h, SC 09h)")) << done.error().what;
}

TEST(Namespaces, are_listed_and_described) {
  FakeDevice device;
  IdentifyNamespace small = device.namespaces[1];
  small.nsze = 100;
  small.nlbaf = 1;
  small.flbas = 1;
  small.lbaf[1].lbads = 9;
  device.namespaces[3] = small;
  device.id.vwc = 1;
  const auto controller = open_well(device);
  EXPECT_EQ(controller->namespaces(), (std::vector<std::uint32_t>{1, 3}));
  const auto n = controller->open_namespace(3);
  ASSERT_TRUE(n.ok());
  EXPECT_EQ(n->nsid, 3u);
  EXPECT_EQ(n->block_bytes, 512u);
  EXPECT_EQ(n->bytes(), 51200u);
  EXPECT_TRUE(n->deallocates && n->writes_zeroes && n->volatile_cache);
  EXPECT_EQ(controller->open_namespace(1)->block_bytes, 4096u);
}

TEST(Namespaces, an_absent_namespace_is_an_error_that_lists_those_present) {
  FakeDevice device;
  const auto controller = open_well(device);
  for (const std::uint32_t nsid : {0u, 2u, 5u, ~0u}) {
    const auto n = controller->open_namespace(nsid);
    ASSERT_FALSE(n.ok()) << nsid;
    EXPECT_EQ(n.error().kind, base::ErrorKind::usage) << nsid;
    EXPECT_EQ(n.error().cause, "active are 1") << nsid;
  }
}

TEST(Namespaces, more_than_1024_are_listed) {
  FakeDevice device;
  device.id.nn = 3000;
  const IdentifyNamespace ns = device.namespaces[1];
  for (std::uint32_t nsid = 1; nsid <= 3000; ++nsid) device.namespaces[nsid] = ns;
  const auto controller = open_well(device);
  const auto list = controller->namespaces();
  std::vector<std::uint32_t> all(3000);
  std::iota(all.begin(), all.end(), 1u);
  EXPECT_EQ(list, all);
}

TEST(Namespaces, an_endless_list_is_cut_at_65536) {
  FakeDevice device;
  device.id.nn = ~0u;
  const auto controller = open_well(device);
  device.on_admin = [&](const Command& c) -> std::optional<FakeDevice::Answer> {
    if ((c.cdw10 & 0xff) != 2) return {};
    for (std::uint32_t i = 0; i < 1024; ++i) {
      const std::uint32_t nsid = c.nsid + i + 1;
      std::memcpy(device.at(c.prp1, 4096) + 4 * i, &nsid, 4);
    }
    return FakeDevice::Answer{};
  };
  EXPECT_EQ(controller->namespaces().size(), 65536u);
}

TEST(Namespaces, without_active_lists_are_identified_one_by_one) {
  FakeDevice device;
  device.vs = 0x10000;
  device.namespaces[4] = device.namespaces[1];
  const auto controller = open_well(device);
  EXPECT_EQ(controller->namespaces(), (std::vector<std::uint32_t>{1, 4}));
  for (const auto& c : sent(device, AdminOpcode::identify)) EXPECT_LE(c.cdw10, 1u);
}

TEST(Namespaces, unbuilt_and_invalid_formats_are_refused) {
  struct Case {
    void (*spoil)(IdentifyNamespace&);
    base::ErrorKind kind;
    const char* words;
  };
  const Case cases[] = {
      {[](IdentifyNamespace& n) { n.lbaf[0].ms = 8; }, base::ErrorKind::not_built, "metadata: not built"},
      {[](IdentifyNamespace& n) { n.dps = 1; }, base::ErrorKind::not_built, "protection information"},
      {[](IdentifyNamespace& n) { n.lbaf[0].lbads = 0; }, base::ErrorKind::io, "LBADS is 0"},
      {[](IdentifyNamespace& n) { n.lbaf[0].lbads = 17; }, base::ErrorKind::io, "LBADS is 17"},
      {[](IdentifyNamespace& n) { n.lbaf[0].lbads = 255; }, base::ErrorKind::io, "LBADS is 255"},
      {[](IdentifyNamespace& n) { n.flbas = 3; }, base::ErrorKind::io, "FLBAS names format 3 of 1"},
      {[](IdentifyNamespace& n) { n.nlbaf = 255, n.flbas = 0x6f; }, base::ErrorKind::io, "LBADS is 0"},
      {[](IdentifyNamespace& n) { n.nsze = ~0ull >> 11; }, base::ErrorKind::io, "NSZE"},
  };
  for (const auto& c : cases) {
    FakeDevice device;
    c.spoil(device.namespaces[1]);
    const auto controller = open_well(device);
    const auto n = controller->open_namespace(1);
    ASSERT_FALSE(n.ok()) << c.words;
    EXPECT_EQ(n.error().kind, c.kind) << c.words;
    EXPECT_TRUE(says(n.error().what, c.words)) << n.error().what;
  }
}

TEST(Namespaces, of_another_command_set_are_refused_as_not_built) {
  const std::pair<std::uint8_t, const char*> cases[] = {{1, "key-value"}, {2, "zoned"}, {3, "other than NVM"}};
  for (const auto& [csi, words] : cases) {
    FakeDevice device;
    device.cap |= 1ull << 43;
    const auto controller = open_well(device);
    device.on_admin = [&device, csi = csi](const Command& c) -> std::optional<FakeDevice::Answer> {
      if ((c.cdw10 & 0xff) != 3) return {};
      const std::uint8_t list[] = {1, 8, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8, 4, 1, 0, 0, csi};
      std::memcpy(device.at(c.prp1, 4096), list, sizeof list);
      return FakeDevice::Answer{};
    };
    const auto n = controller->open_namespace(1);
    ASSERT_FALSE(n.ok());
    EXPECT_EQ(n.error().kind, base::ErrorKind::not_built);
    EXPECT_TRUE(says(n.error().what, words)) << n.error().what;
  }
}

TEST(AsyncEvents, are_armed_handed_out_and_armed_again) {
  FakeDevice device;
  const auto controller = open_well(device);
  device.step();
  EXPECT_EQ(device.events.size(), 4u);
  std::vector<std::uint32_t> seen;
  std::size_t armed_when_told = 0;
  controller->on_event([&](std::uint32_t event) {
    device.step();
    armed_when_told = device.events.size();
    seen.push_back(event);
  });
  for (std::uint32_t i = 0; i < 100; ++i) {
    ASSERT_TRUE(device.send_event(0x00040002 | i << 8));
    controller->poll_admin();
    ASSERT_EQ(seen.size(), i + 1);
    EXPECT_EQ(seen.back(), 0x00040002u | i << 8);
    EXPECT_EQ(armed_when_told, 4u);
  }
  EXPECT_EQ(event_log_page(seen[0]), 4u);
  EXPECT_EQ(event_type(seen[0]), 2u);
  EXPECT_EQ(event_information(seen[7]), 7u);
}

TEST(AsyncEvents, arm_one_request_when_aerl_is_0) {
  FakeDevice device;
  device.id.aerl = 0;
  const auto controller = open_well(device);
  device.step();
  EXPECT_EQ(device.events.size(), 1u);
}

TEST(AsyncEvents, a_request_that_was_refused_is_not_sent_again) {
  FakeDevice device;
  device.on_admin = [](const Command& c) -> std::optional<FakeDevice::Answer> {
    if (c.opcode != static_cast<std::uint8_t>(AdminOpcode::async_event_request)) return {};
    return FakeDevice::Answer{kAsyncEventLimit, 0};
  };
  const auto controller = open_well(device);
  for (int i = 0; i < 20; ++i) {
    device.step();
    controller->poll_admin();
  }
  EXPECT_EQ(device.count(AdminOpcode::async_event_request), 4u);
}

TEST(AsyncEvents, a_flood_is_bounded_and_no_wait_hangs_in_it) {
  FakeDevice device;
  device.on_admin = [](const Command& c) -> std::optional<FakeDevice::Answer> {
    if (c.opcode != static_cast<std::uint8_t>(AdminOpcode::async_event_request)) return {};
    return FakeDevice::Answer{0, 0x00020001};
  };
  const auto controller = open_well(device);
  device.silent = {AdminOpcode::get_features};
  EXPECT_FALSE(controller->admin(command(AdminOpcode::get_features), {}, Transfer::none).ok());
  std::size_t seen = 0;
  controller->on_event([&](std::uint32_t) { ++seen; });
  controller->poll_admin();
  EXPECT_EQ(seen, 256u);
}

TEST(Abort, returns_the_controllers_answer) {
  FakeDevice device;
  const auto controller = open_well(device);
  IoQueue queue;
  ASSERT_TRUE(controller->open_queue(queue, {}).ok());
  device.hold_io = true;
  Ended ended;
  ASSERT_EQ(queue.read_write(NvmOpcode::read, 1, 0, 1, 0x10000, 4096, Ended::callback, &ended), 0);
  queue.ring();
  device.step();
  const std::uint16_t cid = device.held.at(0).command.cid;
  auto aborted = controller->abort(queue, cid);
  ASSERT_TRUE(aborted.ok());
  EXPECT_TRUE(*aborted);
  EXPECT_EQ(sent(device, AdminOpcode::abort)[0].cdw10, static_cast<std::uint32_t>(cid) << 16 | 1u);
  queue.poll(8, [](void*, std::uint16_t) {});
  EXPECT_EQ(ended.calls, 1);
  EXPECT_EQ(ended.status, kStatusAborted);
  aborted = controller->abort(queue, cid);
  ASSERT_TRUE(aborted.ok());
  EXPECT_FALSE(*aborted);
  controller->close_queue(queue);
}

}  // namespace
}  // namespace fathom::nvme
