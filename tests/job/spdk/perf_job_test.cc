// Options of `fathom nvme perf` and of spdk_nvme_perf as the words of a job.
#include "job/spdk/perf_job.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "job/spdk/spdk_command_line.h"

namespace fathom::job::spdk {
namespace {

bool has(const Arguments& job_args, const std::string& word) {
  return std::find(job_args.begin(), job_args.end(), word) != job_args.end();
}

// Names are taken as they are, but one that is none.
base::Expected<std::string> join(const Arguments& names) {
  if (names.front() == "/dev/nvme0n1") return base::Error{.what = "no device", .cause = "", .help = "", .place = {}};
  return fmt::format("{}", fmt::join(names, ":"));
}

Arguments perf(const Arguments& args) {
  auto job_args = perf_job(args, join);
  EXPECT_TRUE(job_args.ok()) << (job_args.ok() ? "" : job_args.error().what);
  return job_args.ok() ? *job_args : Arguments{};
}

Arguments spdk(const Arguments& args, const Arguments& here = {}) {
  Arguments notes;
  auto job_args = read_spdk_command_line(
      args, [&] { return here; }, notes);
  EXPECT_TRUE(job_args.ok()) << (job_args.ok() ? "" : job_args.error().what);
  return job_args.ok() ? *job_args : Arguments{};
}

std::string spdk_refusal(const Arguments& args) {
  Arguments notes;
  auto job_args = read_spdk_command_line(
      args, [] { return Arguments{}; }, notes);
  EXPECT_FALSE(job_args.ok());
  return job_args.ok() ? "" : job_args.error().what + "|" + job_args.error().cause;
}

TEST(NvmePerfWords, WithoutFlagsItReadsTheSoftController) {
  const auto job_args = perf({});
  for (const char* word :
       {"--name=perf", "--ioengine=nvme", "--thread=1", "--filename=soft", "--rw=randread", "--bs=4k", "--iodepth=128",
        "--depth_per_file=1", "--norandommap=1", "--runtime=10s", "--time_based=1", "--iodepth_batch=128",
        "--iodepth_batch_complete_min=1", "--iodepth_batch_complete_max=128"})
    EXPECT_TRUE(has(job_args, word)) << word;
}

TEST(NvmePerfWords, GivenOptionsComeLastAndOverride) {
  const Arguments args{"--rw", "randwrite", "--iodepth=32", "--output-format=json", "--nvme_sq_copy=words"};
  const auto job_args = perf(args);
  ASSERT_GT(job_args.size(), args.size());
  EXPECT_TRUE(std::equal(args.begin(), args.end(), job_args.end() - static_cast<std::ptrdiff_t>(args.size())));
  EXPECT_TRUE(has(job_args, "--iodepth_batch=32"));
}

TEST(NvmePerfWords, DepthIsOfEachDeviceAndReapingOfAll) {
  const auto job_args = perf({"--device=soft", "--device", "soft", "--device=0000:04:00.0", "--iodepth", "8"});
  EXPECT_TRUE(has(job_args, "--filename=soft:soft:0000:04:00.0"));
  EXPECT_TRUE(has(job_args, "--iodepth_batch=8"));
  EXPECT_TRUE(has(job_args, "--iodepth_batch_complete_max=24"));
}

TEST(NvmePerfWords, AJobThatEndsByItselfHasNoRunTime) {
  for (const char* end : {"--number_ios=100", "--io_size=1g", "--verify=crc32c"}) {
    const auto job_args = perf({end});
    EXPECT_FALSE(has(job_args, "--runtime=10s")) << end;
    EXPECT_FALSE(has(job_args, "--time_based=1")) << end;
  }
  const auto timed = perf({"--runtime=3"});
  EXPECT_FALSE(has(timed, "--runtime=10s"));
  EXPECT_TRUE(has(timed, "--time_based=1"));
}

// Blocks that were written twice could not be read back, so their map is kept.
TEST(NvmePerfWords, VerifyKeepsTheRandomMap) { EXPECT_FALSE(has(perf({"--verify=crc32c"}), "--norandommap=1")); }

TEST(NvmePerfWords, OptionsThatPerfSetsAreRefused) {
  for (const char* own : {"--filename=/dev/null", "--ioengine=null", "--name=x", "--thread=0"})
    EXPECT_FALSE(perf_job(Arguments{own}, join).ok()) << own;
}

TEST(PerfJob, DevicesAreJoinedOrRefused) {
  EXPECT_FALSE(perf_job(Arguments{"--device=/dev/nvme0n1"}, join).ok());
  EXPECT_FALSE(perf_job(Arguments{"--device"}, join).ok());
}

TEST(SpdkCommandLine, TheUsualCall) {
  const auto flags = spdk({"-q", "128", "-o", "4096", "-w", "randread", "-t", "5", "-c", "0x1", "-r",
                           "trtype:PCIe traddr:0000:04:00.0", "-L"});
  for (const char* word : {"--device=0000:04:00.0", "--iodepth=128", "--bs=4096", "--rw=randread", "--runtime=5s",
                           "--cpus_allowed=0", "--output-format=spdk-l", "--group_reporting=0"})
    EXPECT_TRUE(has(flags, word)) << word;
  EXPECT_TRUE(has(perf(flags), "--filename=0000:04:00.0"));
}

TEST(SpdkPerfWords, AValueMayFollowItsLetter) {
  const auto flags = spdk({"-q32", "-o512", "-wrandrw", "-M70", "-t1", "-LL", "-rtrtype:SOFT"});
  for (const char* word : {"--iodepth=32", "--bs=512", "--rw=randrw", "--rwmixread=70", "--output-format=spdk-ll"})
    EXPECT_TRUE(has(flags, word)) << word;
  EXPECT_TRUE(has(spdk({"-L", "-L", "-r", "trtype:SOFT"}), "--output-format=spdk-ll"));
  EXPECT_TRUE(has(spdk({"-r", "trtype:SOFT"}), "--output-format=spdk"));
}

TEST(SpdkPerfWords, LongNamesEqualTheirLetters) {
  const auto letters =
      spdk({"-q",  "8",  "-o",          "512", "-w", "randrw", "-M", "70", "-t", "1",   "-a", "2", "-c",
            "0x1", "-r", "trtype:SOFT", "-L",  "-F", "1.1",    "-P", "2",  "-d", "100", "-C", "4"});
  const auto names =
      spdk({"--io-depth=8", "--io-size", "512", "--io-pattern=randrw", "--rwmixread=70", "--time", "1",
            "--warmup-time=2", "--core-mask=0x1", "--transport", "trtype:SOFT", "--enable-sw-latency-tracking",
            "--zipf=1.1", "--num-qpairs=2", "--number-ios=100", "--max-completion-per-poll=4"});
  EXPECT_EQ(names, letters);
  for (const char* word : {"--number_ios=100", "--iodepth_batch_complete_max=4", "--numjobs=2"})
    EXPECT_TRUE(has(letters, word)) << word;
  const auto only_long = spdk({"--fua", "--io-queue-size=64", "-U", "2", "--transport-stats", "-r", "trtype:SOFT"});
  for (const char* word :
       {"--sync=1", "--nvme_queue_entries=64", "--nvme_unused_queues=2", "--output-format=spdk,spdk-stats"})
    EXPECT_TRUE(has(only_long, word)) << word;
}

TEST(SpdkPerfWords, OptionsWithoutMeaningAreAcceptedWithANote) {
  Arguments notes;
  const Arguments args{"-g", "-i", "3", "-D", "-l", "--no-huge", "-s", "256", "-r", "trtype:SOFT"};
  const auto flags = read_spdk_command_line(
      args, [] { return Arguments(); }, notes);
  ASSERT_TRUE(flags.ok()) << flags.error().what;
  ASSERT_EQ(notes.size(), 6u);
  for (const auto& note : notes) EXPECT_NE(note.find("no effect here"), std::string::npos) << note;
  EXPECT_EQ(*flags, *read_spdk_command_line(
                        Arguments{"-r", "trtype:SOFT"}, [] { return Arguments(); }, notes))
      << "and changes nothing";
}

TEST(SpdkPerfWords, WrongLongNamesAreRefused) {
  EXPECT_NE(spdk_refusal({"--io-dpeth=8"}).find("no option `--io-dpeth`"), std::string::npos);
  EXPECT_NE(spdk_refusal({"--io=8"}).find("several options"), std::string::npos);
  EXPECT_NE(spdk_refusal({"--fua=1"}).find("takes no value"), std::string::npos);
  EXPECT_NE(spdk_refusal({"--io-size"}).find("a value is missing"), std::string::npos);
  EXPECT_NE(spdk_refusal({"-d", "10%"}).find("not a number"), std::string::npos);
  EXPECT_NE(spdk_refusal({"soft"}).find("no option"), std::string::npos);
}

TEST(SpdkPerfWords, CoreMaskGivesOneThreadForEachCpu) {
  for (const char* cpus : {"0xd", "d", "[0,2-3]"}) {
    const auto flags = spdk({"-c", cpus, "-r", "trtype:SOFT"});
    EXPECT_TRUE(has(flags, "--numjobs=3")) << cpus;
    EXPECT_TRUE(has(flags, "--cpus_allowed_policy=split")) << cpus;
  }
  EXPECT_TRUE(has(spdk({"-c", "0xd", "-r", "trtype:SOFT"}), "--cpus_allowed=0,2,3"));
  EXPECT_TRUE(has(spdk({"-c", "3", "-P", "2", "-r", "trtype:SOFT"}), "--numjobs=4"));
  for (const char* wrong : {"0x", "[", "[1-0]", "x", "0"})
    EXPECT_NE(spdk_refusal({"-c", wrong}).find("mask"), std::string::npos) << wrong;
}

TEST(SpdkPerfWords, TransportIdsNameDevices) {
  EXPECT_TRUE(has(spdk({"-r", "trtype:VFIOUSER traddr:/var/run/vu subnqn:nqn.x"}), "--device=vfio-user:/var/run/vu"));
  EXPECT_TRUE(has(spdk({"-r", "TRTYPE:pcie TRADDR:04:00.0 ns:2"}), "--device=04:00.0/ns=2"));
  EXPECT_TRUE(has(spdk({"-r", "trtype:SOFT", "-r", "trtype:soft"}), "--device=soft"));
  EXPECT_TRUE(has(spdk({"-q", "1"}, {"0000:05:00.0"}), "--device=0000:05:00.0")) << "without -r: what vfio-pci has";
  EXPECT_NE(spdk_refusal({"-q", "1"}).find("no device"), std::string::npos);
  EXPECT_NE(spdk_refusal({"-r", "trtype:TCP traddr:10.0.0.1"}).find("not built"), std::string::npos);
}

TEST(SpdkPerfWords, UnknownOptionsAndValuesAreRefused) {
  EXPECT_NE(spdk_refusal({"-Z", "1", "-r", "trtype:SOFT"}).find("no option `-Z`"), std::string::npos);
  for (const char* letter : {"-q, ", "-o, ", "-w, ", "-M, ", "-t, ", "-c, ", "-r, ", "-L, "})
    EXPECT_NE(options::help_text(spdk_manual()).find(letter), std::string::npos) << letter;
  EXPECT_NE(spdk_refusal({"-w", "rnd", "-r", "trtype:SOFT"}).find("not a value of -w"), std::string::npos);
  EXPECT_NE(spdk_refusal({"-w", "rw", "-r", "trtype:SOFT"}).find("share of reads"), std::string::npos);
  EXPECT_NE(spdk_refusal({"-Lx", "-r", "trtype:SOFT"}).find("no option `-x`"), std::string::npos);
  EXPECT_NE(spdk_refusal({"-q"}).find("a value is missing"), std::string::npos);
  for (const char* letter : {"-q", "-t", "-a", "-U"})  // a job would read units: a millisecond, 1,024 I/Os
    EXPECT_NE(spdk_refusal({letter, "1m", "-r", "trtype:SOFT"}).find("not a whole number"), std::string::npos)
        << letter;
}

TEST(SpdkPerfWords, MemorySizeIsReportedWithoutEffect) {
  Arguments notes;
  ASSERT_TRUE(read_spdk_command_line(
                  Arguments{"-s", "512", "-r", "trtype:SOFT"}, [] { return Arguments{}; }, notes)
                  .ok());
  ASSERT_EQ(notes.size(), 1u);
  EXPECT_NE(notes[0].find("-s 512"), std::string::npos);
}

}  // namespace
}  // namespace fathom::job::spdk
