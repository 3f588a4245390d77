// The job text of a result gives the jobs of the run: each of its command lines is parsed, described, written and parsed
// again.
#include "bundle/job_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "bundle/made_run.h"
#include "job/fields/process_options.h"

namespace fathom::bundle {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;
using Words = std::vector<std::string>;

std::string text_of(const job::JobSet& jobs) {
  const auto made = job_text(run_of(jobs));
  EXPECT_TRUE(made.ok()) << made.error().what;
  return made ? made->text : std::string();
}

job::JobSet again(const job::JobSet& jobs) { return jobs_of({"job.fio"}, {{"job.fio", text_of(jobs)}}); }

// Values that depend on all that a job file can say.
void expect_same(const job::JobSet& a, const job::JobSet& b) {
  ASSERT_EQ(a.jobs.size(), b.jobs.size());
  for (std::size_t i = 0; i < a.jobs.size(); ++i) {
    const auto &x = a.jobs[i], &y = b.jobs[i];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.section_name, y.section_name) << i;
    EXPECT_EQ(x.description, y.description) << i;
    EXPECT_EQ(x.group_id, y.group_id) << i;
    EXPECT_EQ(x.subjob, y.subjob) << i;
    EXPECT_EQ(x.section, y.section) << i;
    EXPECT_EQ(x.stonewall, y.stonewall) << i;
    EXPECT_EQ(x.filenames, y.filenames) << i;
    EXPECT_EQ(x.rw_name, y.rw_name) << i;
    EXPECT_EQ(x.bs_min, y.bs_min) << i;
    EXPECT_EQ(x.size.bytes, y.size.bytes) << i;
    EXPECT_EQ(x.iodepth, y.iodepth) << i;
    EXPECT_EQ(x.ioengine, y.ioengine) << i;
    EXPECT_EQ(x.thread, y.thread) << i;
    EXPECT_EQ(x.runtime_ns, y.runtime_ns) << i;
  }
}

void expect_kept(const Words& args, const Files& files = {}) {
  const auto jobs = jobs_of(args, files);
  SCOPED_TRACE(text_of(jobs));
  expect_same(jobs, again(jobs));
}

TEST(JobText, AJobFileComesBack) {
  expect_kept({"a.fio"}, {{"a.fio",
                           "[global]\nbs=8k\nioengine=null\nsize=1m\n[a]\nrw=randread\nnumjobs=3\ngroup_reporting\n"
                           "[b]\nstonewall\niodepth=4\nthread\n"}});
}

TEST(JobText, ACommandLineComesBack) {
  expect_kept({"--ioengine=null", "--size=1m", "--name=x", "--bs=8k", "--name=y", "--rw=randwrite", "--set=iodepth=7"});
  expect_kept({"--name=global", "--bs=8k", "--name=x", "--size=1m"});
}

TEST(JobText, SeveralFilesHaveTheirOwnGlobals) {
  const Files files = {{"a.fio", "[global]\nbs=8k\nsize=1m\n[a]\n[a2]\n"},
                       {"b.fio", "[global]\nrw=write\nsize=2m\n[b]\n"},
                       {"c.fio", "[c]\nsize=3m\n"}};
  expect_kept({"a.fio", "b.fio"}, files);
  expect_kept({"a.fio", "b.fio", "c.fio"}, files);
  expect_kept({"--bs=16k", "--name=z", "--size=1m", "a.fio", "c.fio"}, files);
}

TEST(JobText, ALaterGlobalDoesNotApplyToEarlierJobs) {
  expect_kept({"a.fio"}, {{"a.fio", "[global]\nsize=1m\nbs=8k\n[a]\n[global]\nbs=16k\nrw=write\n[b]\nnew_group\n"}});
}

TEST(JobText, EveryFilenameCounts) {
  expect_kept({"a.fio"}, {{"a.fio", "[global]\nfilename=g1\nsize=1m\n[a]\nfilename=a1\nfilename=a2:a3\n[b]\n"}});
}

TEST(JobText, ARenamedJobKeepsItsSection) {
  expect_kept({"a.fio"}, {{"a.fio", "[s]\nname=n\nsize=1m\n[t]\nsize=1m\n"}});
}

TEST(JobText, OnlyTheSelectedSectionsAreWritten) {
  const auto jobs = jobs_of({"--section=b", "a.fio"}, {{"a.fio", "[a]\nsize=1m\n[b]\nsize=2m\n[c]\nsize=3m\n"}});
  EXPECT_THAT(text_of(jobs), Not(HasSubstr("[a]")));
  expect_same(jobs, again(jobs));
}

