// Names of devices: each form, what it is called again, and joined names cut apart although each holds colons.
#include "nvme/device_address.h"

#include <gtest/gtest.h>

namespace fathom::nvme {
namespace {

using Names = std::vector<std::string>;

struct Good {
  const char* text;
  TransportKind kind;
  const char* where;
  std::uint32_t nsid;
  const char* controller;
  const char* again;  // text()
};
constexpr Good kGood[] = {
    {"soft", TransportKind::soft, "", 1, "soft", "soft"},
    {"soft:", TransportKind::soft, "", 1, "soft", "soft"},
    {"soft:size=1g,bs=512", TransportKind::soft, "size=1g,bs=512", 1, "soft:size=1g,bs=512", "soft:size=1g,bs=512"},
    {"soft:latency=lognormal:80us:0.3", TransportKind::soft, "latency=lognormal:80us:0.3", 1,
     "soft:latency=lognormal:80us:0.3", "soft:latency=lognormal:80us:0.3"},
    {"soft/ns=2", TransportKind::soft, "", 2, "soft", "soft/ns=2"},
    {"soft:namespaces=2/ns=2", TransportKind::soft, "namespaces=2", 2, "soft:namespaces=2", "soft:namespaces=2/ns=2"},
    {"01:00.0", TransportKind::vfio, "0000:01:00.0", 1, "0000:01:00.0", "0000:01:00.0"},
    {"0000:C1:1f.7", TransportKind::vfio, "0000:c1:1f.7", 1, "0000:c1:1f.7", "0000:c1:1f.7"},
    {"0000:01:00.0/2", TransportKind::vfio, "0000:01:00.0", 2, "0000:01:00.0", "0000:01:00.0/2"},
    {"01:00.0/ns=3", TransportKind::vfio, "0000:01:00.0", 3, "0000:01:00.0", "0000:01:00.0/3"},
    {"10000:01:00.0", TransportKind::vfio, "10000:01:00.0", 1, "10000:01:00.0", "10000:01:00.0"},
    {"vfio-user:/run/a.sock", TransportKind::vfio_user, "/run/a.sock", 1, "vfio-user:/run/a.sock",
     "vfio-user:/run/a.sock"},
    {"vfio-user:a:b", TransportKind::vfio_user, "a:b", 1, "vfio-user:a:b", "vfio-user:a:b"},
    {"vfio-user:/run/d/ns=7", TransportKind::vfio_user, "/run/d", 7, "vfio-user:/run/d", "vfio-user:/run/d/ns=7"},
    {"vfio-user:/run/ns=1/s", TransportKind::vfio_user, "/run/ns=1/s", 1, "vfio-user:/run/ns=1/s",
     "vfio-user:/run/ns=1/s"},
};

TEST(DeviceAddress, EachFormIsReadAndWrittenAgain) {
  for (const auto& good : kGood) {
    const auto address = parse_address(good.text);
    ASSERT_TRUE(address) << good.text << ": " << address.error().cause;
    EXPECT_EQ(address->kind, good.kind) << good.text;
    EXPECT_EQ(address->where, good.where) << good.text;
    EXPECT_EQ(address->nsid, good.nsid) << good.text;
    EXPECT_EQ(address->controller(), good.controller) << good.text;
    EXPECT_EQ(address->text(), good.again) << good.text;
    const auto once_more = parse_address(address->text());
    ASSERT_TRUE(once_more) << good.text;
    EXPECT_EQ(once_more->text(), good.again);
  }
}

TEST(DeviceAddress, WrongNamesAreErrorsWithCauseAndRemedy) {
  for (const char* text : {"",
                           "nvme0",
                           "softly",
                           "soft2:size=1g",
                           "vfio-user",
                           "vfio-user:",
                           "vfio-user:/ns=1",
                           "vfio-users:/x",
                           "01:00",
                           "1:00.0",
                           "01:20.0",
                           "01:00.8",
                           "01:0.0",
                           "0000:01:00.0/",
                           "0000:01:00.0/0",
                           "0000:01:00.0/x",
                           "0000:01:00.0/4294967295",
                           "0000:01:00.0/99999999999",
                           "000:01:00.0",
                           "0000:01:00.0:",
                           "x:0000:01:00.0",
                           "soft/ns=",
                           "soft/ns=0",
                           "vfio-user:/s/ns=-1",
                           "/dev/nvme0n1",
                           "0000\\:01\\:00.0"}) {
    const auto address = parse_address(text);
    ASSERT_FALSE(address) << text;
    EXPECT_EQ(address.error().kind, base::ErrorKind::usage) << text;
    EXPECT_NE(address.error().what.find(text), std::string::npos) << text;
    EXPECT_FALSE(address.error().cause.empty()) << text;
    EXPECT_FALSE(address.error().help.empty()) << text;
  }
  EXPECT_NE(parse_address("/dev/nvme0n1").error().help.find("io_uring_cmd"), std::string::npos);
}

struct Joined {
  const char* text;
  Names names;
};

TEST(SplitAddresses, NamesEndWhereTheNextBegins) {
  const Joined rows[] = {
      {"soft", {"soft"}},
      {"soft:soft", {"soft", "soft"}},
      {"soft:soft:size=1g:0000:01:00.0/2", {"soft", "soft:size=1g", "0000:01:00.0/2"}},
      {"0000:01:00.0:0000:02:00.0", {"0000:01:00.0", "0000:02:00.0"}},
      {"01:00.0:02:00.0/3:soft", {"01:00.0", "02:00.0/3", "soft"}},
      {"10000:01:00.0:soft", {"10000:01:00.0", "soft"}},
      {"soft:latency=lognormal:80us:0.3,fault=status:after=100:vfio-user:/run/s",
       {"soft:latency=lognormal:80us:0.3,fault=status:after=100", "vfio-user:/run/s"}},
      {"vfio-user:soft:soft/ns=2", {"vfio-user:soft", "soft/ns=2"}},
      {"vfio-user:/a:b:vfio-user:/c", {"vfio-user:/a:b", "vfio-user:/c"}},
      {"vfio-user:/a\\:soft:soft", {"vfio-user:/a:soft", "soft"}},
      {"0000\\:01\\:00.0:soft", {"0000:01:00.0", "soft"}},
      {"soft:latency=table:50:99.9", {"soft:latency=table:50:99.9"}},  // 99 is no PCI device
  };
  for (const auto& row : rows) {
    const auto names = split_addresses(row.text);
    ASSERT_TRUE(names) << row.text;
    EXPECT_EQ(*names, row.names) << row.text;
    for (const auto& name : *names) EXPECT_TRUE(parse_address(name)) << name;
  }
}

TEST(SplitAddresses, TextBeforeTheFirstNameIsAnError) {
  for (const char* text : {"", ":soft", "nvme0:soft", "size=1g", "01:soft"})
    EXPECT_FALSE(split_addresses(text)) << text;
}

}  // namespace
}  // namespace fathom::nvme
