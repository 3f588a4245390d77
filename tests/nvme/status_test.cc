// The tables: status codes, opcodes, quirks and what is not built.
#include "nvme/status.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "nvme/not_built.h"
#include "nvme/open_fake.h"
#include "nvme/quirks.h"

namespace fathom::nvme {
namespace {

TEST(StatusText, matches_the_specification) {
  EXPECT_EQ(status_text(0x0002), "Invalid Field in Command (SCT 0h, SC 02h)");
  EXPECT_EQ(status_text(0x4080), "LBA Out of Range (SCT 0h, SC 80h, DNR)");
  EXPECT_EQ(status_text(0x0281), "Unrecovered Read Error (SCT 2h, SC 81h)");
  EXPECT_EQ(status_text(0x0109), "Invalid Log Page (SCT 1h, SC 09h)");
  EXPECT_EQ(status_name(0x7c5), "Vendor Specific");
  EXPECT_EQ(status_name(0x1ff), "Vendor Specific");
  EXPECT_EQ(status_name(0x17f), "unknown command specific status");
  EXPECT_EQ(status_name(0x455), "reserved status code type");
}

TEST(StatusText, every_value_has_a_name) {
  for (std::uint32_t s = 0; s < 0x8000; ++s) ASSERT_FALSE(status_name(static_cast<std::uint16_t>(s)).empty());
}

TEST(StatusText, error_names_device_action_and_status) {
  const auto e = status_error("soft", "flush", 0x4006);
  EXPECT_EQ(e.what, "soft: flush: Internal Error (SCT 0h, SC 06h, DNR)");
  EXPECT_EQ(e.kind, base::ErrorKind::io);
}

TEST(StatusText, opcodes_have_names) {
  EXPECT_EQ(admin_opcode_name(0x06), "Identify");
  EXPECT_EQ(admin_opcode_name(0xc1), "admin opcode C1h");
}

TEST(NotBuilt, every_row_names_feature_cause_and_alternative) {
  for (const char* name : {"sgl", "metadata", "pi", "cmb", "shadow-doorbells", "zns", "kv", "command-sets", "fabrics",
                           "admin-controller", "wide-sqes", "mps", "block-layer"}) {
    const NotBuilt* what = find_not_built(name);
    ASSERT_NE(what, nullptr) << name;
    const auto e = not_built(*what, "it");
    EXPECT_EQ(e.kind, base::ErrorKind::not_built);
    EXPECT_EQ(e.what.substr(0, 4), "it: ");
    EXPECT_NE(e.what.find("not built"), std::string::npos);
    EXPECT_FALSE(e.cause.empty() || e.help.empty()) << name;
  }
  EXPECT_EQ(find_not_built("read"), nullptr);
}

TEST(Quirks, the_table_is_sorted_and_unique) {
  const auto table = quirk_table();
  std::set<std::uint32_t> ids;
  for (const auto& row : table) {
    EXPECT_TRUE(ids.insert(static_cast<std::uint32_t>(row.vendor) << 16 | row.device).second) << row.name;
    EXPECT_NE(row.quirks, 0u) << row.name;
    EXPECT_EQ(quirks_of(row.vendor, row.device), row.quirks);
  }
  EXPECT_TRUE(std::is_sorted(table.begin(), table.end(), [](const auto& a, const auto& b) {
    return std::pair(a.vendor, a.device) < std::pair(b.vendor, b.device);
  }));
  EXPECT_EQ(quirks_of(0x1b36, 0x0010), 0u) << "QEMU's controller needs none";
}

TEST(Quirks, delay_before_ready_is_waited) {
  FakeDevice device;
  device.cc = kCcEnable;
  device.csts = kCstsReady;
  std::uint64_t from = fake_now_ns();
  ASSERT_TRUE(try_open(device, fake_options(), 0x1c58, 0x0003).ok());
  EXPECT_GE((fake_now_ns() - from) / 1'000'000, kReadyDelayMs);
  FakeDevice idle;
  from = fake_now_ns();
  auto opened = try_open(idle, fake_options(), 0x1c58, 0x0003);
  ASSERT_TRUE(opened.ok());
  EXPECT_LT((fake_now_ns() - from) / 1'000'000, 100u) << "it was not enabled: nothing to wait for";
}

TEST(Quirks, queue_sizes_are_adjusted) {
  FakeDevice device, apple;
  device.cap &= ~0xffffull;
  auto opened = try_open(device, fake_options(), 0x144d, 0xa821);
  ASSERT_TRUE(opened.ok());
  IoQueue queue;
  ASSERT_TRUE((*opened)->open_queue(queue, {}).ok());
  EXPECT_EQ(queue.entries(), kEntriesUnsaid);
  (*opened)->close_queue(queue);
  opened = try_open(apple, fake_options(), 0x106b, 0x2001);
  ASSERT_TRUE(opened.ok());
  ASSERT_TRUE((*opened)->open_queue(queue, {}).ok());
  EXPECT_EQ(queue.entries(), 2u);
  (*opened)->close_queue(queue);
}

TEST(Quirks, wide_submission_entries_are_refused) {
  FakeDevice device;
  const auto opened = try_open(device, fake_options(), 0x106b, 0x2005);
  ASSERT_FALSE(opened.ok());
  EXPECT_EQ(opened.error().kind, base::ErrorKind::not_built);
}

TEST(Quirks, lists_write_zeroes_and_priority_are_adjusted) {
  FakeDevice device, other;
  auto opened = try_open(device, fake_options(), 0x8086, 0x5845);
  ASSERT_TRUE(opened.ok());
  EXPECT_EQ((*opened)->namespaces(), std::vector<std::uint32_t>{1});
  for (const auto& c : device.admin_log) EXPECT_TRUE(c.opcode != 6 || c.cdw10 <= 1u);
  EXPECT_FALSE((*opened)->open_namespace(1)->writes_zeroes);
  opened = try_open(other, fake_options(), 0x8086, 0xf1a5);
  ASSERT_TRUE(opened.ok());
  IoQueue queue;
  ASSERT_TRUE((*opened)->open_queue(queue, {}).ok());
  EXPECT_EQ(other.admin_log.back().cdw11, 1u << 16 | 2u << 1 | 1u);
  (*opened)->close_queue(queue);
}

}  // namespace
}  // namespace fathom::nvme
