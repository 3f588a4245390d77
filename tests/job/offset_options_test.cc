// Options of which offset and size comes next: values that are read, and those that are refused.
#include "job/fields/offset_choice.h"

#include "job/support.h"

namespace fathom::job {
namespace {

const fields::OffsetChoice& choice_of(const std::string& lines) {
  static Job job;
  job = one_job(lines);
  return std::as_const(job).of<fields::OffsetChoice>();
}
const fields::StridedZones& zones_of(const std::string& lines) {
  static Job job;
  job = one_job(lines);
  return std::as_const(job).of<fields::StridedZones>();
}

TEST(OffsetOptions, are_read) {
  EXPECT_EQ(choice_of("size=1m").generator, fields::Generator::own);
  EXPECT_EQ(choice_of("size=1m\nrandom_generator=tausworthe").generator, fields::Generator::tausworthe);
  EXPECT_EQ(choice_of("size=1m\nrandom_generator=lfsr").generator, fields::Generator::lfsr);
  EXPECT_EQ(choice_of("size=1m\npercentage_random=50,20").percentage_random, (PerDir<unsigned>{50, 20, 20}));
  EXPECT_TRUE(choice_of("size=1m\nbs_is_seq_rand=1").bs_is_seq_rand);
  EXPECT_EQ(choice_of("size=1m\noffset_align=64k").offset_align, 65536u);
  EXPECT_EQ(choice_of("size=1m\nrw=randread\nrandom_distribution=sequence:0,3,1").sequence,
            (std::vector<std::uint64_t>{0, 3, 1}));
  EXPECT_TRUE(choice_of("size=1m\nrandom_distribution=sequence:1\nrandom_distribution=random").sequence.empty());
}

TEST(OffsetOptions, unset_zone_options_follow_from_the_others) {
  EXPECT_FALSE(zones_of("size=1m").used);
  EXPECT_TRUE(zones_of("size=1m\nzonesize=64k").used) << "a size without a mode";
  EXPECT_EQ(zones_of("size=1m\nzonemode=strided\nzonesize=64k").range_bytes, 65536u);
  EXPECT_EQ(zones_of("size=1m\nzonemode=strided\nzonesize=64k\nzonerange=1m").range_bytes, 1u << 20);
  EXPECT_EQ(zones_of("size=1m\nzonesize=64k\nzoneskip=8k").skip_bytes, 8192u);
}

TEST(OffsetOptions, sprandom_says_what_it_needs_and_sets_io_size) {
  const std::string whole = "rw=randwrite\nsprandom=1\nrandom_generator=lfsr\nnorandommap=1\n";
  const Job job = one_job("size=1m\nspr_op=0.25\nspr_num_regions=7\nspr_cs=64k\n" + whole);
  EXPECT_TRUE(job.of<fields::SpRandom>().used);
  EXPECT_EQ(job.of<fields::SpRandom>().regions, 7u);
  EXPECT_EQ(job.of<fields::SpRandom>().cache_bytes, 65536u);
  EXPECT_DOUBLE_EQ(job.io_size.percent, 125);
  EXPECT_EQ(one_job("size=1m\nio_size=2m\n" + whole).io_size.bytes, 2u << 20) << "who writes it means it";
  EXPECT_DOUBLE_EQ(one_job("size=1m\nspr_op=0.5").io_size.percent, 0) << "without sprandom";
  EXPECT_NE(mistake("rw=randrw\nsprandom=1").find("random writes"), std::string::npos);
  const Job alone = one_job("size=1m\nrw=randwrite\nsprandom=1");
  EXPECT_EQ(alone.of<fields::OffsetChoice>().generator, fields::Generator::lfsr);
  EXPECT_TRUE(alone.norandommap);
  EXPECT_EQ(alone.notes,
            (std::vector<std::string>{"sprandom=1: random_generator=lfsr is set", "sprandom=1: norandommap=1 is set"}));
  EXPECT_TRUE(one_job("size=1m\n" + whole).notes.empty());
  EXPECT_NE(mistake("rw=randwrite\nsprandom=1\nrandom_generator=tausworthe").find("random generator to be lfsr"),
            std::string::npos);
  EXPECT_NE(mistake("rw=randwrite\nsprandom=1\nnorandommap=0").find("norandommap=1"), std::string::npos);
  EXPECT_NE(mistake(whole + "bsrange=4k-8k").find("one block size"), std::string::npos);
  EXPECT_NE(mistake(whole + "random_distribution=zipf").find("another order"), std::string::npos);
  EXPECT_NE(mistake("spr_op=1.5"), "");
}

TEST(OffsetOptions, num_range_applies_to_trims_of_command_engines) {
  EXPECT_EQ(choice_of("size=1m").num_range, 1u);
  EXPECT_EQ(choice_of("size=1m\nrw=randtrim\nioengine=io_uring_cmd\nnum_range=8").num_range, 8u);
  EXPECT_FALSE(one_job("size=1m\nrw=read\nnum_range=8").ignored.empty());
  EXPECT_NE(mistake("rw=trim\nnum_range=8").find("one range"), std::string::npos);
  EXPECT_NE(mistake("rw=trimwrite\nioengine=io_uring_cmd\nnum_range=8").find("follows each trim"), std::string::npos);
  EXPECT_NE(mistake("rw=trim\nioengine=io_uring_cmd\nnum_range=256\nbs=8m").find("2 GiB"), std::string::npos);
  EXPECT_NE(mistake("rw=trim\nioengine=io_uring_cmd\nnum_range=257"), "");
}

TEST(OffsetOptions, mistakes_say_what_to_write) {
  EXPECT_NE(mistake("zonemode=strided").find("--zonesize must be specified when using --zonemode=strided"),
            std::string::npos);
  EXPECT_NE(mistake("zonemode=none\nzonesize=4k").find("--zonemode=none and --zonesize are not compatible"),
            std::string::npos);
  EXPECT_NE(mistake("zonesize=2k").find("is smaller than a block"), std::string::npos);
  EXPECT_NE(mistake("random_generator=mersenne").find("not a value of"), std::string::npos);
  EXPECT_NE(mistake("random_distribution=sequence").find("blocks are missing"), std::string::npos);
  EXPECT_NE(mistake("random_distribution=sequence:1,x"), "");
  EXPECT_NE(mistake("percentage_random=101"), "");
}

}  // namespace
}  // namespace fathom::job
