// What goes wrong in an I/O comes back as the result of that I/O, and harms no other; what cannot be opened is an Error
// that says why.
#include <sys/resource.h>
#include <sys/wait.h>

#include <csignal>

#include "bench.h"
#include "io/options/io_uring.h"

namespace fathom::engine::test {
namespace {

bool does_system_calls(const Info& i) { return moves_file_data(i) && i.name != "mmap"; }

class IoErrors : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Engines, IoErrors, ::testing::ValuesIn(cases(does_system_calls)), case_name);

TEST_P(IoErrors, WriteToAReadOnlyFileIsEbadf) {
  const TempFile file(4 * kBlock, O_RDONLY);
  Bench bench(GetParam(), {file.target()}, 1);
  ASSERT_TRUE(bench.open());
  EXPECT_EQ(bench.one(request(io::Dir::write, 0)), -EBADF);
  EXPECT_EQ(bench.one(request(io::Dir::read, 0)), static_cast<std::int32_t>(kBlock));
  EXPECT_TRUE(holds({bench.buffer(0), kBlock}, pattern(0, kBlock)));
}

TEST_P(IoErrors, MisalignedDirectReadIsEinval) {
  const TempFile file(4 * kBlock, O_RDWR | O_DIRECT);
  Bench bench(GetParam(), {file.target()}, 1);
  ASSERT_TRUE(bench.open());
  EXPECT_EQ(bench.one(request(io::Dir::read, 100)), -EINVAL);
  EXPECT_EQ(bench.one(request(io::Dir::read, kBlock)), static_cast<std::int32_t>(kBlock));
}

TEST_P(IoErrors, TrimOfAReadOnlyFileIsEbadf) {
  const TempFile file(4 * kBlock, O_RDONLY);
  Bench bench(GetParam(), {file.target()}, 1);
  ASSERT_TRUE(bench.open());
  EXPECT_EQ(bench.one(request(io::Dir::trim, 0)), -EBADF);
}

TEST_P(IoErrors, DiscardOfWhatIsNoBlockDeviceIsEnotty) {
  const TempFile file(4 * kBlock);
  io::Target target = file.target();
  target.kind = io::TargetKind::block;
  Bench bench(GetParam(), {target}, 1);
  ASSERT_TRUE(bench.open());
  EXPECT_EQ(bench.one(request(io::Dir::trim, 0)), -ENOTTY);
}

TEST_P(IoErrors, WriteToAFullDeviceIsEnospc) {
  if (GetParam().info().name == "libaio") GTEST_SKIP() << "/dev/full takes no asynchronous writes";
  if (GetParam().info().name == "splice") GTEST_SKIP() << "nothing can be spliced into /dev/full";
  base::system::UniqueFd full(::open("/dev/full", O_RDWR));
  ASSERT_TRUE(full);
  Bench bench(GetParam(), {{.path = "/dev/full", .kind = io::TargetKind::character, .fd = full.get()}}, 1);
  ASSERT_TRUE(bench.open());
  EXPECT_EQ(bench.one(request(io::Dir::write, 0)), -ENOSPC);
}

class QueuedIoErrors : public ::testing::TestWithParam<Case> {};
INSTANTIATE_TEST_SUITE_P(Engines, QueuedIoErrors,
                         ::testing::ValuesIn(cases([](const Info& i) { return i.needs_files && i.asynchronous; })),
                         case_name);

TEST_P(QueuedIoErrors, ABadRequestInABatchHarmsNoOther) {
  const TempFile file(32 * kBlock);
  const TempFile read_only(32 * kBlock, O_RDONLY);
  Bench bench(GetParam(), {file.target(), read_only.target()}, 16);
  ASSERT_TRUE(bench.open());
  for (std::uint32_t slot = 0; slot < 16; ++slot) {
    const bool bad = slot % 5 == 0;
    bench.post(slot, request(bad ? io::Dir::write : io::Dir::read, slot * kBlock, kBlock, bad ? 1 : 0));
  }
  bench.submit();
  const auto results = bench.finish();
  ASSERT_EQ(results.size(), 16u);
  for (const auto& [slot, result] : results) {
    EXPECT_EQ(result, slot % 5 == 0 ? -EBADF : static_cast<std::int32_t>(kBlock)) << slot;
    if (slot % 5 != 0) {
      EXPECT_TRUE(holds({bench.buffer(slot), kBlock}, pattern(slot * kBlock, kBlock)));
    }
  }
}

TEST(OpenErrors, MmapOfAWriteOnlyDescriptorIsEacces) {
  const TempFile file(4 * kBlock, O_WRONLY);
  Bench bench(kCases[4], {file.target()}, 1);
  ASSERT_STREQ(kCases[4].engine, "mmap");
  const auto opened = bench.open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().sys_errno, EACCES);
  EXPECT_EQ(opened.error().kind, base::ErrorKind::privilege);
}

