// A worker's Error reaches the result with its remedy and its place, whether the worker is a thread or a process.
#include "run/records/setup_error.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <thread>

#include "base/system/shared_memory.h"
#include "run/outcome/collect.h"

namespace fathom::run::records {
namespace {

using ::testing::EndsWith;
using ::testing::HasSubstr;

base::Error refused() {
  auto e = base::system_error("open `" + std::string(600, 'p') + "`", EACCES);
  e.cause = "it is another's";
  e.help = "run as a user with permission to read it";
  return e;
}

files::Plan plan() {
  files::Plan plan;
  plan.job.name = "j";
  plan.job.place = base::SourcePlace{"a.fio", 3, 2, "[j]", 1};
  return plan;
}

result::IoError only_error(const WorkerRecord& record) {
  const auto job = outcome::collect_job(plan(), 0, record, sampling::WorkerSeries(), result::ClockFacts{}, "fathom");
  EXPECT_EQ(job.errors.size(), 1u);
  return job.errors.empty() ? result::IoError{} : job.errors[0];
}

void expect_whole(const WorkerRecord& record) {
  const auto error = only_error(record);
  EXPECT_EQ(error.err, EACCES);
  EXPECT_EQ(error.op, "setup");
  EXPECT_EQ(error.what, refused().what);
  EXPECT_EQ(error.cause, refused().cause);
  EXPECT_EQ(error.remedy, refused().help);
  EXPECT_EQ(error.place, (result::Place{"a.fio", 3, 2}));
  EXPECT_FALSE(error.offset_bytes);
  EXPECT_FALSE(error.length_bytes);
  EXPECT_THAT(error.message, HasSubstr("fathom: pid=0, err=13/open `ppp"));
  EXPECT_THAT(error.message, EndsWith("; run as a user with permission to read it, job=j"));
}

TEST(SetupError, OfAProcessReachesTheResultWhole) {
  base::system::SharedArray<WorkerRecord> records(2);
  const auto child = ::fork();
  if (child == 0) {
    record_setup_error(records[1], refused(), EINVAL);
    ::_exit(0);
  }
  ::waitpid(child, nullptr, 0);
  expect_whole(records[1]);
}

TEST(SetupError, OfAThreadReachesTheResultWhole) {
  base::system::SharedArray<WorkerRecord> records(1);
  std::thread([&] { record_setup_error(records[0], refused(), EINVAL); }).join();
  expect_whole(records[0]);
}

// A mistake in a line of the text has its place, not that of the job.
TEST(SetupError, AnErrorWithItsOwnSourcePlaceKeepsIt) {
  base::system::SharedArray<WorkerRecord> records(1);
  auto error = refused();
  error.place = base::SourcePlace{"a.fio", 7, 11, "directory=x", 1};
  record_setup_error(records[0], error, EINVAL);
  EXPECT_EQ(only_error(records[0]).place, (result::Place{"a.fio", 7, 11}));
}

// What the loops write down themselves is a line without an Error.
TEST(SetupError, AMessageWithoutAnErrorHasNoRemedy) {
  base::system::SharedArray<WorkerRecord> records(1);
  write_down(*records[0].add_error(EIO), "submitting");
  const auto error = only_error(records[0]);
  EXPECT_EQ(error.what, "submitting");
  EXPECT_EQ(error.remedy, "");
  EXPECT_EQ(error.message, "fathom: pid=0, err=5/submitting, job=j");
}

}  // namespace
}  // namespace fathom::run::records
