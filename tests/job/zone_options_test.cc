// zonemode=zbd: values that are read, combinations that are refused, and what the job resolves on its own.
#include "job/fields/offset_choice.h"

#include "job/resolve_control.h"
#include "job/support.h"

namespace fathom::job {
namespace {

const std::string kZbd = "zonemode=zbd\nzonesize=1m\nsize=4m\n";

const fields::ZonedDevice& zbd_of(const std::string& lines) {
  static Job job;
  job = one_job(lines);
  return std::as_const(job).of<fields::ZonedDevice>();
}
bool refused(const std::string& lines, const std::string& words) {
  return mistake(kZbd + lines).find(words) != std::string::npos;
}

TEST(ZoneOptions, are_read) {
  const auto& zones = zbd_of(kZbd +
                             "rw=randwrite\nzonecapacity=768k\nmax_open_zones=8\njob_max_open_zones=2\n"
                             "ignore_zone_limits=1\nread_beyond_wp=1\nzone_reset_threshold=0.5\n"
                             "zone_reset_frequency=0.25\nwrite_zone_remainder=1\n");
  EXPECT_TRUE(zones.used);
  EXPECT_EQ(zones.zone_bytes, 1u << 20);
  EXPECT_EQ(zones.capacity_bytes, 768u << 10);
  EXPECT_EQ(zones.max_open_zones, 8u);
  EXPECT_EQ(zones.job_max_open_zones, 2u);
  EXPECT_TRUE(zones.ignore_limits && zones.read_beyond_wp && zones.write_remainder);
  EXPECT_EQ(zones.reset_threshold, 0.5);
  EXPECT_EQ(zones.reset_frequency, 0.25);
  EXPECT_TRUE(one_job(kZbd + "rw=randwrite\nwrite_zone_remainder=1").norandommap);
  EXPECT_FALSE(one_job(kZbd).of<fields::StridedZones>().used) << "zonesize alone would be strided";
}

TEST(ZoneOptions, sizes_may_be_numbers_of_zones) {
  Job job = one_job("zonemode=zbd\nzonesize=1m\nrw=write\nsize=4z\noffset=2z\nio_size=8Z\nzoneskip=1z");
  EXPECT_EQ(job.size.bytes, 4u << 20);
  EXPECT_EQ(job.offset.bytes, 2u << 20);
  EXPECT_EQ(job.io_size.bytes, 8u << 20);
  EXPECT_EQ(std::as_const(job).of<fields::ZonedDevice>().skip_bytes, 1u << 20);
  job = one_job("zonemode=zbd\nrw=write\nsize=4z");
  EXPECT_STREQ(option_in_zones(job), "size") << "the device decides";
  count_zones_as(64, job);
  EXPECT_EQ(job.size.bytes, 256u);
  EXPECT_EQ(option_in_zones(job), nullptr);
  EXPECT_EQ(one_job("zonemode=strided\nzonesize=64k\nsize=4z").size.bytes, 4u << 16);
  EXPECT_NE(mistake("size=4z").find("without zones"), std::string::npos);
  EXPECT_NE(mistake("zonesize=1m\nsize=4.5z"), "");
}

// fio's texts, which its suite searches for.
TEST(ZoneOptions, mistakes_have_the_words_of_fio) {
  EXPECT_TRUE(refused("zone_reset_frequency=20", "value out of range"));
  EXPECT_TRUE(refused("zone_reset_threshold=0.1:0.2", "the list exceeding max length"));
  EXPECT_TRUE(refused("create_serialize=0", "--zonemode=zbd and --create_serialize=0 are not compatible"));
  EXPECT_TRUE(refused("rw=write\nverify=md5\nexperimental_verify=1", "not support experimental verify"));
  EXPECT_TRUE(refused("rw=write\nnorandommap=0\nwrite_zone_remainder=1", "requires norandommap=1"));
  EXPECT_TRUE(refused("rw=trim\nbsrange=64k-1m", "not allowed for trim with zonemode=zbd"));
  EXPECT_TRUE(refused("rw=write\nrecover_zbd_write_error=1", "works only when continue_on_error is set"));
  EXPECT_TRUE(refused("max_open_zones=5000", "4096"));
}

TEST(ZoneOptions, combinations_that_are_not_built_are_refused_by_name) {
  for (const auto* option : {"lockfile=exclusive", "io_submit_mode=offload", "verify=crc32c\nrw=write\nverify_only=1",
                             "verify=crc32c\nrw=write\ntime_based\nruntime=1"})
    EXPECT_TRUE(refused(option, "not built")) << option << "\n" << mistake(kZbd + option);
}

TEST(ZoneOptions, what_has_no_effect_is_listed) {
  EXPECT_EQ(one_job("size=1m\nmax_open_zones=4").ignored,
            (std::vector<std::string>{"max_open_zones without zonemode=zbd"}));
  EXPECT_EQ(one_job(kZbd + "zonerange=2m").ignored, (std::vector<std::string>{"zonerange with zonemode=zbd"}));
  EXPECT_EQ(one_job(kZbd + "rw=randwrite\nzoneskip=1m").ignored,
            (std::vector<std::string>{"zoneskip of a random job with zonemode=zbd"}));
  EXPECT_EQ(one_job(kZbd + "max_open_zones=2\njob_max_open_zones=1").notes,
            (std::vector<std::string>{"'job_max_open_zones' is valid only for write jobs"}));
}

}  // namespace
}  // namespace fathom::job
