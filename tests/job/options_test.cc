// What each option means, and laws that hold for every row.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fmt/format.h>

#include "base/text/parse.h"
#include "io/engines.h"
#include "io/options/io_uring.h"
#include "io/options/sim.h"
#include "job/fields/cpus.h"
#include "job/fields/offset_choice.h"
#include "job/fields/report_as.h"
#include "job/option.h"
#include "job/switches.h"
#include "job/values/neutral.h"
#include "options/command_line.h"
#include "support.h"

namespace fathom::job {
namespace {

using U3 = PerDir<std::uint64_t>;

TEST(BlockSizeOptions, CommasSeparateValuesByDirection) {
  EXPECT_EQ(one_job("").bs_min, (U3{4096, 4096, 4096}));
  EXPECT_EQ(one_job("bs=4k,8k").bs_min, (U3{4096, 8192, 8192}));
  EXPECT_EQ(one_job("bs=,8k").bs_min, (U3{4096, 8192, 8192}));
  EXPECT_EQ(one_job("bs=1k,,8k").bs_min, (U3{1024, 4096, 8192}));
  EXPECT_EQ(one_job("bs=1k,2k,3k").bs_max, (U3{1024, 2048, 3072}));
  EXPECT_EQ(one_job("rate=,500k").rate_bytes_per_s, (U3{0, 512000, 512000}));
  EXPECT_EQ(one_job("rate_iops=1000,,5").rate_iops, (PerDir<std::uint32_t>{1000, 0, 5}));
}

TEST(BlockSizeOptions, BsrangeOverridesBsInAnyOrder) {
  for (const char* lines : {"bs=4k\nbsrange=8k-16k", "bsrange=16k-8k\nbs=4k", "bsrange=8k:16k"}) {
    const auto j = one_job(lines);
    EXPECT_EQ(j.bs_min, (U3{8192, 8192, 8192})) << lines;
    EXPECT_EQ(j.bs_max, (U3{16384, 16384, 16384})) << lines;
  }
  for (const char* lines : {"bsrange=1k-2k,4k-8k", "bsrange=1k-2k/4k-8k"}) {
    EXPECT_EQ(one_job(lines).bs_min, (U3{1024, 4096, 4096})) << lines;
    EXPECT_EQ(one_job(lines).bs_max, (U3{2048, 8192, 8192})) << lines;
  }
}

TEST(BlockSizeOptions, BssplitSharesTheRestAmongEntriesWithoutPercent) {
  const auto j = one_job("bssplit=4k/50:8k/30:16k,2k/100");
  ASSERT_EQ(j.bssplit[0].size(), 3u);
  EXPECT_EQ(j.bssplit[0][2].bytes, 16384u);
  EXPECT_DOUBLE_EQ(j.bssplit[0][2].percent, 20);
  EXPECT_EQ(j.bs_min, (U3{4096, 2048, 2048}));
  EXPECT_EQ(j.bs_max, (U3{16384, 2048, 2048}));
  EXPECT_DOUBLE_EQ(one_job("bssplit=4k/33:8k/33:16k/33").bssplit[0][2].percent, 34);
  EXPECT_DOUBLE_EQ(one_job("bssplit=4k/:8k/").bssplit[2][1].percent, 50);
}

RC_GTEST_PROP(BlockSize, SplitPercentsSumTo100, ()) {
  const auto count = *rc::gen::inRange<std::size_t>(1, 12);
  std::string text;
  unsigned left = 100;
  for (std::size_t i = 0; i < count; ++i) {
    const unsigned percent = *rc::gen::inRange(0u, left + 1);
    const bool open = *rc::gen::arbitrary<bool>();
    if (!open) left -= percent;
    text += fmt::format("{}{}k{}", i ? ":" : "", i + 1, open ? "" : fmt::format("/{}", percent));
  }
  const auto j = one_job("bssplit=" + text);
  for (const auto& splits : j.bssplit) {
    double sum = 0;
    for (const auto& s : splits) {
      RC_ASSERT(s.percent >= 0);
      sum += s.percent;
    }
    RC_ASSERT(std::abs(sum - 100) < 1e-6);
  }
}

TEST(BlockSizeOptions, AlignmentTurnsTheRandomMapOff) {
  EXPECT_EQ(one_job("bs=8k").blockalign, (U3{8192, 8192, 8192}));
  EXPECT_FALSE(one_job("rw=randread\nba=4k").norandommap);
  const auto j = one_job("rw=randread\nblockalign=512");
  EXPECT_EQ(j.blockalign[0], 512u);
  EXPECT_TRUE(j.norandommap);
  EXPECT_EQ(one_job("rw=read\nba=512").blockalign[0], 4096u);
}

TEST(RwOption, AllModesAreParsed) {
  const struct {
    const char *text, *name;
    bool reads, writes, trims, random, trim_then_write, mixed;
  } table[] = {{"read", "read", 1, 0, 0, 0, 0, 0},
               {"write", "write", 0, 1, 0, 0, 0, 0},
               {"trim", "trim", 0, 0, 1, 0, 0, 0},
               {"randread", "randread", 1, 0, 0, 1, 0, 0},
               {"randwrite", "randwrite", 0, 1, 0, 1, 0, 0},
               {"randtrim", "randtrim", 0, 0, 1, 1, 0, 0},
               {"rw", "rw", 1, 1, 0, 0, 0, 1},
               {"readwrite", "rw", 1, 1, 0, 0, 0, 1},
               {"randrw", "randrw", 1, 1, 0, 1, 0, 1},
               {"trimwrite", "trimwrite", 0, 1, 1, 0, 1, 0},
               {"randtrimwrite", "randtrimwrite", 0, 1, 1, 1, 1, 0}};
  for (const auto& row : table) {
    const auto j = one_job(std::string("rw=") + row.text);
    EXPECT_EQ(j.rw_name, row.name);
    EXPECT_EQ(j.mode.reads, row.reads) << row.text;
    EXPECT_EQ(j.mode.writes, row.writes) << row.text;
    EXPECT_EQ(j.mode.trims, row.trims) << row.text;
    EXPECT_EQ(j.mode.random, row.random) << row.text;
    EXPECT_EQ(j.mode.trim_then_write, row.trim_then_write) << row.text;
    EXPECT_EQ(j.mode.mixed(), row.mixed) << row.text;
    EXPECT_EQ(j.engine.has_writes, row.writes || row.trims) << row.text;
  }
}

TEST(RwOption, SequencerSuffixesAreParsed) {
  EXPECT_EQ(one_job("rw=randread:8").mode.sequence, 8u);
  EXPECT_EQ(one_job("rw=read:4k").mode.sequential_add, 4096);
  EXPECT_EQ(one_job("rw=write:-4k").mode.sequential_add, -4096);
  EXPECT_EQ(one_job("rw=randread:8\nrw=read").mode.sequence, 1u);
  EXPECT_EQ(one_job("rw_sequencer=identical").sequencer, Sequencer::identical);
}

TEST(JobOptions, SizesAndPercentagesAreParsed) {
  const auto j = one_job("size=50%\nio_limit=2g\nfileoffset=10%\noffset_increment=1m\nfilesize=1k-4k");
  EXPECT_TRUE(j.size.set);
  EXPECT_DOUBLE_EQ(j.size.percent, 50);
  EXPECT_EQ(j.io_size.bytes, 2ull << 30);
  EXPECT_DOUBLE_EQ(j.offset.percent, 10);
  EXPECT_EQ(j.offset_increment.bytes, 1u << 20);
  EXPECT_EQ(j.filesize_min, 1024u);
  EXPECT_EQ(j.filesize_max, 4096u);
}

TEST(JobOptions, OppositeOptionsOverrideEachOther) {
  EXPECT_TRUE(one_job("buffered=0").direct);
  EXPECT_FALSE(one_job("direct=1\nbuffered=1").direct);
  EXPECT_EQ(one_job("rwmixwrite=30").rwmix_read_percent, 70u);
  EXPECT_EQ(one_job("rwmixread=70\nrwmixwrite=20").rwmix_read_percent, 80u);
  EXPECT_TRUE(one_job("randrepeat=0\nallrandrepeat=1").randrepeat);
  EXPECT_FALSE(one_job("randrepeat=0").randrepeat);
  const auto g = one_job("gtod_reduce=1");
  EXPECT_TRUE(g.gtod_reduce && g.disable_lat && g.disable_clat && g.disable_slat && g.disable_bw);
  EXPECT_FALSE(g.clat_percentiles);
  EXPECT_FALSE(one_job("disable_clat=1").clat_percentiles);
  EXPECT_TRUE(one_job("ioengine=io_uring\nsqthread_poll_cpu=1").engine.kernel_submits);
}

TEST(JobOptions, DepthIsClampedAsFioDoes) {
  auto j = one_job("iodepth=8\niodepth_batch=0\niodepth_batch_complete=20\niodepth_low=9");
  EXPECT_EQ(j.iodepth_batch, 8u);
  EXPECT_EQ(j.iodepth_batch_complete_min, 8u);
  EXPECT_EQ(j.iodepth_batch_complete_max, 0u);
  EXPECT_EQ(j.iodepth_low, 0u);
  EXPECT_EQ(j.engine.iodepth, 8u);
  j = one_job("iodepth=8\niodepth_batch_submit=4\niodepth_batch_complete_min=2\niodepth_batch_complete_max=1");
  EXPECT_EQ(j.iodepth_batch, 4u);
  EXPECT_EQ(j.iodepth_batch_complete_max, 2u);
}

TEST(JobOptions, TimesAreParsed) {
  const auto j = one_job("timeout=1m\nramp_time=500ms\nthinktime=50\nthinktime_spin=1ms\nstartdelay=2\ntime_based");
  EXPECT_EQ(j.runtime_ns, 60'000'000'000u);
  EXPECT_EQ(j.ramp_ns, 500'000'000u);
  EXPECT_EQ(j.thinktime_ns, 50'000u);
  EXPECT_EQ(j.thinktime_spin_ns, 50'000u);
  EXPECT_EQ(j.startdelay_ns, 2'000'000'000u);
  EXPECT_TRUE(j.time_based);
}

TEST(JobOptions, StartdelayRangeIsDrawnForEachCopy) {
  const auto all = text_jobs("[a]\nstartdelay=3-1\nnumjobs=20\n");
  bool differ = false;
  for (const auto& j : all) {
    EXPECT_GE(j.startdelay_ns, 1'000'000'000u);
    EXPECT_LT(j.startdelay_ns, 3'000'000'000u);
    differ |= j.startdelay_ns != all[0].startdelay_ns;
  }
  EXPECT_TRUE(differ);
}

TEST(JobOptions, RandomDistributionsAreParsed) {
  auto j = one_job("random_distribution=zipf:1.2:0.25");
  EXPECT_EQ(j.distribution[0].kind, pattern::Kind::zipf);
  EXPECT_DOUBLE_EQ(j.distribution[2].parameter, 1.2);
  EXPECT_DOUBLE_EQ(j.distribution[1].center, 0.25);
  EXPECT_DOUBLE_EQ(one_job("random_distribution=pareto").distribution[0].parameter, 0.2);
  j = one_job("random_distribution=zoned:60/10:30/20:8/30:2/40,70/30:30/");
  ASSERT_EQ(j.distribution[0].zones.size(), 4u);
  EXPECT_DOUBLE_EQ(j.distribution[0].zones[1].access_percent, 30);
  EXPECT_DOUBLE_EQ(j.distribution[0].zones[1].size_percent, 20);
  EXPECT_DOUBLE_EQ(j.distribution[1].zones[1].size_percent, 70);
  j = one_job("random_distribution=zoned_abs:60/1g:40/9g");
  EXPECT_EQ(j.distribution[0].zones[1].size_bytes, 9ull << 30);
}

TEST(JobOptions, ListsAreParsed) {
  EXPECT_EQ(one_job("percentile_list=99.9:50:99:50").percentile_list, (std::vector<double>{50, 99, 99.9}));
  EXPECT_EQ(one_job("cpus_allowed=0,2-3").of<fields::Cpus>().allowed, (std::vector<int>{0, 2, 3}));
  EXPECT_TRUE(one_job("cpus_allowed_policy=split").of<fields::Cpus>().split);
  EXPECT_EQ(one_job("directory=/a:/b").directories, (std::vector<std::string>{"/a", "/b"}));
  EXPECT_EQ(Job{}.percentile_list.size(), 17u);
}

TEST(JobOptions, VerifyOptionsAreParsed) {
  EXPECT_FALSE(one_job("verify=none").verify);
  const auto j = one_job("rw=write\nverify=crc32c");
  EXPECT_TRUE(j.verify && j.do_verify && !j.verify_fatal && !j.verify_only);
  EXPECT_EQ(j.verify_interval, 4096u);
  EXPECT_EQ(one_job("rw=write\nverify=crc32c-intel\nbs=64k\nheader_interval=512").verify_interval, 512u);
  EXPECT_EQ(one_job("rw=rw\nverify=crc32c\nbs=64k,12k").verify_interval, 4096u);
  EXPECT_EQ(one_job("rw=randwrite\nverify=crc32c\nbssplit=4k/50:6k/50").verify_interval, 2048u);
  EXPECT_EQ(one_job("rw=randwrite\nverify=crc32c\nblockalign=1536").verify_interval, 512u);
  EXPECT_EQ(one_job("rw=write:1k\nverify=crc32c").verify_interval, 1024u);
  EXPECT_TRUE(one_job("rw=write\nverify=crc32c\nverify_only\nverify_fatal=1").verify_only);
  EXPECT_FALSE(one_job("rw=write\nverify=crc32c\ndo_verify=0").do_verify);
}

TEST(JobOptions, FillIsParsed) {
  EXPECT_EQ(one_job("").fill, Fill::stamped);
  EXPECT_EQ(one_job("fill=random").fill, Fill::random);
}

TEST(JobOptions, OptionsWithoutEffectAreReported) {
  EXPECT_TRUE(one_job("verify=0\nio_submit_mode=inline").ignored.empty());
  for (const auto& group : option_groups())
    for (const auto& row : group.rows) {
      if (row.texts.status != options::Status::ignored) continue;
      const auto line = std::string(row.name()) + "=1";
      EXPECT_EQ(one_job(line).ignored, std::vector<std::string>{line});
    }
  EXPECT_EQ(one_job("time_based").ignored.size(), 1u);
  const auto j = text_jobs("[global]\nioengine=io_uring\nhipri\n[a]\nioengine=psync\n").at(0);
  ASSERT_EQ(j.ignored.size(), 1u);
  EXPECT_NE(j.ignored[0].find("hipri"), std::string::npos);
}

TEST(JobOptions, WhatTwoOptionsTogetherLoseIsANote) {
  const auto note = [](const std::string& lines) {
    const auto notes = one_job(lines).notes;
    return notes.empty() ? "" : notes[0];
  };
  EXPECT_NE(note("rw=randrw\nrwmixread=70\nrate_iops=1000").find("rate_iops=1400,600"), std::string::npos);
  EXPECT_EQ(note("rw=randrw\nrwmixread=70\nrate_iops=1400,600"), "");
  EXPECT_EQ(note("rw=randrw\nrate_iops=1000"), "");
  EXPECT_NE(note("number_ios=10\ntime_based\nruntime=1").find("number_ios= is ignored"), std::string::npos);
  EXPECT_EQ(note("number_ios=10\nruntime=1"), "");
}

TEST(JobOptions, ADoubledPercentSignIsAccepted) {
  EXPECT_DOUBLE_EQ(one_job("size=100%%").size.percent, 100);
  EXPECT_DOUBLE_EQ(one_job("offset=12.5%%").offset.percent, 12.5);
  EXPECT_FALSE(parse_job_text("[a]\nsize=100%%%\n", "t.fio", World{}.env()).ok());
}

TEST(JobOptions, AlternativeSpellingsOfFioAreAccepted) {
  EXPECT_TRUE(one_job("threads=1").thread);
  EXPECT_FALSE(one_job("threads=0").thread);
  EXPECT_TRUE(one_job("ioengine=io_uring_cmd\nnonvectored=1\nfilename=/dev/ng0n1").ignored.empty());
  EXPECT_EQ(one_job("ioengine=io_uring_cmd\nnonvectored=0\nfilename=/dev/ng0n1").ignored.size(), 1u);
  ASSERT_NE(find_option("mem_align"), nullptr);
  EXPECT_EQ(find_option("mem_align"), find_option("iomem_align"));
  EXPECT_EQ(find_option("data_placement"), find_option("dataplacement"));
}

TEST(OptionsNotBuilt, NeutralValuesAreAccepted) {
  for (const char* lines :
       {"nice=0", "flow=0", "numa_mem_policy=default", "error_dump=0", "error_dump=1", "latency_target=0us",
        "latency_window=0ms", "max_latency=0,0", "zonesize=0k", "mem_align=0", "data_placement=none",
        "significant_figures=4", "ss_dur=0", "verify_dump=1", "rate_min=0", "percentage_random=100,100",
        "ioengine=io_uring\nuncached=0\ncmdprio_percentage=0", "ioengine=libaio\nnowait=0"}) {
    const auto set = parse_job_text(std::string("[a]\nsize=1m\n") + lines + "\n", "t.fio", World{}.env());
    ASSERT_TRUE(set.ok()) << lines << ": " << set.error().what;
    EXPECT_TRUE(set->jobs[0].ignored.empty()) << lines;
  }
  const Pairs echo = one_job("nice=0").echo;
  EXPECT_EQ(echo, (Pairs{{"nice", "0"}}));
}

// Thousands of public job files write size=0; in fio it is the default, and so is io_size=0.
// fio accepts 0 for these; the job has one of them, and the result says so.
TEST(JobOptions, ZeroIsReadAsOneWhereFioAcceptsIt) {
  for (const char* option :
       {"numjobs", "loops", "nrfiles", "bwavgtime", "iopsavgtime", "thinktime_blocks", "num_range"}) {
    const auto all = text_jobs(std::string("[a]\nsize=1m\n") + option + "=0\n");
    ASSERT_EQ(all.size(), 1u) << option;
    EXPECT_EQ(all[0].notes, std::vector<std::string>{std::string(option) + "=0 is read as 1"});
    const auto& as = all[0].of<fields::ReportAs>();
    EXPECT_EQ(all[0].loops, 1u);
    EXPECT_EQ(all[0].nrfiles, 1u);
    EXPECT_EQ(all[0].thinktime_blocks, 1u);
    EXPECT_EQ(all[0].of<fields::OffsetChoice>().num_range, 1u);
    EXPECT_EQ(as.bw_window_ms, option == std::string("bwavgtime") ? 1u : 500u);
    EXPECT_EQ(as.iops_window_ms, option == std::string("iopsavgtime") ? 1u : 500u);
  }
}

TEST(JobOptions, ASizeOfZeroIsNotGiven) {
  EXPECT_FALSE(one_job("size=0").size.set);
  EXPECT_FALSE(one_job("size=0%").size.set);
  EXPECT_FALSE(one_job("size=1m\nio_size=0").io_size.set);
  EXPECT_TRUE(one_job("size=1m\nio_size=1m").io_size.set);
  EXPECT_FALSE(text_jobs("[global]\nsize=1g\n[a]\nsize=0\n").at(0).size.set);
}

TEST(JobOptions, AtomicNeedsAnEngineThatCanAskForIt) {
  for (const char* engine : {"io_uring", "libaio", "pvsync2"}) {
    const auto set = parse_job_text(std::string("[a]\nsize=1m\nrw=write\natomic=1\nioengine=") + engine + "\n", "t.fio",
                                    World{}.env());
    ASSERT_TRUE(set.ok()) << engine;
    EXPECT_TRUE(set->jobs[0].direct);
  }
  EXPECT_TRUE(one_job("size=1m\nrw=read\natomic=1\nioengine=psync").direct);
  const auto refused = parse_job_text("[a]\nsize=1m\nrw=write\natomic=1\nioengine=psync\n", "t.fio", World{}.env());
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.error().what, "atomic=1 with ioengine=psync");
}

TEST(OptionsNotBuilt, OtherValuesAreRefused) {
  for (const char* lines : {"gpu_dev_id=x", "cuda_io=x", "chunk_size=x", "gpu_dev_id"}) {
    const auto set = parse_job_text(std::string("[a]\nsize=1m\n") + lines + "\n", "t.fio", World{}.env());
    ASSERT_FALSE(set.ok()) << lines;
    EXPECT_EQ(set.error().kind, base::ErrorKind::not_built) << lines;
  }
}

TEST(OptionsNotBuilt, AnOptionOfAnotherEngineIsRefusedEvenIfNeutral) {
  const auto set = parse_job_text("[a]\nioengine=psync\nuncached=0\n", "t.fio", World{}.env());
  ASSERT_FALSE(set.ok());
  EXPECT_NE(set.error().what.find("engine psync does not have this option"), std::string::npos);
  EXPECT_EQ(text_jobs("[global]\nuncached=0\n[a]\nioengine=psync\n").size(), 1u);
}

// A row's own values have to pass the test that they are there for.
TEST(OptionsNotBuilt, NeutralValuesOfEveryRowAreNeutral) {
  for (const auto& option : options_not_built()) {
    const auto neutral = option.texts.neutral;
    EXPECT_FALSE(is_built(&option)) << option.name();
    if (neutral.empty()) continue;
    const auto first = items_in(neutral).front();
    EXPECT_TRUE(values::is_neutral(neutral, first == "#" ? "1" : first)) << option.name();
    EXPECT_FALSE(values::is_neutral(neutral, "no-such-value")) << option.name();
    EXPECT_FALSE(values::is_neutral(neutral, "")) << option.name();
  }
}

TEST(JobOptions, EngineMayComeAfterItsOption) {
  const auto j = one_job("fixedbufs\nregisterfiles=1\nnonvectored=0\nioengine=io_uring");
  const auto& own = j.engine.of<io::IoUringOptions>();
  EXPECT_TRUE(own.fixedbufs && own.registerfiles);
  EXPECT_TRUE(j.engine.vectored);
  EXPECT_EQ(one_job("ioengine=linuxaio").ioengine, "libaio");
}

// A job of that engine, with what it cannot do without.
std::string of_engine(std::string_view name) {
  static const std::map<std::string_view, std::string> what_it_needs{{"e4defrag", "donorname=d\nrw=write\n"},
                                                                     {"net", "hostname=h\nport=9\nrw=write\n"},
                                                                     {"netsplice", "hostname=h\nport=9\nrw=write\n"},
                                                                     {"cpuio", "cpuload=50\n"},
                                                                     {"exec", "program=true\n"},
                                                                     {"nbd", "uri=nbd://h\n"},
                                                                     {"nfs", "nfs_url=nfs://h/e\n"},
                                                                     {"rados", "pool=p\n"},
                                                                     {"rbd", "pool=p\nrbdname=i\n"}};
  const auto found = what_it_needs.find(name);
  return "size=1m\n" + (found == what_it_needs.end() ? "" : found->second) + "ioengine=" + std::string(name) +
         (name == "external" ? ":x.so\n" : "\n");
}

TEST(JobOptions, EveryEngineIsKnownByNameAndAlias) {
  for (const auto& engine : io::engines()) EXPECT_EQ(one_job(of_engine(engine.name)).ioengine, engine.name);
  EXPECT_EQ(one_job("size=1m\nioengine=aio").ioengine, "libaio");
  EXPECT_EQ(one_job("size=1m\nioengine=linuxaio").ioengine, "libaio");
}

// Laws of the table.

std::vector<const Row*> every_option() {
  std::vector<const Row*> all;
  for (const auto& group : option_groups())
    for (const auto& option : group.rows) all.push_back(&option);
  return all;
}

std::string engine_of(const Row& option) {
  if (option.texts.engines.empty()) return "";
  return of_engine(option.texts.engines.substr(0, option.texts.engines.find(' ')));
}

TEST(OptionRows, NamesAreUniqueAndDescribed) {
  std::map<std::string_view, int> seen;
  for (const auto* option : every_option()) {
    ++seen[option->name()];
    for (const auto alias : option->aliases()) ++seen[alias];
    EXPECT_FALSE(option->texts.help.empty()) << option->name();
    EXPECT_NE(option->apply, nullptr) << option->name();
    EXPECT_EQ(find_option(option->name()), option) << option->name() << " stands twice";
    if (option->texts.status != Status::full) {
      EXPECT_FALSE(option->texts.note.empty()) << option->name();
    }
  }
  for (const auto& option : options_not_built()) ++seen[option.name()];
  for (const auto& [name, times] : seen) EXPECT_EQ(times, 1) << name;
}

// Those of a profile stand outside of jobs.
bool is_of_a_profile(const Row& option) {
  return std::ranges::any_of(profile_options(), [&](const Row& row) { return &row == &option; });
}

TEST(OptionRows, EveryDefaultIsAValidValueThatChangesNothing) {
  for (const auto* option : every_option()) {
    if (option->texts.fallback.empty() || is_of_a_profile(*option)) continue;
    const std::string line = fmt::format("{}={}", option->name(), option->texts.fallback);
    const auto set = parse_job_text("[a]\n" + engine_of(*option) + line + "\n", "t.fio", World{}.env());
    ASSERT_TRUE(set.ok()) << line << ": " << set.error().what;
    const auto plain = parse_job_text("[a]\n" + engine_of(*option), "t.fio", World{}.env());
    const Job &with = set->jobs[0], &without = plain->jobs[0];
    EXPECT_EQ(with.bs_min, without.bs_min) << line;
    EXPECT_EQ(with.iodepth_batch, without.iodepth_batch) << line;
    EXPECT_EQ(with.direct, without.direct) << line;
    EXPECT_EQ(with.percentile_list, without.percentile_list) << line;
    EXPECT_EQ(with.rwmix_read_percent, without.rwmix_read_percent) << line;
    EXPECT_EQ(with.fallocate, without.fallocate) << line;
    EXPECT_EQ(with.thinktime_blocks, without.thinktime_blocks) << line;
    EXPECT_EQ(with.engine.vectored, without.engine.vectored) << line;
    EXPECT_EQ(with.engine.of<io::SimOptions>().latency, without.engine.of<io::SimOptions>().latency) << line;
    EXPECT_EQ(with.clat_percentiles, without.clat_percentiles) << line;
    EXPECT_EQ(with.disable_lat, without.disable_lat) << line;
  }
}

TEST(OptionRows, EveryAliasMeansTheSameRow) {
  for (const auto* option : every_option())
    for (const auto alias : option->aliases()) EXPECT_EQ(find_option(alias), option) << alias;
}

TEST(OptionRows, NumbersOutsideTheirRangeAreRefused) {
  for (const auto* option : every_option()) {
    if (option->type != Type::count && option->type != Type::bytes) continue;
    if (option->max == 0) continue;
    const auto value_is_refused = [&](std::uint64_t value) {
      const auto set = parse_job_text(fmt::format("[a]\n{}{}={}\n", engine_of(*option), option->name(), value), "t.fio",
                                      World{}.env());
      return !set.ok() && set.error().place && set.error().place->column > 1;
    };
    if (option->min > 0) {
      EXPECT_TRUE(value_is_refused(option->min - 1)) << option->name();
    }
    if (option->max < ~0ull) {
      EXPECT_TRUE(value_is_refused(option->max + 1)) << option->name();
    }
  }
}

RC_GTEST_PROP(Rows, UniqueBeginningsAreAccepted, ()) {
  const auto all = every_option();
  const auto& option = **rc::gen::elementOf(all);
  const auto length = *rc::gen::inRange<std::size_t>(1, option.name().size() + 1);
  const std::vector<std::string> args{fmt::format("--{}=1", option.name().substr(0, length))};
  Command target;
  const auto given = read_command_line(fio_manual(), args, Targets(target));
  if (given && !given->options.empty()) {
    const Row& row = *given->options[0].row;
    RC_ASSERT(&row == &option || length < option.name().size());
    if (!option.texts.engines.empty()) return;
    RC_ASSERT(row.name().substr(0, length) == option.name().substr(0, length) || &row == &option ||
              row.texts.names.find(option.name().substr(0, length)) != std::string_view::npos);
  } else if (!given) {  // the beginning of several, or of one of the program's, which takes another value
    RC_ASSERT(length < option.name().size());
    const auto& what = given.error().what;
    RC_ASSERT(what.find("several options") != std::string::npos || what.starts_with("--"));
  }
}

RC_GTEST_PROP(Rows, OneWrongLetterIsStillNamed, ()) {
  const auto all = every_option();
  const auto& option = **rc::gen::elementOf(all);
  RC_PRE(option.name().size() > 5);
  std::string wrong(option.name());
  wrong[*rc::gen::inRange<std::size_t>(0, wrong.size())] = 'Z';
  const auto refused = parse_job_text("[a]\n" + wrong + "=1\n", "t.fio", World{}.env());
  RC_ASSERT(!refused.ok());
  const std::string& help = refused.error().help;
  constexpr std::string_view kBefore = "did you mean `";
  RC_ASSERT(help.substr(0, kBefore.size()) == kBefore);
  const auto near = help.substr(kBefore.size(), help.find('`', kBefore.size()) - kBefore.size());
  RC_ASSERT(base::text::edit_distance(base::text::to_lower(wrong), near) <= 1u);
}

}  // namespace
}  // namespace fathom::job
