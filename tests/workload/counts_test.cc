// How many I/Os and bytes a job does, against fio 3.33 (`--ioengine=psync` or null, `--output-format=json`: total_ios,
// io_bytes). Each row is a fio command line and what fio did. Where fio's count depends on its random numbers only
// bytes are compared.
#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <set>
#include <string>

#include "workload/make_job.h"

namespace fathom::workload::testing {
namespace {

struct Count {
  std::uint64_t ios = 0, bytes = 0;
};
struct Fact {
  const char* fio;
  const char* rw;
  std::uint64_t size;
  std::uint32_t files;
  std::uint64_t bs;
  std::function<void(job::Job&)> more;
  Count all;                             // over read, write and trim
  std::vector<io::Target> targets = {};  // if the window is not the size
};

void io_size(job::Job& job, std::uint64_t bytes) { job.io_size = {bytes, 0, true}; }
const auto kNothing = [](job::Job&) {};

const Fact kFacts[] = {
    {"--rw=read --size=18k", "read", 18 * k, 1, 4 * k, kNothing, {4, 16384}},
    {"--rw=randread --size=18k", "randread", 18 * k, 1, 4 * k, kNothing, {4, 16384}},
    {"--rw=write --size=20k --bs=8k", "write", 20 * k, 1, 8 * k, kNothing, {2, 16384}},
    {"--rw=rw --size=64k", "rw", 64 * k, 1, 4 * k, kNothing, {16, 65536}},
    {"--rw=randrw --size=64k", "randrw", 64 * k, 1, 4 * k, kNothing, {16, 65536}},
    {"--rw=randrw --size=64k --norandommap",
     "randrw",
     64 * k,
     1,
     4 * k,
     [](auto& j) { j.norandommap = true; },
     {16, 65536}},
    {"--rw=read --size=64k --nrfiles=4", "read", 64 * k, 4, 4 * k, kNothing, {16, 65536}},
    {"--rw=read --size=56k --nrfiles=4", "read", 56 * k, 4, 4 * k, kNothing, {12, 49152}},
    {"--rw=randread --size=64k --nrfiles=4", "randread", 64 * k, 4, 4 * k, kNothing, {16, 65536}},
    {"--rw=write --size=64k --nrfiles=3", "write", 64 * k, 3, 4 * k, kNothing, {15, 61440}},
    {"--rw=trimwrite --size=32k --ioengine=null", "trimwrite", 32 * k, 1, 4 * k, kNothing, {16, 65536}},
    {"--rw=randtrimwrite --size=32k --ioengine=null", "randtrimwrite", 32 * k, 1, 4 * k, kNothing, {16, 65536}},
    {"--rw=randtrimwrite --size=32k --norandommap --ioengine=null",
     "randtrimwrite",
     32 * k,
     1,
     4 * k,
     [](auto& j) { j.norandommap = true; },
     {16, 65536}},
    {"--rw=randtrim --size=32k --ioengine=null", "randtrim", 32 * k, 1, 4 * k, kNothing, {8, 32768}},
    {"--rw=trimwrite --size=64k --number_ios=5 --ioengine=null",
     "trimwrite",
     64 * k,
     1,
     4 * k,
     [](auto& j) { j.number_ios = 5; },
     {10, 40960}},
    {"--rw=trimwrite --size=32k --nrfiles=2 --ioengine=null", "trimwrite", 32 * k, 2, 4 * k, kNothing, {16, 65536}},
    {"--rw=trimwrite --size=32k --loops=2 --ioengine=null",
     "trimwrite",
     32 * k,
     1,
     4 * k,
     [](auto& j) { j.loops = 2; },
     {32, 131072}},
    {"--rw=trimwrite --size=32k --io_size=64k --ioengine=null",
     "trimwrite",
     32 * k,
     1,
     4 * k,
     [](auto& j) { io_size(j, 64 * k); },
     {16, 65536}},
    {"--rw=randread --size=32k --loops=2", "randread", 32 * k, 1, 4 * k, [](auto& j) { j.loops = 2; }, {16, 65536}},
    {"--rw=randread --size=32k --io_size=64k",
     "randread",
     32 * k,
     1,
     4 * k,
     [](auto& j) { io_size(j, 64 * k); },
     {16, 65536}},
    {"--rw=randread --size=32k --io_size=64k --norandommap",
     "randread",
     32 * k,
     1,
     4 * k,
     [](auto& j) { io_size(j, 64 * k), j.norandommap = true; },
     {16, 65536}},
    {"--rw=randwrite --size=32k --io_size=64k --norandommap",
     "randwrite",
     32 * k,
     1,
     4 * k,
     [](auto& j) { io_size(j, 64 * k), j.norandommap = true; },
     {16, 65536}},
    {"--rw=randwrite --size=32k --io_size=50k",
     "randwrite",
     32 * k,
     1,
     4 * k,
     [](auto& j) { io_size(j, 50 * k); },
     {13, 53248}},
    {"--rw=read --size=32k --io_size=50k", "read", 32 * k, 1, 4 * k, [](auto& j) { io_size(j, 50 * k); }, {13, 53248}},
    {"--rw=read --size=32k --io_size=48k", "read", 32 * k, 1, 4 * k, [](auto& j) { io_size(j, 48 * k); }, {12, 49152}},
    {"--rw=read --size=32k --io_size=18k", "read", 32 * k, 1, 4 * k, [](auto& j) { io_size(j, 18 * k); }, {5, 20480}},
    {"--rw=randread --size=32k --io_size=18k",
     "randread",
     32 * k,
     1,
     4 * k,
     [](auto& j) { io_size(j, 18 * k); },
     {5, 20480}},
    {"--rw=read --size=32k --io_size=30%",
     "read",
     32 * k,
     1,
     4 * k,
     [](auto& j) {
       j.io_size = {0, 30, true};
     },
     {3, 12288}},
    {"--rw=read --size=32k --io_size=64k --loops=3",
     "read",
     32 * k,
     1,
     4 * k,
     [](auto& j) { io_size(j, 64 * k), j.loops = 3; },
     {24, 98304}},
    {"--rw=read --size=32k --io_size=128k --loops=2",
     "read",
     32 * k,
     1,
     4 * k,
     [](auto& j) { io_size(j, 128 * k), j.loops = 2; },
     {32, 131072}},
    {"--rw=read --size=32k --io_size=16k --loops=2",
     "read",
     32 * k,
     1,
     4 * k,
     [](auto& j) { io_size(j, 16 * k), j.loops = 2; },
     {8, 32768}},
    {"--rw=rw --size=32k --io_size=64k", "rw", 32 * k, 1, 4 * k, [](auto& j) { io_size(j, 64 * k); }, {16, 65536}},
    {"--rw=rw --size=32k --loops=2", "rw", 32 * k, 1, 4 * k, [](auto& j) { j.loops = 2; }, {16, 65536}},
    {"--rw=rw --size=32k --io_size=48k --nrfiles=2",
     "rw",
     32 * k,
     2,
     4 * k,
     [](auto& j) { io_size(j, 48 * k); },
     {12, 49152}},
    {"--rw=randrw --size=32k --io_size=48k",
     "randrw",
     32 * k,
     1,
     4 * k,
     [](auto& j) { io_size(j, 48 * k); },
     {12, 49152}},
    {"--rw=read --size=32k --number_ios=5", "read", 32 * k, 1, 4 * k, [](auto& j) { j.number_ios = 5; }, {5, 20480}},
    {"--rw=read --size=32k --number_ios=5 --loops=2",
     "read",
     32 * k,
     1,
     4 * k,
     [](auto& j) { j.number_ios = 5, j.loops = 2; },
     {10, 40960}},
    {"--rw=read --size=32k --number_ios=12 --loops=2",
     "read",
     32 * k,
     1,
     4 * k,
     [](auto& j) { j.number_ios = 12, j.loops = 2; },
     {16, 65536}},
    {"--rw=read --size=32k --number_ios=20", "read", 32 * k, 1, 4 * k, [](auto& j) { j.number_ios = 20; }, {8, 32768}},
    {"--rw=rw --size=32k --number_ios=6", "rw", 32 * k, 1, 4 * k, [](auto& j) { j.number_ios = 6; }, {6, 24576}},
    {"--rw=read --size=64k --io_size=32k --nrfiles=2",
     "read",
     64 * k,
     2,
     4 * k,
     [](auto& j) { io_size(j, 32 * k); },
     {8, 32768}},
    {"--rw=read --size=32k --io_size=64k --nrfiles=2",
     "read",
     32 * k,
     2,
     4 * k,
     [](auto& j) { io_size(j, 64 * k); },
     {16, 65536}},
    {"--rw=randread --size=64k --bs=4k --blockalign=8k",
     "randread",
     64 * k,
     1,
     4 * k,
     [](auto& j) { j.blockalign.fill(8 * k); },
     {16, 65536}},
    {"--rw=randread --size=64k --bs=8k --blockalign=4k",
     "randread",
     64 * k,
     1,
     8 * k,
     [](auto& j) { j.blockalign.fill(4 * k); },
     {8, 65536}},
    {"--rw=randread:4 --size=64k", "randread", 64 * k, 1, 4 * k, [](auto& j) { j.mode.sequence = 4; }, {16, 65536}},
    {"--rw=randrw:3 --size=64k", "randrw", 64 * k, 1, 4 * k, [](auto& j) { j.mode.sequence = 3; }, {16, 65536}},
    {"--rw=randread:3 --size=40k --nrfiles=2",
     "randread",
     40 * k,
     2,
     4 * k,
     [](auto& j) { j.mode.sequence = 3; },
     {10, 40960}},
    {"--rw=randread:3 --size=16k --io_size=64k",
     "randread",
     16 * k,
     1,
     4 * k,
     [](auto& j) { j.mode.sequence = 3, io_size(j, 64 * k); },
     {16, 65536}},
    {"--rw=randread --size=32k --random_distribution=zipf:1.2",
     "randread",
     32 * k,
     1,
     4 * k,
     [](auto& j) { j.distribution[0].kind = pattern::Kind::zipf, j.distribution[0].parameter = 1.2; },
     {8, 32768}},
    {"--rw=read --size=18k --filename=64k-file",
     "read",
     18 * k,
     1,
     4 * k,
     kNothing,
     {5, 20480},
     window(64 * k, 0, 18 * k)},
    {"--rw=randread --size=18k --filename=64k-file",
     "randread",
     18 * k,
     1,
     4 * k,
     kNothing,
     {4, 16384},
     window(64 * k, 0, 18 * k)},
    {"--rw=read --size=18k --loops=2 --filename=64k-file",
     "read",
     18 * k,
     1,
     4 * k,
     [](auto& j) { j.loops = 2; },
     {9, 36864},
     window(64 * k, 0, 18 * k)},
    {"--rw=read --size=18k --io_size=36k --filename=64k-file",
     "read",
     18 * k,
     1,
     4 * k,
     [](auto& j) { io_size(j, 36 * k); },
     {9, 36864},
     window(64 * k, 0, 18 * k)},
    {"--rw=read --filesize=64k --size=18k", "read", 18 * k, 1, 4 * k, kNothing, {5, 20480}, window(64 * k, 0, 64 * k)},
    {"--rw=randread --filesize=64k --size=18k",
     "randread",
     18 * k,
     1,
     4 * k,
     kNothing,
     {5, 20480},
     window(64 * k, 0, 64 * k)},
    {"--rw=randread --filesize=64k --size=18k --offset=8k",
     "randread",
     18 * k,
     1,
     4 * k,
     kNothing,
     {5, 20480},
     window(64 * k, 8 * k, 56 * k)},
    {"--rw=read --filesize=16k --size=64k", "read", 64 * k, 1, 4 * k, kNothing, {4, 16384}, window(16 * k, 0, 16 * k)},
    {"--rw=randread --filesize=16k --size=64k --norandommap",
     "randread",
     64 * k,
     1,
     4 * k,
     [](auto& j) { j.norandommap = true; },
     {4, 16384},
     window(16 * k, 0, 16 * k)},
    {"--rw=randread --filesize=16k --size=64k --io_size=40k",
     "randread",
     64 * k,
     1,
     4 * k,
     [](auto& j) { io_size(j, 40 * k); },
     {10, 40960},
     window(16 * k, 0, 16 * k)},
    // Mixed block sizes: bytes only (ios 0). fio's map keeps blocks from repeating, so size is reached exactly.
    {"--rw=randread --size=64k --bsrange=4k-16k",
     "randread",
     64 * k,
     1,
     4 * k,
     [](auto& j) { j.bs_max.fill(16 * k); },
     {0, 65536}},
    {"--rw=read --size=64k --bsrange=4k-16k",
     "read",
     64 * k,
     1,
     4 * k,
     [](auto& j) { j.bs_max.fill(16 * k); },
     {0, 65536}},
    {"--rw=randread --size=64k --bssplit=4k/50:8k/50",
     "randread",
     64 * k,
     1,
     4 * k,
     [](auto& j) {
       j.bssplit[0] = {{4 * k, 50}, {8 * k, 50}}, j.bs_max.fill(8 * k);
     },
     {0, 65536}},
    {"--rw=read --size=64k --bssplit=4k/50:12k/50",
     "read",
     64 * k,
     1,
     4 * k,
     [](auto& j) {
       j.bssplit[0] = {{4 * k, 50}, {12 * k, 50}}, j.bs_max.fill(12 * k);
     },
     {0, 65536}},
};

TEST(StreamCounts, ios_and_bytes_match_fio) {
  for (const Fact& fact : kFacts) {
    SCOPED_TRACE(fact.fio);
    auto job = make_job(fact.rw, fact.size, fact.bs);
    fact.more(job);
    Count count;
    for (const auto& request : all_requests(job, fact.targets.empty() ? make_targets(job, fact.files) : fact.targets)) {
      count.ios += request.dir != io::Dir::sync ? 1 : 0;
      count.bytes += request.length;
    }
    if (fact.all.ios != 0) {
      EXPECT_EQ(count.ios, fact.all.ios);
    }
    EXPECT_EQ(count.bytes, fact.all.bytes);
  }
}

// --rw=write: sync.total_ios of fio.
TEST(StreamCounts, syncs_match_fio) {
  const auto syncs = [](job::Job job, std::uint32_t files) {
    std::uint64_t count = 0;
    for (const auto& request : all_requests(job, make_targets(job, files)))
      count += request.dir == io::Dir::sync ? 1 : 0;
    return count;
  };
  auto job = make_job("write", 32 * k);
  job.fsync_every = 4;
  EXPECT_EQ(syncs(job, 1), 1u);
  job.fsync_every = 1;
  EXPECT_EQ(syncs(job, 1), 7u);
  job = make_job("write", 64 * k);
  job.fsync_every = 3;
  EXPECT_EQ(syncs(job, 3), 5u);
  job = make_job("randwrite", 32 * k);
  job.fsync_every = 3;
  EXPECT_EQ(syncs(job, 2), 2u);
}

// --time_based --number_ios=20 --runtime=1: fio goes on to the end of the runtime.
TEST(StreamCounts, time_based_has_no_end) {
  for (const char* rw : {"read", "rw", "randrw", "randtrimwrite", "trimwrite"}) {
    SCOPED_TRACE(rw);
    auto job = make_job(rw, 32 * k);
    job.time_based = true;
    job.number_ios = 20;
    EXPECT_EQ(all_requests(job, make_targets(job), 0, 1000).size(), 1000u);
    EXPECT_EQ(all_requests(job, make_targets(job, 3), 0, 1000).size(), 1000u);
  }
}

TEST(StreamCounts, pass_bytes_is_what_a_pass_moves) {
  auto job = make_job("read", 32 * k);
  EXPECT_EQ(Stream(job, make_targets(job), 0).pass_bytes(), 32 * k);
  io_size(job, 48 * k);
  EXPECT_EQ(Stream(job, make_targets(job), 0).pass_bytes(), 48 * k);
  job.number_ios = 5;
  EXPECT_EQ(Stream(job, make_targets(job), 0).pass_bytes(), 20 * k);
  const auto trimwrite = make_job("trimwrite", 32 * k);
  EXPECT_EQ(Stream(trimwrite, make_targets(trimwrite), 0).pass_bytes(), 64 * k);
}

}  // namespace
}  // namespace fathom::workload::testing
