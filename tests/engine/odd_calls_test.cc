// Engines whose I/O is no read or write: what one of each direction does to the file, or to memory.
#include <sys/stat.h>

#include <chrono>
#include <ctime>
#include <fstream>
#include <functional>
#include <sstream>

#include "base/attempts.h"
#include "bench.h"
#include "io/options/cpuio.h"
#include "io/options/exec.h"
#include "io/options/stat_type.h"

namespace fathom::engine::test {
namespace {

const Case& case_of(std::string_view engine) {
  for (const Case& c : kCases)
    if (engine == c.engine) return c;
  ADD_FAILURE() << engine;
  return kCases[0];
}

struct stat status_of(const TempFile& file) {
  struct stat st = {};
  EXPECT_EQ(::fstat(file.fd(), &st), 0);
  return st;
}

constexpr auto kWhole = static_cast<std::int32_t>(kBlock);

TEST(Falloc, AReadReservesBeyondTheEndAndKeepsTheSize) {
  const TempFile file(kBlock);
  Bench bench(case_of("falloc"), {file.target()}, 1);
  ASSERT_TRUE(bench.open());
  const auto before = status_of(file);
  EXPECT_EQ(bench.one(request(io::Dir::read, 64 * kBlock)), kWhole);
  EXPECT_EQ(status_of(file).st_size, before.st_size);
  EXPECT_GT(status_of(file).st_blocks, before.st_blocks);
}

TEST(Falloc, AWriteMakesTheFileLonger) {
  const TempFile file(kBlock);
  Bench bench(case_of("falloc"), {file.target()}, 1);
  ASSERT_TRUE(bench.open());
  EXPECT_EQ(bench.one(request(io::Dir::write, 64 * kBlock)), kWhole);
  EXPECT_EQ(status_of(file).st_size, 65 * kBlock);
  EXPECT_TRUE(holds(file.read(0, kBlock), pattern(0, kBlock))) << "it moves no data";
}

TEST(Falloc, ATrimPunchesAHole) {
  const TempFile file(8 * kBlock);
  Bench bench(case_of("falloc"), {file.target()}, 1);
  ASSERT_TRUE(bench.open());
  EXPECT_EQ(bench.one(request(io::Dir::trim, 2 * kBlock)), kWhole);
  EXPECT_TRUE(holds(file.read(2 * kBlock, kBlock), std::vector<std::byte>(kBlock)));
  EXPECT_EQ(status_of(file).st_size, 8 * kBlock);
  EXPECT_EQ(bench.one(sync_request()), 0);
}

TEST(Ftruncate, AWriteEndsTheFileAtItsOffset) {
  const TempFile file(8 * kBlock);
  Bench bench(case_of("ftruncate"), {file.target()}, 1);
  ASSERT_TRUE(bench.open());
  for (const std::uint64_t block : {3u, 7u, 0u}) {
    EXPECT_EQ(bench.one(request(io::Dir::write, block * kBlock)), kWhole);
    EXPECT_EQ(status_of(file).st_size, static_cast<off_t>(block * kBlock));
  }
  EXPECT_EQ(bench.one(sync_request()), 0);
}

TEST(Ftruncate, ReadsAndTrimsAreEinval) {
  const TempFile file(8 * kBlock);
  Bench bench(case_of("ftruncate"), {file.target()}, 1);
  ASSERT_TRUE(bench.open());
  EXPECT_EQ(bench.one(request(io::Dir::read, 0)), -EINVAL);
  EXPECT_EQ(bench.one(request(io::Dir::trim, 0)), -EINVAL);
  EXPECT_EQ(status_of(file).st_size, 8 * kBlock);
}

TEST(PageFault, CopiesFromAndToItsOwnMemory) {
  io::Target target;
  target.length = 16 * kBlock;
  Bench bench(case_of("page_fault"), {target}, 1);
  ASSERT_TRUE(bench.open());
  const auto content = pattern(0, kBlock, 3);
  std::memcpy(bench.buffer(0), content.data(), kBlock);
  EXPECT_EQ(bench.one(request(io::Dir::write, 5 * kBlock)), kWhole);
  EXPECT_EQ(bench.one(request(io::Dir::read, 4 * kBlock)), kWhole);
  EXPECT_TRUE(holds({bench.buffer(0), kBlock}, std::vector<std::byte>(kBlock))) << "never touched: zeroes";
  EXPECT_EQ(bench.one(request(io::Dir::read, 5 * kBlock)), kWhole);
  EXPECT_TRUE(holds({bench.buffer(0), kBlock}, content));
  EXPECT_EQ(bench.one(request(io::Dir::read, 16 * kBlock)), -EINVAL) << "beyond the memory";
  EXPECT_EQ(bench.one(sync_request()), 0);
}

TEST(PageFault, RefusesSeveralFilesAndAnOffset) {
  io::Target target;
  target.length = 16 * kBlock;
  EXPECT_FALSE(Bench(case_of("page_fault"), {target, target}, 1).open());
  target.start = kBlock;
  EXPECT_FALSE(Bench(case_of("page_fault"), {target}, 1).open());
}

// system_calls_test.py counts the calls: the batches' neighbours go together.
TEST(VsyncEngine, MergesNeighboursIntoOneCall) {
  const TempFile first(32 * kBlock), second(32 * kBlock, O_RDWR, 1);
  Bench bench(case_of("vsync"), {first.target(), second.target()}, 8);
  ASSERT_TRUE(bench.open());
  const auto post = [&](std::uint32_t slot, io::Dir dir, std::uint64_t block, std::uint16_t file) {
    bench.post(slot, request(dir, block * kBlock, kBlock, file));
  };
  for (std::uint32_t i = 0; i < 4; ++i) post(i, io::Dir::read, i, 0);  // a run of four
  post(4, io::Dir::read, 5, 0);                                        // a gap
  post(5, io::Dir::read, 6, 1);                                        // another file
  post(6, io::Dir::write, 7, 1);                                       // another direction
  post(7, io::Dir::write, 8, 1);
  bench.submit();
  for (const auto& [slot, result] : bench.finish()) EXPECT_EQ(result, kWhole) << slot;
  for (std::uint32_t i = 0; i < 4; ++i) EXPECT_TRUE(holds({bench.buffer(i), kBlock}, pattern(i * kBlock, kBlock)));
  EXPECT_TRUE(holds({bench.buffer(4), kBlock}, pattern(5 * kBlock, kBlock)));
  EXPECT_TRUE(holds({bench.buffer(5), kBlock}, pattern(6 * kBlock, kBlock, 1)));
}

TEST(VsyncEngine, AtTheEndOfTheFileTheLastRequestsOfACallAreShort) {
  const TempFile file(2 * kBlock + 100);
  Bench bench(case_of("vsync"), {file.target()}, 4);
  ASSERT_TRUE(bench.open());
  for (std::uint32_t i = 0; i < 4; ++i) bench.post(i, request(io::Dir::read, i * kBlock));
  bench.submit();
  const auto results = bench.finish();
  EXPECT_EQ(results.at(0), kWhole);
  EXPECT_EQ(results.at(1), kWhole);
  EXPECT_EQ(results.at(2), 100);
  EXPECT_EQ(results.at(3), 0);
}

// A folder of its own, and targets that are names in it.
class Names {
 public:
  Names() {
    std::string path = "/var/tmp/fathom-names-XXXXXX";
    folder_ = ::mkdtemp(path.data());
  }
  ~Names() { std::filesystem::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  io::Target target(const std::string& name) const {
    io::Target t;
    t.path = path(name);
    t.kind = io::TargetKind::none;
    t.length = kBlock;
    return t;
  }
  mode_t mode(const std::string& name) const {
    struct stat st = {};
    return ::stat(path(name).c_str(), &st) == 0 ? st.st_mode : 0;
  }

 private:
  std::string folder_;
};

TEST(FileNameEngines, EachEngineDoesItsCallOnce) {
  const Names names;
  const auto act = [&](const char* engine, const char* name) {
    Bench bench(case_of(engine), {names.target(name)}, 1);
    EXPECT_TRUE(bench.open());
    return bench.one(request(io::Dir::read, 0));
  };
  EXPECT_EQ(act("filecreate", "a"), kWhole);
  EXPECT_EQ(names.mode("a"), S_IFREG | 0600u);
  EXPECT_EQ(act("filestat", "b"), kWhole);
  EXPECT_EQ(names.mode("b"), S_IFREG | 0644u);
  EXPECT_EQ(std::filesystem::file_size(names.path("b")), kBlock);
  EXPECT_EQ(act("filedelete", "b"), kWhole);
  EXPECT_EQ(names.mode("b"), 0u);
  EXPECT_EQ(act("dircreate", "c"), kWhole);
  EXPECT_EQ(names.mode("c"), S_IFDIR | 0700u);
  EXPECT_EQ(act("dircreate", "c"), -EEXIST);
  EXPECT_EQ(act("dirstat", "d"), kWhole);
  EXPECT_EQ(names.mode("d"), S_IFDIR | 0700u);
  EXPECT_EQ(act("dirdelete", "d"), kWhole);
  EXPECT_EQ(names.mode("d"), 0u);
}

// system_calls_test.py sees the calls.
TEST(FileNameEngines, StatTypeSelectsTheCall) {
  const Names names;
  for (const char* engine : {"filestat", "dirstat"})
    for (const auto type : {io::StatType::stat, io::StatType::lstat, io::StatType::statx}) {
      Bench bench(case_of(engine), {names.target(engine)}, 1);
      bench.setup().options.own.get<io::StatTypeOptions>().type = type;
      ASSERT_TRUE(bench.open());
      EXPECT_EQ(bench.one(request(io::Dir::write, 0)), kWhole);
    }
}

double seconds_of(const std::function<void()>& work) {
  const auto from = std::chrono::steady_clock::now();
  work();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - from).count();
}

// effect: cpuload cpuchunks
TEST(Cpuio, AChunkTakesCpuchunksAndMovesNoByte) {
  SyscallEngine engine(cpuio_calls);
  engine::Setup setup;
  auto& options = setup.options.own.get<io::CpuioOptions>();
  options.load_percent = 50;  // cpuload
  options.chunk_us = 20'000;  // cpuchunks
  ASSERT_TRUE(engine.open(setup));
  std::int32_t result = 0;
  EXPECT_GE(seconds_of([&] { result = engine.do_one(request(io::Dir::read, 0), nullptr); }), 0.02);
  EXPECT_EQ(result, kNothingMoved);
  EXPECT_EQ(io::cpu_pause_ns(50'000'000, 50), 50'000'000u);
  EXPECT_EQ(io::cpu_pause_ns(50'000'000, 100), 0u);
  EXPECT_EQ(io::cpu_pause_ns(50'000'000, 1), 99ull * 50'000'000);
}

// effect: cpumode=qsort
TEST_IN_ATTEMPTS(Cpuio, QsortPausesAsLongAsItSorted) {
  SyscallEngine engine(cpuio_calls);
  engine::Setup setup;
  auto& options = setup.options.own.get<io::CpuioOptions>();
  options.load_percent = 50;
  options.mode = io::CpuMode::qsort;  // cpumode
  ASSERT_TRUE(engine.open(setup));
  const auto cpu_s = [] { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; };
  const double before = cpu_s();
  const double wall = seconds_of([&] { EXPECT_EQ(engine.do_one(request(io::Dir::read, 0), nullptr), kNothingMoved); });
  const double used = cpu_s() - before;
  EXPECT_GT(used, 0.005) << "a million integers";
  EXPECT_GT(wall, 1.5 * used);
}

// effect: program arguments std_redirect
TEST(Exec, RunsAProgramAndIsDoneWhenItEnds) {
  const Names names;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(names.path(""));
  SyscallEngine engine(exec_calls);
  engine::Setup setup;
  setup.job.name = "watch";
  setup.job.runtime_ns = 7'000'000'000;
  auto& options = setup.options.own.get<io::ExecOptions>();
  options.program = "/bin/echo";
  options.arguments = "%r  of %n 100%";
  ASSERT_TRUE(engine.open(setup));
  EXPECT_FALSE(std::filesystem::exists("watch.stdout")) << "nothing runs before the start";
  ASSERT_TRUE(engine.begin());
  std::int32_t result = kNothingMoved;
  while (result == kNothingMoved) result = engine.do_one(request(io::Dir::read, 0), nullptr);
  EXPECT_EQ(result, kWorkIsDone);
  engine.close();
  std::stringstream said;
  said << std::ifstream("watch.stdout").rdbuf();
  EXPECT_EQ(said.str(), "7 of watch 100%\n");
  EXPECT_TRUE(std::filesystem::exists("watch.stderr"));
  setup.job.name = "quiet";
  options.redirects = false;  // std_redirect
  options.program = "/bin/true";
  ASSERT_TRUE(engine.open(setup));
  ASSERT_TRUE(engine.begin());
  engine.close();
  EXPECT_FALSE(std::filesystem::exists("quiet.stdout"));
  std::filesystem::current_path(before);
}

// effect: grace_time
TEST(Exec, TimedAProgramThatIgnoresSigtermIsKilledAfterItsGrace) {
  const Names names;
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(names.path(""));
  SyscallEngine engine(exec_calls);
  engine::Setup setup;
  setup.job.name = "quiet";
  auto& options = setup.options.own.get<io::ExecOptions>();
  options.redirects = false;
  options.program = "/bin/sh";
  std::ofstream("deaf") << "trap '' TERM; touch ready; while :; do sleep 0.05; done";
  options.arguments = "deaf";
  options.grace_s = 1;  // grace_time
  ASSERT_TRUE(engine.open(setup));
  ASSERT_TRUE(engine.begin());
  while (!std::filesystem::exists("ready")) engine.do_one(request(io::Dir::read, 0), nullptr);
  EXPECT_GE(seconds_of([&] { engine.close(); }), 0.9) << "SIGTERM did not end it";
  std::filesystem::current_path(before);
}

TEST(Exec, AMissingProgramIsAnError) {
  SyscallEngine engine(exec_calls);
  engine::Setup setup;
  auto& options = setup.options.own.get<io::ExecOptions>();
  options.program = "/nosuch/program";
  options.redirects = false;
  ASSERT_TRUE(engine.open(setup));
  const auto begun = engine.begin();
  ASSERT_FALSE(begun);
  EXPECT_EQ(begun.error().sys_errno, ENOENT);
}

TEST(PosixAio, ATrimWaitsUntilAllBeforeItAreBack) {
  const TempFile file(8 * kBlock);
  Bench bench(case_of("posixaio"), {file.target()}, 4);
  ASSERT_TRUE(bench.open());
  bench.post(0, request(io::Dir::read, 0));
  bench.post(1, request(io::Dir::trim, 0));
  EXPECT_EQ(bench.box().ring(), 1);
  EXPECT_EQ(bench.box().ring(), -EAGAIN);
  io::Completion out[4];
  ASSERT_EQ(bench.box().reap(1, out), 1);
  EXPECT_TRUE(holds({bench.buffer(0), kBlock}, pattern(0, kBlock)));
  EXPECT_EQ(bench.box().ring(), 1);
  ASSERT_EQ(bench.box().reap(1, out), 1);
  EXPECT_EQ(out[0].result, kWhole);
  EXPECT_TRUE(holds(file.read(0, kBlock), std::vector<std::byte>(kBlock)));
}

}  // namespace
}  // namespace fathom::engine::test
