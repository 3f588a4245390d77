// Sequential orders, holes, round robin and the position of syncs, against the logs of `fio --write_iolog` (fio 3.33,
// psync). The fio command line stands beside each row. Random orders are our own; here only what does not depend on
// them.
#include <gtest/gtest.h>

#include "job/fields/files.h"
#include "job/fields/offset_choice.h"
#include "workload/make_job.h"

namespace fathom::workload::testing {
namespace {

std::string log_for(const job::Job& job, std::uint32_t files = 1) {
  return log_of(all_requests(job, make_targets(job, files)), files > 1);
}

TEST(StreamOrder, sequential_leaves_the_tail_of_the_file) {  // --rw=read --size=18k --bs=4k
  EXPECT_EQ(log_for(make_job("read", 18 * k)), "r0+4 r4+4 r8+4 r12+4");
}

TEST(StreamOrder,
     sequential_ends_past_the_window_while_the_file_goes_on) {  // --filename=64k-file --rw=read --size=18k --bs=4k
  const auto job = make_job("read", 18 * k);
  EXPECT_EQ(log_of(all_requests(job, window(64 * k, 0, 18 * k))), "r0+4 r4+4 r8+4 r12+4 r16+4");
  const auto with_offset = make_job("read", 10 * k);  // --size=10k --offset=4k
  EXPECT_EQ(log_of(all_requests(with_offset, window(64 * k, 4 * k, 10 * k))), "r4+4 r8+4 r12+4");
}

TEST(StreamOrder, size_bounds_the_window_of_a_larger_file) {  // --rw=read --size=18k --filesize=64k --offset=8k --bs=4k
  const auto job = make_job("read", 18 * k);
  EXPECT_EQ(log_of(all_requests(job, window(64 * k, 8 * k, 56 * k))), "r8+4 r12+4 r16+4 r20+4 r24+4");
}

TEST(StreamOrder, sequential_add_skips_and_wraps_as_fio_does) {
  auto job = make_job("read", 32 * k);
  job.mode.sequential_add = 4 * k;  // --rw=read:4k --size=32k
  EXPECT_EQ(log_for(job), "r0+4 r8+4 r16+4 r24+4 r0+4 r8+4 r16+4 r24+4");
  job.mode.sequential_add = -8 * static_cast<std::int64_t>(k);  // --rw=read:-8k --size=32k
  EXPECT_EQ(log_for(job), "r0+4 r24+4 r20+4 r16+4 r12+4 r8+4 r4+4 r0+4");
  job = make_job("read", 36 * k);
  job.mode.sequential_add = 8 * k;  // --rw=read:8k --size=36k
  EXPECT_EQ(log_for(job), "r0+4 r12+4 r24+4 r0+4 r12+4 r24+4 r0+4 r12+4 r24+4");
  job = make_job("read", 16 * k);
  job.mode.sequential_add = 1 * k;  // --rw=read:1k --size=16k
  EXPECT_EQ(log_for(job), "r0+4 r5+4 r10+4");
}

TEST(StreamOrder, sequential_add_with_offset_stays_in_the_window) {
  auto job = make_job("read", 24 * k);
  job.mode.sequential_add = 8 * k;  // --rw=read:8k --size=24k --filesize=48k
  EXPECT_EQ(log_of(all_requests(job, window(48 * k, 0, 48 * k))), "r0+4 r12+4 r24+4 r36+4 r0+4 r12+4");
  // ... --offset=8k
  EXPECT_EQ(log_of(all_requests(job, window(48 * k, 8 * k, 40 * k))), "r8+4 r20+4 r32+4 r44+4");
  job.mode.sequential_add = -8 * static_cast<std::int64_t>(k);  // --rw=read:-8k --offset=8k
  EXPECT_EQ(log_of(all_requests(job, window(48 * k, 8 * k, 40 * k))), "r32+4 r28+4 r24+4 r20+4 r16+4 r12+4");
  job = make_job("read", 32 * k);
  job.mode.sequential_add = -4 * static_cast<std::int64_t>(k);  // --rw=read:-4k --size=32k --filesize=48k --offset=16k
  EXPECT_EQ(log_of(all_requests(job, window(48 * k, 16 * k, 32 * k))),
            "r28+4 r28+4 r28+4 r28+4 r28+4 r28+4 r28+4 r28+4");
}

// A reader follows the verify state of a writer, as in fio.
TEST(StreamOrder, a_random_job_goes_one_way_whatever_it_does) {
  const auto places = [](const std::string& rw, auto change) {
    auto job = make_job(rw, 256 * k);
    change(job);
    std::vector<std::uint64_t> offsets;
    for (const auto& request : all_requests(job, make_targets(job))) offsets.push_back(request.offset);
    return offsets;
  };
  const auto plain = [](job::Job&) {};
  const auto sizes = [](job::Job& job) { job.bs_max.fill(16 * k); };
  const auto lfsr = [](job::Job& job) {
    job.own.get<job::fields::OffsetChoice>().generator = job::fields::Generator::lfsr;
  };
  const auto mapless = [](job::Job& job) { job.norandommap = true; };
  const auto all = [&](auto change) {
    EXPECT_EQ(places("randwrite", change), places("randread", change));
    EXPECT_EQ(places("randtrim", change), places("randread", change));
  };
  all(plain);
  all(sizes);
  all(lfsr);
  all(mapless);
}

// fio 3.33 repeats a pass over its random map, whether loops= or an io_size= above size= asks for it, but for
// randrepeat=0; without a map the numbers go on.
TEST(StreamOrder, passes_of_loops_and_of_io_size_have_one_order) {
  for (const std::string rw : {"randread", "randrw"}) {
    auto looped = make_job(rw, 64 * k), larger = looped;
    looped.loops = 3;
    larger.io_size = {192 * k, 0, true};
    const auto log = log_for(looped);
    EXPECT_EQ(log_for(larger), log) << rw;
    const auto pass = log_for(make_job(rw, 64 * k));
    EXPECT_EQ(log, pass + " " + pass + " " + pass) << rw;
    looped.norandommap = larger.norandommap = true;
    const auto mapless = log_for(looped);
    EXPECT_EQ(log_for(larger), mapless) << rw;
    EXPECT_EQ(mapless.find(mapless.substr(0, pass.size() / 2), 1), std::string::npos) << rw << ": no pass is repeated";
    looped.norandommap = larger.norandommap = false;
    looped.randrepeat = larger.randrepeat = false;
    for (const auto& job : {looped, larger}) {
      const auto passes = log_for(job);
      EXPECT_NE(passes.substr(pass.size() / 2), passes.substr(0, passes.size() - pass.size() / 2)) << rw;
    }
  }
}

TEST(StreamOrder, a_pass_that_is_repeated_takes_its_files_in_the_same_turn) {
  using job::fields::FileOrder;
  for (const auto order : {FileOrder::roundrobin, FileOrder::sequential, FileOrder::random}) {
    auto job = make_job("randread", 128 * k);
    auto& files = job.own.get<job::fields::FileOptions>();
    files.order = order;
    files.ios_a_turn = 3;
    const auto pass = log_for(job, 2);
    job.loops = 2;
    EXPECT_EQ(log_for(job, 2), pass + " " + pass);
  }
}

TEST(StreamOrder, io_size_larger_than_size_starts_over) {  // --rw=read --size=32k --io_size=48k
  auto job = make_job("read", 32 * k);
  job.io_size = {48 * k, 0, true};
  EXPECT_EQ(log_for(job), "r0+4 r4+4 r8+4 r12+4 r16+4 r20+4 r24+4 r28+4 r0+4 r4+4 r8+4 r12+4");
}

TEST(StreamOrder, files_take_turns) {  // --rw=read --size=56k --nrfiles=4: files of 14k
  const auto job = make_job("read", 56 * k);
  EXPECT_EQ(log_for(job, 4), "0:r0+4 1:r0+4 2:r0+4 3:r0+4 0:r4+4 1:r4+4 2:r4+4 3:r4+4 0:r8+4 1:r8+4 2:r8+4 3:r8+4");
}

TEST(StreamOrder, a_sync_takes_a_turn) {  // --rw=write --size=64k --nrfiles=3 --fsync=3
  auto job = make_job("write", 64 * k);
  job.fsync_every = 3;
  EXPECT_EQ(
      log_for(job, 3),
      "0:w0+4 1:w0+4 2:w0+4 0:s 1:w4+4 2:w4+4 0:w4+4 1:s 2:w8+4 0:w8+4 1:w8+4 2:s 0:w12+4 1:w12+4 2:w12+4 0:s 1:w16+4 "
      "2:w16+4 0:w16+4 1:s");
}

TEST(StreamOrder, syncs_come_before_the_next_write_and_not_after_the_last) {
  auto job = make_job("write", 32 * k);
  job.fsync_every = 4;  // --fsync=4
  EXPECT_EQ(log_for(job), "w0+4 w4+4 w8+4 w12+4 s w16+4 w20+4 w24+4 w28+4");
  job.fsync_every = 3;
  job.fdatasync_every = 2;  // --fsync=3 --fdatasync=2
  EXPECT_EQ(log_for(job), "w0+4 w4+4 d w8+4 s w12+4 d w16+4 w20+4 s w24+4 w28+4");
  const auto larger_file = make_job("write", 18 * k);
  auto in_window = larger_file;  // --filename=64k-file --size=18k --fsync=2
  in_window.fsync_every = 2;
  EXPECT_EQ(log_of(all_requests(in_window, window(64 * k, 0, 18 * k))), "w0+4 w4+4 s w8+4 w12+4 s w16+4");
}

TEST(StreamOrder, the_count_of_writes_runs_on_over_loops) {  // --rw=write --size=16k --fsync=3 --loops=3
  auto job = make_job("write", 16 * k);
  job.fsync_every = 3;
  job.loops = 3;
  EXPECT_EQ(log_for(job), "w0+4 w4+4 w8+4 s w12+4 w0+4 w4+4 s w8+4 w12+4 w0+4 s w4+4 w8+4 w12+4");
}

TEST(StreamOrder, number_ios_counts_no_syncs) {  // --rw=write --size=16k --fsync=2 --number_ios=3
  auto job = make_job("write", 16 * k);
  job.fsync_every = 2;
  job.number_ios = 3;
  EXPECT_EQ(log_for(job), "w0+4 w4+4 s w8+4");
}

TEST(StreamOrder, trimwrite_trims_then_writes) {  // --rw=trimwrite --size=16k --ioengine=null
  EXPECT_EQ(log_for(make_job("trimwrite", 16 * k)), "t0+4 w0+4 t4+4 w4+4 t8+4 w8+4 t12+4 w12+4");
  // --nrfiles=2
  EXPECT_EQ(log_for(make_job("trimwrite", 16 * k), 2), "0:t0+4 1:t0+4 0:w0+4 1:w0+4 0:t4+4 1:t4+4 0:w4+4 1:w4+4");
}

TEST(StreamOrder, mixed_sequential_directions_keep_a_position_each) {  // --rw=rw --size=1m
  std::uint64_t expected[2] = {0, 0};
  for (const auto& request : all_requests(make_job("rw", 1024 * k), make_targets(make_job("rw", 1024 * k)))) {
    EXPECT_EQ(request.offset, expected[io::index(request.dir)]);
    expected[io::index(request.dir)] += 4 * k;
  }
  EXPECT_EQ(expected[0] + expected[1], 1024 * k);
}

// --rw=randread:4 --size=64k: an offset drawn, then three that follow on (0 4 8 12 | 44 48 52 56 | 52 56 60, at the end
// a new one).
TEST(StreamOrder, random_sequencer_draws_every_nth) {
  auto job = make_job("randread", 1024 * k);
  job.mode.sequence = 4;
  const auto requests = all_requests(job, make_targets(job));
  ASSERT_EQ(requests.size(), 256u);
  std::uint64_t drawn = 0;
  for (std::size_t i = 0; i < requests.size(); ++i) {
    const bool follows = i % 4 != 0 && requests[i].offset == requests[i - 1].offset + 4 * k;
    const bool at_the_end = i % 4 != 0 && requests[i - 1].offset == 1020 * k;
    EXPECT_TRUE(i % 4 == 0 || follows || at_the_end) << i;
    drawn += follows ? 0 : 1;
  }
  EXPECT_GE(drawn, 64u);
  EXPECT_LT(drawn, 68u);
}

TEST(StreamOrder, identical_sequencer_repeats_each_offset) {  // --rw=randread:4 --rw_sequencer=identical --size=64k
  auto job = make_job("randread", 64 * k);
  job.mode.sequence = 4;
  job.sequencer = job::Sequencer::identical;
  const auto requests = all_requests(job, make_targets(job));
  ASSERT_EQ(requests.size(), 16u);
  for (std::size_t i = 0; i < 16; ++i) EXPECT_EQ(requests[i].offset, requests[i / 4 * 4].offset);
}

TEST(StreamOrder,
     directions_of_a_time_based_mix_wrap_separately) {  // --filename=64k-file --rw=rw --size=18k --time_based
  auto job = make_job("rw", 18 * k);
  job.time_based = true;
  std::uint64_t expected[2] = {0, 0};
  for (const auto& request : all_requests(job, window(64 * k, 0, 18 * k), 0, 1000)) {
    EXPECT_EQ(request.offset, expected[io::index(request.dir)]);
    expected[io::index(request.dir)] = (expected[io::index(request.dir)] + 4 * k) % (20 * k);
  }
}

}  // namespace
}  // namespace fathom::workload::testing
