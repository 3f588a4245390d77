// A block device: trim is a discard there. Needs root and a free loop device; skipped without them.
#include <fcntl.h>
#include <linux/loop.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include "bench.h"

namespace fathom::engine::test {
namespace {

constexpr std::size_t kSize = 4 << 20;

// A loop device over a temporary file; released when the last descriptor goes.
class LoopDevice {
 public:
  // Empty when it worked, else why not.
  std::string attach(int backing_fd) {
    if (::geteuid() != 0) return "needs root";
    const base::system::UniqueFd control(::open("/dev/loop-control", O_RDWR));
    if (!control) return "no /dev/loop-control";
    const int number = ::ioctl(control.get(), LOOP_CTL_GET_FREE);
    if (number < 0) return "no free loop device";
    const std::string path = "/dev/loop" + std::to_string(number);
    fd_.reset(::open(path.c_str(), O_RDWR));
    if (!fd_) return "cannot open " + path;
    loop_config config{};
    config.fd = static_cast<__u32>(backing_fd);
    config.info.lo_flags = LO_FLAGS_AUTOCLEAR;
    if (::ioctl(fd_.get(), LOOP_CONFIGURE, &config) != 0) return "cannot set up " + path;
    return {};
  }
  io::Target target() const {
    return {.path = "loop", .kind = io::TargetKind::block, .fd = fd_.get(), .size = kSize, .start = 0, .length = kSize};
  }

 private:
  base::system::UniqueFd fd_;
};

class BlockDeviceEngine : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Engines, BlockDeviceEngine, ::testing::ValuesIn(cases(moves_file_data)), case_name);

TEST_P(BlockDeviceEngine, ReadsWritesSyncsAndDiscards) {
  const TempFile file(kSize);
  LoopDevice loop;
  if (const std::string why = loop.attach(file.fd()); !why.empty()) GTEST_SKIP() << why;
  Bench bench(GetParam(), {loop.target()}, 1);
  ASSERT_TRUE(bench.open());
  EXPECT_EQ(bench.one(request(io::Dir::read, 5 * kBlock)), static_cast<std::int32_t>(kBlock));
  EXPECT_TRUE(holds({bench.buffer(0), kBlock}, pattern(5 * kBlock, kBlock)));
  const auto content = pattern(kBlock, kBlock, 9);
  std::memcpy(bench.buffer(0), content.data(), kBlock);
  EXPECT_EQ(bench.one(request(io::Dir::write, kBlock)), static_cast<std::int32_t>(kBlock));
  EXPECT_EQ(bench.one(sync_request()), 0);
  EXPECT_TRUE(holds(file.read(kBlock, kBlock), content));
  EXPECT_EQ(bench.one(request(io::Dir::trim, 16 * kBlock, 16 * kBlock)), static_cast<std::int32_t>(16 * kBlock));
  EXPECT_EQ(bench.one(request(io::Dir::read, 20 * kBlock)), static_cast<std::int32_t>(kBlock));
  EXPECT_TRUE(holds({bench.buffer(0), kBlock}, std::vector<std::byte>(kBlock)));
}

}  // namespace
}  // namespace fathom::engine::test
