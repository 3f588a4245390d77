// A history in a file: what was added is read back; names of runs; files that are no history, newer, damaged, locked or
// cannot be written.
#include "history/store.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>

#include "history/temporary_history.h"

namespace fathom::history {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

class StoreTest : public TemporaryHistory {
 protected:
  Store made(const std::string& name = "history.db") {
    auto store = Store::open_to_add(path(name));
    EXPECT_TRUE(store.ok()) << store.error().what;
    return std::move(*store);
  }
  base::Error refused(const std::string& name = "history.db") {
    const auto store = Store::open_to_add(path(name));
    EXPECT_FALSE(store.ok());
    return store ? base::Error() : store.error();
  }
  void execute(const char* sql) {
    auto database = Database::open(path(), Database::Access::existing);
    ASSERT_TRUE(database.ok());
    ASSERT_TRUE(database->execute(sql).ok());
  }
};

std::vector<std::uint64_t> ids_of(const base::Expected<result::HistoryList>& list) {
  std::vector<std::uint64_t> ids;
  if (list)
    for (const auto& run : list->runs) ids.push_back(run.id);
  return ids;
}

std::string error_of(const auto& expected) { return expected ? "no error" : expected.error().what; }

TEST_F(StoreTest, WhatWasAddedIsReadBack) {
  auto store = made();
  const std::string text = "{\"a\" : \"" + std::string(100'000, 'x') + "\"}";
  const auto id = add(store, entry_named("11112222-aaaa", 1000), text);
  EXPECT_EQ(id, 1u);
  const auto result = made().result_of(id);
  ASSERT_TRUE(result.ok());
  EXPECT_EQ(result->text, text);
  const auto list = made().list({});
  ASSERT_TRUE(list.ok());
  EXPECT_EQ(list->all_runs, 1u);
  ASSERT_EQ(list->runs.size(), 1u);
  const auto& run = list->runs[0];
  EXPECT_EQ(run.run_id, "11112222-aaaa");
  EXPECT_EQ(run.time_epoch_ms, 1000u);
  EXPECT_EQ(run.job, "a");
  EXPECT_EQ(run.host, "alpha");
  EXPECT_EQ(run.program, "fathom 1 (c)");
  EXPECT_EQ(run.checks, "passed");
  EXPECT_EQ(run.iops, 1000);
  EXPECT_EQ(run.bytes_per_s, 4096 * 1000);
  EXPECT_EQ(run.p99_ns, 1e6);
  EXPECT_TRUE(run.tags.empty());
}

TEST_F(StoreTest, AnUnknownNumberStaysUnknown) {
  auto store = made();
  auto entry = entry_named("11112222", 1);
  entry.whole = {}, entry.parts[0].numbers = {};
  add(store, entry);
  const auto list = store.list({});
  ASSERT_TRUE(list.ok());
  EXPECT_FALSE(list->runs[0].iops);
  const auto points = store.points("a", {}, 0);
  ASSERT_TRUE(points.ok());
  EXPECT_FALSE((*points)[0].numbers[0]);
}

TEST_F(StoreTest, AResultIsStoredOnce) {
  auto store = made();
  add(store, entry_named("11112222", 1));
  const auto again = store.add(entry_named("11112222", 1), "{}");
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(again->id, 1u);
  EXPECT_FALSE(again->is_new);
  EXPECT_EQ(store.list({})->all_runs, 1u);
}

TEST_F(StoreTest, RunsAreListedByTheirTimeNotByWhenTheyWereAdded) {
  auto store = made();
  for (const std::uint64_t time : {30u, 10u, 20u}) add(store, entry_named("run-" + std::to_string(time), time));
  EXPECT_THAT(ids_of(store.list({})), ElementsAre(1, 3, 2));
  EXPECT_THAT(ids_of(store.list({.last = 2})), ElementsAre(1, 3));
  EXPECT_EQ(store.list({.last = 2})->all_runs, 3u);
}

TEST_F(StoreTest, FiltersSelectRuns) {
  auto store = made();
  auto other_host = entry_named("run-3", 3, 1, "b");
  other_host.environment[kHostFact] = "beta";
  add(store, entry_named("run-1", 1)), add(store, entry_named("run-2", 2, 1, "b")), add(store, other_host);
  ASSERT_TRUE(store.tag(1, "v1").ok());
  ASSERT_TRUE(store.tag(3, "v1").ok());
  EXPECT_THAT(ids_of(store.list({.job = "b"})), ElementsAre(3, 2));
  EXPECT_THAT(ids_of(store.list({.tag = "v1"})), ElementsAre(3, 1));
  EXPECT_THAT(ids_of(store.list({.host = "alpha"})), ElementsAre(2, 1));
  EXPECT_THAT(ids_of(store.list({.job = "b", .host = "beta"})), ElementsAre(3));
  EXPECT_THAT(ids_of(store.list({.job = "b", .tag = "v1"})), ElementsAre(3));
  EXPECT_THAT(ids_of(store.list({.job = "b", .tag = "v1", .host = "alpha"})), ElementsAre());
  EXPECT_THAT(ids_of(store.list({.tag = "v2"})), ElementsAre());
}

TEST_F(StoreTest, ARunWithSeveralDirectionsIsListedOnce) {
  auto store = made();
  auto entry = entry_named("run-1", 1);
  entry.parts.push_back({"a", "write", entry.whole});
  add(store, entry);
  EXPECT_THAT(ids_of(store.list({.job = "a"})), ElementsAre(1));
  EXPECT_EQ(store.points("a", {}, 0)->size(), 2u);
}

TEST_F(StoreTest, NamesOfRuns) {
  auto store = made();
  add(store, entry_named("abcd1234", 1)), add(store, entry_named("abcd9999", 2)),
      add(store, entry_named("ffff0000", 3));
  ASSERT_TRUE(store.tag(1, "base").ok());
  ASSERT_TRUE(store.tag(3, "base").ok());
  ASSERT_TRUE(store.tag(2, "new").ok());
  EXPECT_THAT(*store.find("2"), ElementsAre(2));
  EXPECT_THAT(*store.find("base"), ElementsAre(1, 3));
  EXPECT_THAT(*store.find("ba"), ElementsAre(1, 3)) << "the start of one tag";
  EXPECT_THAT(*store.find("ffff"), ElementsAre(3));
  EXPECT_THAT(*store.find("abcd12"), ElementsAre(1));
  EXPECT_EQ(*store.find_one("new"), 2u);
  EXPECT_THAT(error_of(store.find("abcd")), HasSubstr("several runs have a run_id that begins with `abcd`"));
  EXPECT_THAT(error_of(store.find_one("base")), HasSubstr("2 runs have the tag `base`"));
  EXPECT_THAT(error_of(store.find("7")), HasSubstr("no run `7`"));
  EXPECT_THAT(error_of(store.find("fff")), HasSubstr("no run `fff`")) << "too short a start";
  EXPECT_THAT(error_of(store.find("")), HasSubstr("no run ``"));
  EXPECT_EQ(store.find("bsae").error().help, "did you mean `base`?");
  ASSERT_TRUE(store.tag(2, "bar").ok());
  EXPECT_THAT(error_of(store.find("ba")), HasSubstr("no run `ba`")) << "the start of two tags";
}

TEST_F(StoreTest, TagsAreGivenOnceAndRemoved) {
  auto store = made();
  add(store, entry_named("run-1", 1));
  for (const char* name : {"v1.2", "v1.2", "before-upgrade"}) ASSERT_TRUE(store.tag(1, name).ok());
  EXPECT_THAT(store.list({})->runs[0].tags, ElementsAre("before-upgrade", "v1.2"));
  ASSERT_TRUE(store.untag(1, "v1.2").ok());
  EXPECT_THAT(store.list({})->runs[0].tags, ElementsAre("before-upgrade"));
  EXPECT_THAT(error_of(store.untag(1, "v1.2")), HasSubstr("run 1 does not have the tag `v1.2`"));
}

TEST_F(StoreTest, TagsThatCouldBeMistakenAreRefused) {
  auto store = made();
  add(store, entry_named("run-1", 1));
  for (const std::string& name : {std::string("12"), std::string(""), std::string("a,b"), std::string("a b"),
                                  std::string("a\nb"), std::string(kLongestTag + 1, 'x')})
    EXPECT_THAT(error_of(store.tag(1, name)), HasSubstr("cannot be a tag")) << name;
  EXPECT_TRUE(store.tag(1, std::string(kLongestTag, 'x')).ok());
}

TEST_F(StoreTest, DeletedRunsAreGoneWithAllThatBelongsToThem) {
  auto store = made();
  add(store, entry_named("run-1", 1)), add(store, entry_named("run-2", 2, 1, "b"));
  ASSERT_TRUE(store.tag(1, "v1").ok());
  ASSERT_TRUE(store.remove({1}).ok());
  EXPECT_THAT(ids_of(store.list({})), ElementsAre(2));
  EXPECT_THAT(*store.jobs(), ElementsAre("b"));
  EXPECT_FALSE(store.find("v1").ok());
  EXPECT_FALSE(store.result_of(1).ok());
  EXPECT_EQ(add(store, entry_named("run-3", 3)), 3u) << "a number is not used again";
}

TEST_F(StoreTest, PointsAreTheNewestFitRunsOldestFirst) {
  auto store = made();
  for (std::uint64_t i = 1; i <= 6; ++i) {
    auto entry = entry_named("run-" + std::to_string(i), i);
    if (i == 5) entry.unfit = "the run was interrupted";
    add(store, entry);
  }
  const auto points = store.points("a", {.last = 3}, 0);
  ASSERT_TRUE(points.ok());
  std::vector<std::uint64_t> runs;
  for (const auto& point : *points) runs.push_back(point.run);
  EXPECT_THAT(runs, ElementsAre(3, 4, 5, 6)) << "three that are fit, and one that is not";
  EXPECT_FALSE((*points)[2].fit);
  EXPECT_EQ(store.points("a", {}, 5)->size(), 2u);
}

TEST_F(StoreTest, AFileThatIsNoDatabaseIsRefusedAndStays) {
  for (const auto& text : {std::string(5000, 'x'), std::string("x"), std::string("SQLite format 3"),
                           std::string("SQLite format 3\0", 16) + std::string(5000, 'x')}) {
    std::ofstream(path(), std::ios::binary) << text;
    const auto error = refused();
    EXPECT_EQ(error.kind, base::ErrorKind::refused);
    EXPECT_THAT(error.what, HasSubstr("the file is not a database"));
    std::ifstream file(path(), std::ios::binary);
    EXPECT_EQ(std::string(std::istreambuf_iterator<char>(file), {}), text);
  }
}

TEST_F(StoreTest, TheDatabaseOfAnotherProgramIsRefused) {
  made();
  execute("PRAGMA application_id = 7");
  EXPECT_THAT(refused().what, HasSubstr("not a history of fathom"));
  std::filesystem::remove(path());
  ASSERT_TRUE(Database::open(path(), Database::Access::created)->execute("CREATE TABLE t(x)").ok());
  EXPECT_THAT(refused().what, HasSubstr("not a history of fathom"));
}

TEST_F(StoreTest, ANewerSchemaIsRefusedWithBothVersions) {
  made();
  execute("PRAGMA user_version = 2");
  const auto error = refused();
  EXPECT_EQ(error.kind, base::ErrorKind::refused);
  EXPECT_THAT(error.what, HasSubstr(path()));
  EXPECT_THAT(error.what, HasSubstr("a newer schema"));
  EXPECT_EQ(error.cause, "the file has schema 2, this fathom reads up to 1");
  EXPECT_EQ(error_of(Store::open(path())), error.what);
}

TEST_F(StoreTest, AnEmptyFileBecomesAHistory) {
  std::ofstream(path()).flush();
  EXPECT_THAT(error_of(Store::open(path())), HasSubstr("not a history of fathom")) << "reading makes nothing";
  EXPECT_EQ(std::filesystem::file_size(path()), 0u);
  auto store = made();
  EXPECT_EQ(add(store, entry_named("run-1", 1)), 1u);
}

TEST_F(StoreTest, ReadingMakesNoFile) {
  const auto store = Store::open(path());
  EXPECT_THAT(error_of(store), HasSubstr("no such file"));
  EXPECT_THAT(store.error().help, HasSubstr("fathom run --keep"));
  EXPECT_FALSE(std::filesystem::exists(path()));
}

TEST_F(StoreTest, DirectoriesAreMadeForTheUserAlone) {
  made("a/b/history.db");
  EXPECT_EQ(std::filesystem::status(path("a/b")).permissions(), std::filesystem::perms::owner_all);
}

TEST_F(StoreTest, OnlyARegularFileIsAHistory) {
  EXPECT_THAT(refused(".").what, HasSubstr("not a regular file"));
  EXPECT_THAT(error_of(Store::open_to_add("/dev/null")), HasSubstr("not a regular file"));
}

TEST_F(StoreTest, NamesWithAMeaningForSqliteAreFiles) {
  const auto before = std::filesystem::current_path();
  std::filesystem::current_path(directory_);
  for (const char* name : {":memory:", "file:x?mode=memory"}) {
    EXPECT_TRUE(Store::open_to_add(name).ok()) << name;
    EXPECT_TRUE(std::filesystem::exists(path(name))) << name;
  }
  std::filesystem::current_path(before);
}

TEST_F(StoreTest, ADamagedFileIsAnErrorAndNoCrash) {
  {
    auto store = made();
    for (int i = 0; i < 50; ++i)
      add(store, entry_named("run-" + std::to_string(i), 1), std::string(20'000, 'a' + i % 26));
  }
  std::filesystem::copy(path(), path("whole"));
  const auto size = std::filesystem::file_size(path());
  for (std::uintmax_t at = 100; at < size; at += size / 40) {
    std::filesystem::copy(path("whole"), path(), std::filesystem::copy_options::overwrite_existing);
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(at)) << std::string(64, '\xff');
    file.close();
    auto store = Store::open(path());
    if (!store) continue;
    (void)store->list({.last = 100});
    (void)store->points("a", {}, 0);
    (void)store->find("base");
    for (std::uint64_t id = 1; id <= 50; ++id) (void)store->result_of(id);
  }
  std::filesystem::copy(path("whole"), path(), std::filesystem::copy_options::overwrite_existing);
  std::filesystem::resize_file(path(), size / 2);
  EXPECT_FALSE(Store::open(path()) && Store::open(path())->result_of(40).ok());
}

TEST_F(StoreTest, ADamagedResultIsNamedWithItsRun) {
  auto store = made();
  add(store, entry_named("run-1", 1));
  execute("UPDATE results SET packed = x'00112233'");
  const auto result = store.result_of(1);
  EXPECT_THAT(error_of(result), HasSubstr("the result of run 1 is damaged"));
  execute("UPDATE results SET bytes = 9223372036854775807");
  EXPECT_THAT(error_of(store.result_of(1)), HasSubstr("the result of run 1 is damaged"));
}

TEST_F(StoreTest, AFileThatCannotBeWrittenIsStillRead) {
  if (::geteuid() == 0) GTEST_SKIP() << "root writes everywhere: tests/cli/history_command_test.py";
  add(*std::make_unique<Store>(made()), entry_named("run-1", 1));
  std::filesystem::permissions(path(), std::filesystem::perms::owner_read);
  EXPECT_EQ(Store::open(path())->list({})->all_runs, 1u);
  auto store = Store::open_to_add(path());
  ASSERT_TRUE(store.ok());
  const auto added = store->add(entry_named("run-2", 2), "{}");
  ASSERT_FALSE(added.ok());
  EXPECT_EQ(added.error().kind, base::ErrorKind::privilege);
}

TEST_F(StoreTest, ATransactionThatEndsEarlyLeavesNothing) {
  made();
  {
    auto database = Database::open(path(), Database::Access::existing);
    auto transaction = Transaction::begin(*database);
    ASSERT_TRUE(transaction.ok());
    ASSERT_TRUE(database->execute("INSERT INTO jobs(name) VALUES('x')").ok());
  }
  EXPECT_THAT(*made().jobs(), ElementsAre());
}

}  // namespace
}  // namespace fathom::history
