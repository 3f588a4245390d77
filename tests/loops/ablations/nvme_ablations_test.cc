// Which ablations of the nvme loop there are, and what is said of those that there are not. That they move data is in
// nvme_flow_test.cc, and what a program without them says in tests/nvme_cli/.
#include <gtest/gtest.h>

#include "engine/userspace/nvme_policy.h"
#include "loops/flow.h"
#include "loops/nvme.h"

namespace fathom::loops {
namespace {

job::Job job_of(const std::string& text) {
  const auto jobs = parse_jobs("[n]\nioengine=nvme\nthread\nfilename=soft:ideal\nclocksource=cpu\nsize=1m\n" + text);
  return jobs.jobs.at(0);
}
std::string cause_of(const std::string& text) {
  const auto ok = check_job(job_of(text));
  return ok.ok() ? "" : ok.error().cause;
}

TEST(NvmeAblations, EachIsAPolicyOfItsOwn) {
  const auto rows = nvme_ablation_rows();
  EXPECT_EQ(rows.size(), 13u);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    EXPECT_NE(rows[i].policy, engine::userspace::kPlainPolicy) << i;
    EXPECT_NE(rows[i].policy, engine::userspace::kDeepPolicy) << i;
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(rows[i].policy, rows[j].policy) << i << " " << j;
  }
}

TEST(NvmeAblations, OneTrickAtATimeAndInThePlainFormOnly) {
  EXPECT_EQ(cause_of("iodepth=8\nnvme_divide=1"), "");
  EXPECT_EQ(cause_of("iodepth=4\nnvme_divide=1\nnvme_sq_copy=nontemporal"), "");
  for (const char* text : {"iodepth=8\nnvme_sq_doorbell=command\nnvme_divide=1", "iodepth=4\nnvme_divide=1"})
    EXPECT_NE(cause_of(text).find("one optimization at a time"), std::string::npos) << text;
  for (const char* text : {"rate_iops=1000", "thinktime=1ms", "rw=write\nfilename=soft\nverify=crc32c", "gtod_reduce=1",
                           "rw=write\nfill=random", "clocksource=clock_gettime"})
    EXPECT_NE(cause_of(std::string("iodepth=8\nnvme_divide=1\n") + text).find("without a rate"), std::string::npos)
        << text;
}

TEST(NvmeAblations, TheOptionThatAsksForOneIsNamed) {
  const struct {
    const char *text, *option;
  } cases[] = {
      {"", ""},
      {"nvme_sq_copy=words", ""},
      {"nvme_sq_copy=nontemporal", ""},
      {"nvme_lookahead=next\nnvme_cq_read=line", ""},
      {"nvme_queue_entries=64", ""},
      {"nvme_sq_copy=sse2", "nvme_sq_copy"},
      {"nvme_sq_doorbell=command", "nvme_sq_doorbell"},
      {"nvme_cq_doorbell=lazy", "nvme_cq_doorbell"},
      {"nvme_lookahead=next", "nvme_lookahead"},
      {"nvme_lookahead=none", "nvme_lookahead"},
      {"nvme_cq_read=entry", "nvme_cq_read"},
      {"nvme_context=request", "nvme_context"},
      {"nvme_cqe_bytes=64", "nvme_cqe_bytes"},
      {"nvme_trackers=page", "nvme_trackers"},
      {"nvme_divide=1", "nvme_divide"},
  };
  for (const auto& [text, option] : cases)
    for (const char* depth : {"1", "32"}) {
      const auto job = job_of(std::string(text) + "\niodepth=" + depth);
      EXPECT_EQ(engine::userspace::ablation_option(job.engine), option) << text;
    }
}

}  // namespace
}  // namespace fathom::loops