TEST(JobText, VariablesAreReplaced) {
  const auto jobs = jobs_of({"a.fio"}, {{"a.fio", "[a]\nfilename=${HERE}\nsize=8*$pagesize\nrw=write\n"}});
  EXPECT_THAT(text_of(jobs), HasSubstr("filename=x.dat\n"));
  expect_same(jobs, again(jobs));
}

TEST(JobText, IncludedFilesAreInTheText) {
  const Files files = {{"a.fio", "[a]\ninclude b.inc\nsize=1m\n"}, {"b.inc", "bs=64k\n"}};
  EXPECT_THAT(text_of(jobs_of({"a.fio"}, files)), Not(HasSubstr("include")));
  expect_kept({"a.fio"}, files);
}

TEST(JobText, AnEmptyTextStaysEmpty) { expect_kept({"--name=a", "--description=", "--size=1m"}); }

TEST(JobText, GroupReportingHasTheSingleJobs) {
  auto run = run_of(jobs_of({"a.fio"}, {{"a.fio", "[a]\nsize=1m\nnumjobs=2\n[b]\nsize=2m\n"}}));
  run.group_members = run.jobs;
  auto sum = run.jobs[0];
  sum.members = 3;
  run.jobs = {sum};
  const auto made = job_text(run);
  ASSERT_TRUE(made.ok());
  EXPECT_THAT(made->text, HasSubstr("\n[a]\nsize=1m\nnumjobs=2\n\n[b]\nsize=2m\n"));
}

TEST(JobText, PermissionsAreOmittedAndNamed) {
  const auto jobs = jobs_of(
      {"a.fio"}, {{"a.fio", "[global]\nallow_mounted_write=1\n[a]\nsize=1m\n[b]\nsize=1m\nallow_mounted_write=0\n"}});
  const auto made = job_text(run_of(jobs));
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(made->omitted, Words{"[global] allow_mounted_write=1"});
  EXPECT_THAT(made->text, HasSubstr("# Omitted, because it permits writes: [global] allow_mounted_write=1\n"));
  EXPECT_THAT(made->text, Not(HasSubstr("\nallow_mounted_write=1\n")));
}

// A job file has no form for these.
TEST(JobText, ValuesThatAJobFileCannotHaveAreRefused) {
  for (const std::string value : {"a; b", "a # b", "a\nb", " a", "a ", "${HOME}"}) {
    auto run = run_of(jobs_of({"--name=a", "--size=1m"}));
    run.jobs[0].options.emplace_back("exec_prerun", value);
    const auto made = job_text(run);
    ASSERT_FALSE(made.ok()) << value;
    EXPECT_THAT(made.error().what, HasSubstr("a job file cannot have `exec_prerun=")) << value;
    EXPECT_EQ(made.error().kind, base::ErrorKind::usage);
  }
  for (const std::string name : {"a]b", "a\nb", " a", "", "global"}) {
    auto run = run_of(jobs_of({"--name=a", "--size=1m"}));
    run.jobs[0].name = name;
    EXPECT_FALSE(job_text(run).ok() && name != "global") << name;
  }
}

// A value must not become a line of its own.
TEST(JobText, AValueCannotAddAnOption) {
  auto run = run_of(jobs_of({"--name=a", "--size=1m"}));
  run.jobs[0].options.emplace_back("description", "x\nexec_prerun=sync");
  EXPECT_FALSE(job_text(run).ok());
  run = run_of(jobs_of({"--name=a", "--size=1m"}));
  run.program.argv = {"a\nexec_prerun=sync", "\x1b[2J"};
  const auto made = job_text(run);
  ASSERT_TRUE(made.ok());
  EXPECT_EQ(again(jobs_of({"--name=a", "--size=1m"})).jobs[0].of<job::fields::ProcessOptions>().exec_prerun, "");
  EXPECT_THAT(made->text, Not(HasSubstr("\nexec_prerun")));
  EXPECT_THAT(made->text, Not(HasSubstr("\x1b")));
}

TEST(JobText, AResultWithoutJobsIsRefused) {
  EXPECT_FALSE(job_text(result::Run()).ok());
  result::Run paging;
  paging.paging.emplace();
  EXPECT_THAT(job_text(paging).error().what, HasSubstr("fathom paging"));
}

}  // namespace
}  // namespace fathom::bundle
