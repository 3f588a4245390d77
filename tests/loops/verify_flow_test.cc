// verify=crc32c on real files: what was written is found again, what was spoilt in between is found at its place.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "base/attempts.h"
#include "base/system/fd.h"
#include "loops/flow.h"

namespace fathom::loops {
namespace {

class VerifyFlow : public ::testing::TestWithParam<Way> {
 protected:
  void SetUp() override {
    char name[] = "/var/tmp/fathom-verify-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    directory_ = name;
    quick_ = quick_folder();
  }
  void TearDown() override {
    std::filesystem::remove_all(directory_);
    std::filesystem::remove_all(quick_);
  }
  std::string file() const { return directory_ + "/f"; }
  static std::string common() {
    const Way way = GetParam();
    return std::string("verify=crc32c\nsize=1m\nioengine=") + way.engine +
           (way.depth > 1 ? "\niodepth=" + std::to_string(way.depth) + "\niodepth_batch=4\n" : "\n");
  }
  result::Job run(const std::string& text) const {
    const auto result = run_text("[v]\nfilename=" + file() + "\n" + common() + text);
    return result.jobs.empty() ? result::Job{} : result.jobs[0];
  }
  // One job a text, all at once, each on a file of its own.
  std::vector<result::Job> run_all(const std::vector<std::string>& texts, const std::string& more = "") const {
    return run_sections(common() + "verify_state_save=0\n" + more, quick_ + "/f", texts);
  }
  void spoil(std::uint64_t offset) const { spoil(offset, file()); }
  static void spoil(std::uint64_t offset, const std::string& path) {
    const base::system::UniqueFd fd(::open(path.c_str(), O_RDWR | O_CLOEXEC));
    char byte = 0;
    ASSERT_EQ(::pread(fd.get(), &byte, 1, static_cast<off_t>(offset)), 1);
    byte = static_cast<char>(~byte);
    ASSERT_EQ(::pwrite(fd.get(), &byte, 1, static_cast<off_t>(offset)), 1);
  }
  std::string contents() const {
    std::ifstream in(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void contents(const std::string& bytes) const { std::ofstream(file(), std::ios::binary) << bytes; }
  std::string directory_, quick_;
};

INSTANTIATE_TEST_SUITE_P(Engines, VerifyFlow,
                         ::testing::Values(Way{"psync", 1}, Way{"mmap", 1}, Way{"io_uring", 1}, Way{"io_uring", 16},
                                           Way{"libaio", 8}),
                         [](const auto& i) { return i.param.engine + std::to_string(i.param.depth); });

TEST_P(VerifyFlow, EveryWriteIsReadBackAndVerified) {
  const std::vector<std::string> texts = {"rw=write",
                                          "rw=randwrite",
                                          "rw=randwrite\nnorandommap",
                                          "rw=randwrite\nbsrange=1k-16k",
                                          "rw=randwrite\nbsrange=1k-16k\nnorandommap",
                                          "rw=randwrite\nbssplit=4k/50:12k/50",
                                          "rw=write\nbs=64k\nverify_interval=512",
                                          "rw=write\nloops=3",
                                          "rw=randwrite\nloops=2",
                                          "rw=randwrite\nrandrepeat=0",
                                          "rw=randwrite\nnumber_ios=77",
                                          "rw=randwrite\nfsync=100",
                                          "rw=write:4k",
                                          "rw=randwrite:4",
                                          "rw=write\noffset=12k",
                                          "rw=write\nio_size=3m"};
  const auto jobs = run_all(texts);
  ASSERT_EQ(jobs.size(), texts.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& job = jobs[i];
    const std::string& text = texts[i];
    EXPECT_EQ(job.error, 0) << text << (job.errors.empty() ? "" : job.errors[0].message);
    const auto& all = job.verified;
    EXPECT_GT(job.dirs[1].ios, 0u) << text;
    EXPECT_EQ(all.exact + all.some_version + all.withheld + all.overwritten, job.dirs[1].bytes) << text;
    const bool again = all.overwritten + all.withheld > 0;
    EXPECT_LE(job.dirs[0].ios, job.dirs[1].ios) << text;
    if (!again) {
      EXPECT_EQ(all.exact, job.dirs[0].bytes) << text;
    }
    if (!again) {
      EXPECT_EQ(job.dirs[0].ios, job.dirs[1].ios) << text;
    }
    if (GetParam().depth == 1) {
      EXPECT_EQ(all.withheld, 0u) << text;
    }
    if (text.find("loops") != std::string::npos) {
      EXPECT_GE(all.overwritten, job.dirs[1].bytes / 2) << text;
    }
    EXPECT_GT(job.dirs[0].runtime_ns, 0u) << text;
  }
}

TEST_P(VerifyFlow, AMixedJobReadsBackItsWritesOnly) {
  const std::vector<std::string> texts = {"rw=rw", "rw=randrw\nrwmixread=70", "rw=randrw\nbsrange=2k-8k\nfsync=30"};
  const auto jobs = run_all(texts);
  ASSERT_EQ(jobs.size(), texts.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const auto& job = jobs[i];
    const std::string& text = texts[i];
    EXPECT_EQ(job.error, 0) << text << (job.errors.empty() ? "" : job.errors[0].message);
    EXPECT_GT(job.dirs[0].ios, job.dirs[1].ios) << text;
    EXPECT_EQ(job.dirs[0].bytes, 1u << 20) << text;  // every block is read once, in one phase or the other
  }
}

TEST_P(VerifyFlow, TimedATimeBasedJobAndARampAreReadBackWhole) {
  steady::attempts([&] {
    const auto job = run("rw=randwrite\ntime_based\nruntime=200ms\nramp_time=100ms");
    EXPECT_EQ(job.error, 0);
    EXPECT_GT(job.verified.overwritten, job.dirs[1].bytes / 2) << "the file is small: most was written over";
    EXPECT_LE(job.dirs[0].bytes, 1u << 20) << "each place is read once, whenever it was written";
    EXPECT_LT(job.dirs[1].runtime_ns, 400'000'000u) << "reading back is no part of the time that was measured";
  });
}

// effect: verify_interval
TEST_P(VerifyFlow, CorruptedBlocksAreReportedAtTheirOffsets) {
  ASSERT_EQ(run("rw=randwrite\nverify_interval=1k\ndo_verify=0").dirs[0].ios, 0u);
  spoil(40960 + 1024 * 2 + 700);
  spoil(86016 + 5);
  for (const char* text : {"rw=read\nverify_interval=1k", "rw=randread\nverify_interval=1k",
                           "rw=randwrite\nverify_interval=1k\nverify_only"}) {
    const auto job = run(text);
    EXPECT_EQ(job.error, EILSEQ) << text;
    EXPECT_EQ(job.error_count, 2u) << text;
    EXPECT_EQ(job.dirs[0].ios, 254u) << text;
    EXPECT_EQ(job.dirs[0].error_ios, 2u) << text;
    EXPECT_EQ(job.dirs[0].issued, 256u) << text;
    // verify_only counts the writes that it does not make, as fio does.
    EXPECT_EQ(job.dirs[1].issued, std::string_view(text).find("verify_only") != std::string_view::npos ? 256u : 0u)
        << text;
    ASSERT_EQ(job.errors.size(), 2u) << text;
    const auto& crc = job.errors[job.errors[0].offset_bytes == 40960 ? 0 : 1];
    EXPECT_EQ(crc.file, file());
    EXPECT_EQ(crc.offset_bytes, 40960u);
    EXPECT_NE(crc.message.find("crc32c: verify failed at file " + file() + " offset 43008, length 1024"),
              std::string::npos)
        << crc.message;
    const auto& magic = job.errors[job.errors[0].offset_bytes == 40960 ? 1 : 0];
    EXPECT_NE(magic.message.find("verify: bad header length 64256, wanted 1024"), std::string::npos) << magic.message;
  }
}

// effect: verify_fatal
TEST_P(VerifyFlow, VerifyFatalEndsAtTheFirstError) {
  run("rw=write\ndo_verify=0");
  spoil(4096 * 20 + 99);
  for (int block = 100; block < 256; ++block) spoil(static_cast<std::uint64_t>(block) * 4096 + 99);
  const auto job = run("rw=read\nverify_fatal=1");
  EXPECT_EQ(job.error, EILSEQ);
  EXPECT_EQ(job.error_count, 1u);
  EXPECT_LT(job.dirs[0].ios, 80u);
}

// Each method sees a bit that is flipped, but for those that look at no data. All of them with one engine.
// effect: verify_format verify_offset verify_pattern verify_pattern_interval
TEST_P(VerifyFlow, EachMethodSeesAFlippedBit) {
  const std::string pattern = "\nverify_pattern=0xdead%o\"ab\"\nverify_pattern_interval=1k";
  std::vector<std::string> writes, reads;
  std::vector<bool> blind;
  for (const char* format : {"fio-3.42", "fio-3.33"})
    for (const std::string method :
         {"md5", "crc64", "crc32", "crc32c-intel", "crc16", "crc7", "xxhash", "sha1", "sha256", "sha512", "sha3-224",
          "sha3-256", "sha3-384", "sha3-512", "meta", "pattern", "pattern_hdr", "null"}) {
      const bool everywhere = method == "crc32c-intel" || method == "sha1" || method == "pattern" || method == "meta";
      if (GetParam().engine != std::string("psync") && !everywhere) continue;
      if (method == "sha512" && format == std::string("fio-3.33")) continue;
      const std::string text =
          "\nsize=128k\nbs=8k\nverify_interval=4k\nverify_offset=256\nverify_format=" + std::string(format) +
          "\nverify=" + method + (method.starts_with("pattern") ? pattern : "");
      writes.push_back("rw=write" + text);
      reads.push_back("rw=randread" + text);
      blind.push_back(method == "meta" || method == "null");
    }
  const auto written = run_all(writes, "thread\n");
  ASSERT_EQ(written.size(), writes.size());
  for (std::size_t i = 0; i < written.size(); ++i) {
    EXPECT_EQ(written[i].error, 0) << writes[i] << (written[i].errors.empty() ? "" : written[i].errors[0].message);
    EXPECT_EQ(written[i].dirs[0].ios, 16u) << writes[i];
    spoil(8192 * 9 + 5000, quick_ + "/f" + std::to_string(i));
  }
  const auto read = run_all(reads, "thread\n");
  ASSERT_EQ(read.size(), reads.size());
  for (std::size_t i = 0; i < read.size(); ++i) {
    EXPECT_EQ(read[i].error_count, blind[i] ? 0u : 1u) << reads[i];
    if (!blind[i]) {
      EXPECT_EQ(read[i].errors.at(0).offset_bytes, 8192u * 9) << reads[i];
    }
  }
}

// What happened to a block is told by what is in it.
TEST_P(VerifyFlow, KindsOfDamageAreDistinguished) {
  run("rw=write\nloops=2\ndo_verify=0\nrandseed=1");
  const auto old = contents();
  run("rw=write\ndo_verify=0\nrandseed=1");
  auto now = contents();
  const auto put = [&](std::size_t to, std::size_t bytes, const std::string& from, std::size_t at) {
    now.replace(to * 4096, bytes, from, at, bytes);
  };
  now[4096 * 2 + 1000] = static_cast<char>(now[4096 * 2 + 1000] ^ 8);
  put(4, 4096, old, 6 * 4096);
  put(8, 4096, std::string(4096, '\0'), 0);
  put(10, 1024, old, 10 * 4096);
  contents(now);
  const auto job = run("rw=read");
  const char* const wanted[] = {"; flipped: 1 bit, the first in byte 1000",
                                "; misdirected: this block was written to offset 24576", "; zeroes: only zero bytes",
                                "; torn at byte 1024: the bytes from there on are not from this write"};
  ASSERT_EQ(job.errors.size(), 4u);
  for (const char* words : wanted)
    EXPECT_TRUE(std::any_of(job.errors.begin(), job.errors.end(), [&](const auto& error) {
      return error.message.find(words) != std::string::npos;
    })) << words;
}

TEST_P(VerifyFlow, CorruptionBeforeARewriteIsNotReported) {
  run("rw=write\ndo_verify=0");
  spoil(8192);
  EXPECT_EQ(run("rw=write").error, 0);
  EXPECT_EQ(run("rw=read").error, 0);
}

}  // namespace
}  // namespace fathom::loops
