// A test's zram device goes at its end, also while somebody else looks into it.
#include "pmu/zram_device.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <thread>

#include "base/system/fd.h"

namespace fathom::testing {
namespace {

TEST(ZramDevice, IsRemovedAlsoWhileAnotherProcessHasItOpenBriefly) {
  std::string name;
  std::thread other;
  {
    const ZramDevice zram("1M");
    if (zram.path().empty()) GTEST_SKIP() << "no zram here";
    name = zram.name();
    base::system::UniqueFd fd(::open(zram.path().c_str(), O_RDONLY | O_CLOEXEC));
    ASSERT_TRUE(fd);
    other = std::thread([held = std::move(fd)] { std::this_thread::sleep_for(std::chrono::milliseconds(100)); });
  }
  other.join();
  EXPECT_FALSE(std::filesystem::exists("/sys/block/" + name));
}

}  // namespace
}  // namespace fathom::testing
