// Verdicts of bind over made-up uses of a namespace.
#include "session/controllers/namespace_use.h"

#include <gtest/gtest.h>

namespace fathom::session::controllers {
namespace {

TEST(NamespaceUse, WhatTheKernelUsesIsNotTakenAway) {
  host::guards::DeviceUse use;
  use.device = "/dev/nvme0n1";
  EXPECT_TRUE(may_be_taken("a", use).ok());
  use.partition_table = "gpt";
  use.content = "ext4";
  EXPECT_TRUE(may_be_taken("a", use).ok()) << "what lies there unused stays unharmed";
  const auto refused = [](auto change) {
    host::guards::DeviceUse used;
    used.device = "/dev/nvme0n1";
    change(used);
    const auto verdict = may_be_taken("0000:04:00.0", used);
    return !verdict.ok() && verdict.error().kind == base::ErrorKind::refused;
  };
  EXPECT_TRUE(refused([](host::guards::DeviceUse& u) { u.mounts = {"/ (nvme0n1p2)"}; }));
  EXPECT_TRUE(refused([](host::guards::DeviceUse& u) { u.swap = true; }));
  EXPECT_TRUE(refused([](host::guards::DeviceUse& u) { u.holders = {"md0"}; }));
  EXPECT_TRUE(refused([](host::guards::DeviceUse& u) { u.busy = true; }));
}

}  // namespace
}  // namespace fathom::session::controllers