TEST(OpenErrors, IoUringBeyondTheMaximumDepthIsEinval) {
  queue::UringEngine engine;
  engine::Setup setup;
  setup.depth = 65536;
  const auto opened = engine.open(setup);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().sys_errno, EINVAL);
  EXPECT_NE(opened.error().what.find("65536"), std::string::npos);
  EXPECT_FALSE(opened.error().help.empty());
}

TEST(OpenErrors, IoUringPollThreadOnAMissingCpuIsRefused) {
  queue::UringEngine engine;
  engine::Setup setup;
  setup.options.kernel_submits = true;
  setup.options.own.get<io::IoUringOptions>().sqthread_poll_cpu = 1 << 20;
  EXPECT_FALSE(engine.open(setup));
}

TEST(OpenErrors, RegisteringAFileThatIsNotOpenIsRefused) {
  Case plain{};
  for (const Case& c : kCases)
    if (std::string_view(c.variant) == "registerfiles") plain = c;
  Bench bench(plain, {{.path = "closed", .fd = 1'000'000}}, 1);
  const auto opened = bench.open();
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().sys_errno, EBADF);
}

TEST(OpenErrors, LibaioBeyondAioMaxNrIsRefused) {
  queue::LibaioEngine engine;
  engine::Setup setup;
  setup.depth = 1u << 29;
  const auto opened = engine.open(setup);
  ASSERT_FALSE(opened);
  EXPECT_TRUE(opened.error().sys_errno == EAGAIN || opened.error().sys_errno == EINVAL) << opened.error().what;
}

// In a child without privileges that may lock so much memory: 1 when open fails as it should, with a way out in its
// text.
int refused_by_memlock(rlim_t limit_bytes, const char* in_what) {
  if (::geteuid() == 0 && ::setresuid(65534, 65534, 65534) != 0) return 2;
  const rlimit limit{limit_bytes, limit_bytes};
  if (::setrlimit(RLIMIT_MEMLOCK, &limit) != 0) return 3;
  constexpr std::size_t kStride = 65536;
  std::vector<std::byte> memory(64 * kStride);
  queue::UringEngine engine;
  engine::Setup setup;
  setup.options.own.get<io::IoUringOptions>().fixedbufs = true;
  setup.depth = 64;
  setup.buffers = memory.data();
  setup.buffer_stride = kStride;
  const auto opened = engine.open(setup);
  if (opened) return 4;
  const base::Error& e = opened.error();
  if (e.what.find(in_what) == std::string::npos) return 5;
  return e.sys_errno == ENOMEM && e.kind == base::ErrorKind::privilege && e.help.find("ulimit -l") != std::string::npos
             ? 1
             : 6;
}

TEST(OpenErrors, FixedBuffersRefusedByMemlock) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(refused_by_memlock(1 << 20, "fixedbufs"));
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 1);
}

}  // namespace
}  // namespace fathom::engine::test
