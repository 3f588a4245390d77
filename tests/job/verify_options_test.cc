// verify= and the options that go with it, as they are read.
#include "job/verify.h"

#include <gtest/gtest.h>

#include "job/support.h"

namespace fathom::job {
namespace {

TEST(VerifyOptions, AMethodIsNamedAndFormatAndPlaceGoWithIt) {
  const auto job = one_job(
      "rw=write\nbs=8k\nverify=sha3-256\nverify_format=fio-3.33\nverify_offset=1k\nverify_interval=4k\n"
      "verify_pattern_interval=512\n");
  EXPECT_TRUE(job.verify);
  const auto& verify = job.of<VerifyOptions>();
  EXPECT_EQ(verify.method, "sha3-256");
  EXPECT_EQ(verify.format, VerifyFormat::fio_3_33);
  EXPECT_EQ(verify.offset, 1024u);
  EXPECT_EQ(verify.pattern_interval, 512u);
  EXPECT_EQ(job.verify_interval, 4096u);
  EXPECT_EQ(one_job("verify=md5\nverify=0").of<VerifyOptions>().method, "");
  EXPECT_EQ(one_job("verify=md5").of<VerifyOptions>().format, VerifyFormat::fio_3_42);
}

TEST(VerifyOptions, APatternAloneAsksForAHeaderAndItself) {
  const auto job = one_job("rw=write\nverify_pattern=0xdead%o\"ab\"%o");
  EXPECT_TRUE(job.verify);
  EXPECT_EQ(job.of<VerifyOptions>().method, "");
  const auto& parts = job.of<VerifyOptions>().pattern_parts;
  ASSERT_EQ(parts.size(), 4u);
  EXPECT_EQ(parts[0].text, "\xde\xad");
  EXPECT_TRUE(parts[1].is_offset);
  EXPECT_EQ(parts[2].text, "ab");
  EXPECT_TRUE(parts[3].is_offset);
  EXPECT_FALSE(one_job("rw=write\nverify=0\nverify_pattern=0xff").verify) << "that it is off was said";
}

}  // namespace
}  // namespace fathom::job
