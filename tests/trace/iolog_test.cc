// fio's iolog: both versions as fio 3.33 and 3.42 wrote them, bad lines, and the writer.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "trace/iolog_writer.h"
#include "traces.h"

namespace fathom::trace {
namespace {

using testing::ElementsAre;
constexpr std::uint64_t kUs = 1000, kMs = 1'000'000;
const std::string k3 = "fio version 3 iolog\n", k2 = "fio version 2 iolog\n";

TEST(Iolog, KeepsTheGapAfterTimeZero) {
  const auto t = read_file("gap-after-zero.iolog3");
  EXPECT_EQ(t.error.what, "");
  EXPECT_EQ(t.traits.format, "iolog-3");
  EXPECT_THAT(t.times(), ElementsAre(0, 0, 1500 * kMs, 1500 * kMs));
  EXPECT_THAT(t.files, ElementsAre("d"));
}

TEST(Iolog, ReadsANameWithSpaces) {
  const auto t = read_file("name-with-space.iolog3");
  EXPECT_EQ(t.error.what, "");
  EXPECT_THAT(t.files, ElementsAre("a b"));
  EXPECT_EQ(t.count(Action::read), 4u);
  EXPECT_EQ(t.events[2].time_ns, 745 * kUs);
  EXPECT_EQ(t.events[3].offset_bytes, 4096u);
}

TEST(Iolog, ReadsANameThatLooksLikeAColumn) {
  const auto t = read_text(k3 + "1 a read 5 add\n2 a read 5 read 4096 512\n3 7 close\n");
  EXPECT_EQ(t.error.what, "");
  EXPECT_THAT(t.files, ElementsAre("a read 5", "7"));
  EXPECT_EQ(t.events[1].offset_bytes, 4096u);
}

TEST(Iolog, JoinsALogThatWasRecordedTwice) {
  const auto t = read_file("recorded-twice.iolog3");
  EXPECT_EQ(t.error.what, "");
  EXPECT_EQ(t.count(Action::read), 8u);
  EXPECT_EQ(t.times_back, 0u);
  ASSERT_EQ(t.events.size(), 14u);
  EXPECT_EQ(t.events[7].time_ns, (998 + 155) * kUs);
  ASSERT_EQ(t.notes.size(), 1u);
  EXPECT_NE(t.notes[0].find("2 recordings (the second begins in line 9)"), std::string::npos) << t.notes[0];
}

TEST(Iolog, RefusesAHeaderOfTheOtherVersion) {
  const auto t = read_text(k3 + "1 d add\n" + k2 + "d add\n");
  EXPECT_NE(t.error.what.find("header of another version"), std::string::npos);
  EXPECT_EQ(t.error.place->line, 3);
  EXPECT_EQ(t.events.size(), 1u);
}

TEST(Iolog, Version2WaitsInMillisecondsSinceTheStart) {
  const auto t = read_file("waits.iolog2");
  EXPECT_EQ(t.error.what, "");
  EXPECT_FALSE(t.traits.has_times);
  EXPECT_EQ(t.count(Action::read), 4u);
  EXPECT_THAT(t.times(),
              ElementsAre(0, 0, 0, 700 * kMs, 700 * kMs, 700 * kMs, 700 * kMs, 700 * kMs, 700 * kMs, 700 * kMs));
  EXPECT_TRUE(t.events[3].is_wait);
}

TEST(Iolog, Version2WaitsAsTheHowto) {
  const auto t = read_file("waits.iolog2", {.wait = WaitMeaning::us_since_previous});
  EXPECT_THAT(t.times(),
              ElementsAre(0, 0, 0, 700 * kUs, 700 * kUs, 1400 * kUs, 1400 * kUs, 2100 * kUs, 2100 * kUs, 2100 * kUs));
}

TEST(Iolog, Version1IsRefusedInFiosWords) {
  const auto t = read_text("0, 4096, 512\n1,8192,512\n");
  EXPECT_EQ(t.error.what, "iolog version 1 is no longer supported");
}

TEST(Iolog, ReadsLengthsOf4GiBAndMore) {
  const auto t = read_text(k3 + "1 d read 17592186044416 4294967296\n");
  ASSERT_EQ(t.events.size(), 1u);
  EXPECT_EQ(t.events[0].length_bytes, 1ull << 32);
  EXPECT_EQ(t.events[0].offset_bytes, 1ull << 44);
}

TEST(Iolog, CountsWhatItDoesNotHandOut) {
  const auto t = read_text(k3 + "5 d read 0 0\n4 d read 0 512\n3 d sync 0 0\n2 d wait 5 0\n1 d write 0 0\n");
  EXPECT_EQ(t.error.what, "");
  EXPECT_EQ(t.events.size(), 2u);
  EXPECT_EQ(t.skipped_for("zero length"), 2u);
  EXPECT_EQ(t.skipped_for("wait in version 3"), 1u);
  EXPECT_EQ(t.skipped[0].first, "line 2");
  EXPECT_EQ(t.times_back, 1u);
}

struct BadLine {
  const char *line, *what;
  int column;
};
class IologBadLine : public testing::TestWithParam<BadLine> {};
TEST_P(IologBadLine, IsAnErrorAtItsPlace) {
  const auto t = read_text(k3 + "1 d read 0 512\n" + GetParam().line + "\n");
  EXPECT_NE(t.error.what.find(GetParam().what), std::string::npos) << t.error.what;
  ASSERT_TRUE(t.error.place);
  EXPECT_EQ(t.error.place->line, 3);
  EXPECT_EQ(t.error.place->column, GetParam().column);
  EXPECT_EQ(t.events.size(), 1u);
}
INSTANTIATE_TEST_SUITE_P(
    Lines, IologBadLine,
    testing::Values(BadLine{"2 d read -4096 512", "offset `-4096`", 10}, BadLine{"2 d read 0 -1", "length `-1`", 12},
                    BadLine{"-2 d read 0 512", "`-2` is not a time", 1}, BadLine{"2 d read 0", "no action `d`", 3},
                    BadLine{"2 d", "column is missing", 2}, BadLine{"2 d frob 0 512", "no action `frob`", 5},
                    BadLine{"2 read 0 512", "file name is missing", 1},
                    BadLine{"2 d read 18446744073709551615 2", "beyond 2^64", 31},
                    BadLine{"2 d read 18446744073709551616 2", "offset", 10},
                    BadLine{"18446744073709551615 d read 0 1", "not a time", 1}));

TEST(Iolog, SaysThatTheLastLineMayBeCut) {
  const auto cut = read_text(k3 + "1 d read 0 512\n2 d rea");
  EXPECT_NE(cut.error.cause.find("the trace may be cut"), std::string::npos) << cut.error.cause;
  const auto whole = read_text(k3 + "1 d read 0 40");
  EXPECT_EQ(whole.events.size(), 1u);
  ASSERT_EQ(whole.notes.size(), 1u);
  EXPECT_EQ(whole.notes[0], "the last line (2) has no line end: the trace may be cut there");
}

TEST(Iolog, TableOfFilesIsBounded) {
  std::string text = k3;
  for (int i = 0; i < 70'000; ++i) text += "1 f" + std::to_string(i) + " read 0 512\n";
  const auto t = read_text(text);
  EXPECT_EQ(t.files.size(), 65'536u);
  EXPECT_EQ(t.events.size(), 65'536u);
  EXPECT_EQ(t.skipped_for("more than 65,536 files"), 70'000u - 65'536u);
}

TEST(Iolog, NamesAreBounded) {
  const auto t = read_text(k3 + "1 " + std::string(4097, 'x') + " read 0 512\n");
  EXPECT_EQ(t.files.size(), 0u);
  EXPECT_EQ(t.skipped_for("a file name longer than 4,096 bytes"), 1u);
}

TEST(Iolog, RefusesALineWithoutEnd) {
  const auto t = read_text(k3 + "1 d read 0 512\n" + std::string(1 << 20, 'x'));
  EXPECT_EQ(t.error.what, "line longer than 64 KiB");
  EXPECT_EQ(t.error.place->line, 3);
}

std::string written(const std::vector<Event>& events, const std::vector<std::string>& files) {
  std::string text;
  IologWriter writer([&](std::string_view piece) { return text += piece, base::Expected<void>(); });
  for (const auto& event : events) EXPECT_TRUE(writer.write(event, files).ok());
  EXPECT_TRUE(writer.finish(files).ok());
  return text;
}

TEST(IologWriter, AddsOpensAndClosesAFileThatTheTraceDidNot) {
  const std::vector<Event> events = {
      {.time_ns = 1999, .offset_bytes = 512, .length_bytes = 4096, .action = Action::write, .flush_first = true},
      {.time_ns = 5000, .action = Action::datasync}};
  EXPECT_EQ(written(events, {"d"}),
            k3 + "1 d add\n1 d open\n1 d sync 0 0\n1 d write 512 4096\n5 d datasync 0 0\n5 d close\n");
}

TEST(IologWriter, WritesBackWhatFioWrote) {
  for (const auto* name : {"gap-after-zero.iolog3", "skip.iolog3", "name-with-space.iolog3"}) {
    const auto t = read_file(name);
    const auto again = read_text(written(t.events, t.files));
    EXPECT_EQ(again.times(), t.times()) << name;
    EXPECT_EQ(again.files, t.files);
    EXPECT_EQ(again.notes.size(), 0u);
  }
}

RC_GTEST_PROP(IologWriter, IsReadBack, ()) {
  std::vector<Event> events;
  for (int n = *rc::gen::inRange(0, 40); n > 0; --n) {
    Event e{.time_ns = *rc::gen::inRange<std::uint64_t>(0, 1ull << 50) * 1000,
            .offset_bytes = *rc::gen::inRange<std::uint64_t>(0, 1ull << 60),
            .length_bytes = *rc::gen::inRange<std::uint64_t>(1, 1ull << 40),
            .file = *rc::gen::inRange(0u, 2u),
            .action = *rc::gen::element(Action::read, Action::write, Action::trim)};
    events.push_back(e);
  }
  const auto t = read_text(written(events, {"x y", "z"}));
  RC_ASSERT(t.error.what.empty());
  std::vector<Event> ios;
  for (const auto& e : t.events)
    if (is_io(e.action)) ios.push_back(e);
  RC_ASSERT(ios.size() == events.size());
  for (std::size_t i = 0; i < ios.size(); ++i) {
    RC_ASSERT(ios[i].time_ns == events[i].time_ns && ios[i].offset_bytes == events[i].offset_bytes);
    RC_ASSERT(ios[i].length_bytes == events[i].length_bytes && ios[i].action == events[i].action);
    RC_ASSERT(t.files[ios[i].file] == (events[i].file == 0 ? "x y" : "z"));
  }
}

TEST(IologWriter, RefusesANameThatFioCannotReadBack) {
  EXPECT_TRUE(check_iolog_name("/dev/nvme0n1").ok());
  for (const std::string name : {"", "a b", "a\tb", "a\nb"}) EXPECT_FALSE(check_iolog_name(name).ok()) << name;
  EXPECT_FALSE(check_iolog_name(std::string(256, 'x')).ok());
  EXPECT_TRUE(check_iolog_name(std::string(255, 'x')).ok());
}

TEST(IologWriter, TellsAFullDisk) {
  IologWriter writer([](std::string_view) { return base::Expected<void>(base::system_error("write x", ENOSPC)); });
  EXPECT_FALSE(writer.finish({}).ok());
}

}  // namespace
}  // namespace fathom::trace
