// Binary block traces: recordings of Linux 6.1 and 6.18 as blktrace, blkparse -d and tracefs wrote them; both byte
// orders; damage.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <fstream>

#include "base/files/input_file.h"
#include "trace/depth_meter.h"
#include "traces.h"

namespace fathom::trace {
namespace {

using testing::ElementsAre;

enum Flag : std::uint32_t {
  kR = 1,
  kW = 2,
  kFlush = 4,
  kSync = 8,
  kPc = 512,
  kNotify = 1024,
  kDiscard = 8192,
  kFua = 32768
};

struct Record {
  std::uint64_t time_ns, sector;
  std::uint32_t bytes, act, flags;
  std::uint32_t sequence = 0, device = 0x800000, cpu = 0;
  std::string extra = {};
};

std::string packed(const std::vector<Record>& records, std::uint32_t magic = 0x65617407) {
  std::string all;
  const auto put = [&](auto value) { all.append(reinterpret_cast<const char*>(&value), sizeof value); };
  for (const auto& r : records) {
    put(magic), put(r.sequence), put(r.time_ns), put(r.sector), put(r.bytes), put(r.flags << 16 | r.act);
    put(std::uint32_t{42}), put(r.device), put(r.cpu), put(std::uint16_t{0});
    put(static_cast<std::uint16_t>(r.extra.size()));
    all += r.extra;
  }
  return all;
}

// The same trace as a machine of the other byte order writes it.
std::string swapped(std::string text) {
  for (std::size_t at = 0; at < text.size();) {
    std::uint16_t extra = 0;
    std::memcpy(&extra, &text[at + 46], sizeof extra);
    for (const auto& [offset, size] :
         {std::pair{0, 4}, {4, 4}, {8, 8}, {16, 8}, {24, 4}, {28, 4}, {32, 4}, {36, 4}, {40, 4}, {44, 2}, {46, 2}})
      std::reverse(&text[at + static_cast<std::size_t>(offset)], &text[at + static_cast<std::size_t>(offset + size)]);
    at += 48u + extra;
  }
  return text;
}

std::string bytes_of(const std::string& name) {
  return *base::files::read_input("trace", data_file(name), std::size_t{1} << 20);
}

std::size_t depth_of(const Read& t) {
  DepthMeter meter;
  for (const auto& event : t.events) meter.add(event);
  return meter.most();
}

TEST(Blktrace, KeepsTheGapAfterAFirstEventAtZero) {
  const auto t = read_file("first-at-zero.blktrace");
  EXPECT_EQ(t.error.what, "");
  EXPECT_THAT(t.times(), ElementsAre(0, 1'500'000'000));
  EXPECT_THAT(t.files, ElementsAre("7,2"));
  EXPECT_EQ(t.events[1].response_ns, 50'000u);
  EXPECT_EQ(t.events[1].offset_bytes, 4096u);
  EXPECT_EQ(t.events[1].task, 100u);
  EXPECT_TRUE(t.traits.has_responses);
  EXPECT_FALSE(t.traits.names_files);
}

TEST(Blktrace, TwoHundredReadsOfDepthNine) {
  const auto t = read_file("depth-9-ramped.blktrace");
  EXPECT_EQ(t.count(Action::read), 200u);
  EXPECT_EQ(depth_of(t), 9u);
}

TEST(Blktrace, AWriteWithAFlushIsBoth) {
  const auto t = read_file("journal-commits.blktrace");
  EXPECT_EQ(t.count(Action::write), 20u);
  EXPECT_EQ(t.count(Action::sync), 1u);
  const auto commits = std::count_if(t.events.begin(), t.events.end(), [](const Event& e) { return e.flush_first; });
  const auto fua = std::count_if(t.events.begin(), t.events.end(), [](const Event& e) { return e.forced_unit_access; });
  EXPECT_EQ(commits, fua);
  EXPECT_GT(commits, 0);
  for (const auto& e : t.events) EXPECT_EQ(e.response_ns, 2000u);
}

TEST(Blktrace, FilesPerCpuAreTheSameTraceAsBlkparsesFile) {
  const auto one = read_file("nvme-live.blkparse-d"), two = read_all(open_trace(data_file("nvme-live")));
  EXPECT_EQ(one.error.what + two.error.what, "");
  EXPECT_EQ(one.events.size(), 17u);
  EXPECT_EQ(one.times(), two.times());
  EXPECT_EQ(one.times_back + two.times_back, 0u);
  EXPECT_EQ(one.events[0].time_ns, 0u);
  ASSERT_EQ(two.events.size(), 17u);
  for (std::size_t i = 0; i < 17; ++i) {
    EXPECT_EQ(one.events[i].response_ns, two.events[i].response_ns) << i;
    EXPECT_NE(one.events[i].response_ns, kNotKnown) << i;
  }
  EXPECT_EQ(one.events[0].response_ns, 2'253'800u);
  EXPECT_THAT(one.notes, ElementsAre());
  EXPECT_THAT(two.notes, ElementsAre());
}

TEST(Blktrace, SeveralFilesNeedACommonClock) {
  const std::vector<std::string> paths = {data_file("nvme-live.blktrace.0"), data_file("first-at-zero.blktrace")};
  const auto t = read_all(open_trace(paths));
  EXPECT_EQ(t.events.size(), 0u);
  EXPECT_NE(t.error.what.find("counts time from its first record"), std::string::npos);
  EXPECT_EQ(t.error.place->file, paths[1]);
}

TEST(Blktrace, TheFileOfAnIdleCpuIsEmpty) {
  const auto name = testing::TempDir() + "/idle";
  std::filesystem::copy_file(data_file("first-at-zero.blktrace"), name + ".blktrace.1",
                             std::filesystem::copy_options::overwrite_existing);
  std::ofstream(name + ".blktrace.0").close();
  EXPECT_EQ(read_all(open_trace(name)).events.size(), 2u);
  for (const auto* cpu : {"0", "1"}) std::filesystem::remove(name + ".blktrace." + cpu);
}

TEST(Blktrace, OneFileOfSeveralIsTold) {
  const auto t = read_file("nvme-live.blktrace.0");
  EXPECT_EQ(t.events.size(), 5u);
  ASSERT_EQ(t.notes.size(), 1u);
  EXPECT_NE(t.notes[0].find("nvme-live.blktrace.1` exists too"), std::string::npos);
}

TEST(Blktrace, ASplitRequestHasItsFullSizeAndTheTimeOfItsLastPiece) {
  const auto t = read_file("split-256k-into-64k-linux6.18.blktrace");
  EXPECT_EQ(t.error.what, "");
  EXPECT_EQ(t.events.size(), 4u);
  for (const auto& e : t.events) {
    EXPECT_EQ(e.length_bytes, 262'144u);
    EXPECT_NE(e.response_ns, kNotKnown);
  }
}

TEST(Blktrace, ReadsBothByteOrders) {
  for (const auto* name : {"split-256k-into-64k-linux6.18.blktrace", "nvme-live.blkparse-d"}) {
    const auto there = read_file(name), other = read_text(swapped(bytes_of(name)));
    EXPECT_EQ(other.error.what, "");
    EXPECT_EQ(other.times(), there.times());
    EXPECT_EQ(other.files, there.files);
  }
}

TEST(Blktrace, ReadsTheStreamOfTracefs) {
  const auto record = packed({{100, 0, 512, 1, kR}}), next = packed({{300, 0, 512, 8, kR}});
  const auto t = read_text("# tracer: blk\n#\n" + record + "CPU:3 [LOST 17 EVENTS]\n" + next);
  EXPECT_EQ(t.error.what, "");
  ASSERT_EQ(t.events.size(), 1u);
  EXPECT_EQ(t.events[0].response_ns, 200u);
  EXPECT_THAT(t.notes, ElementsAre("tracefs reported lost events 1 times"));
}

TEST(Blktrace, ACompletionCoversMergedRequests) {
  const auto t =
      read_text(packed({{0, 8, 4096, 1, kW}, {10, 16, 4096, 1, kW}, {11, 16, 4096, 2, kW}, {50, 8, 8192, 8, kW}}));
  ASSERT_EQ(t.events.size(), 2u);
  EXPECT_EQ(t.events[0].response_ns, 50u);
  EXPECT_EQ(t.events[1].response_ns, 40u);
}

TEST(Blktrace, OfTwoEqualReadsTheOlderEndsFirst) {
  const auto t =
      read_text(packed({{0, 8, 4096, 1, kR}, {10, 8, 4096, 1, kR}, {20, 8, 4096, 8, kR}, {50, 8, 4096, 8, kR}}));
  EXPECT_EQ(t.events[0].response_ns, 20u);
  EXPECT_EQ(t.events[1].response_ns, 40u);
}

TEST(Blktrace, OneFlushServesAllThatWereQueuedBefore) {
  const auto t = read_text(packed({{0, 0, 0, 1, kW | kFlush},
                                   {10, 0, 0, 1, kW | kFlush},
                                   {20, 0, 0, 7, kR | kFlush},
                                   {25, 0, 0, 1, kW | kFlush},
                                   {30, 0, 0, 8, kR | kFlush},
                                   {40, 0, 0, 7, kR | kFlush},
                                   {90, 0, 0, 8, kR | kFlush}}));
  ASSERT_EQ(t.count(Action::sync), 3u);
  EXPECT_EQ(t.events[0].response_ns, 30u);
  EXPECT_EQ(t.events[1].response_ns, 20u);
  EXPECT_EQ(t.events[2].response_ns, 65u);
}

// Linux 6.1 completes the request of the flush, then the bio.
TEST(Blktrace, AFlushEndsWithItsBio) {
  const auto t = read_text(packed({{0, 0, 0, 1, kW | kFlush},
                                   {20, 0, 0, 7, kR | kFlush},
                                   {25, 8, 512, 1, kR},
                                   {30, 0, 0, 8, kR | kFlush},
                                   {70, 0, 0, 8, kW},
                                   {80, 8, 512, 8, kR}}));
  ASSERT_EQ(t.events.size(), 2u);
  EXPECT_EQ(t.events[0].response_ns, 70u);
  EXPECT_EQ(t.events[1].response_ns, 55u);
}

TEST(Blktrace, ADiscardIsATrimAndPassthroughCompletesNothing) {
  const auto t = read_text(packed({{0, 8, 1 << 20, 1, kW | kDiscard},
                                   {5, 8, 4096, 1, kW},
                                   {6, 8, 4096, 8, kW | kPc},
                                   {7, 8, 4096, 8, kW},
                                   {9, 8, 1 << 20, 8, kW | kDiscard}}));
  ASSERT_EQ(t.events.size(), 2u);
  EXPECT_EQ(t.events[0].action, Action::trim);
  EXPECT_EQ(t.events[0].response_ns, 9u);
  EXPECT_EQ(t.events[1].response_ns, 2u);
}

TEST(Blktrace, NotesAreNotTheStart) {
  const auto t =
      read_text(packed({{9'000'000, 0, 0, 0, kNotify, 0, 0, 0, "dd"}, {0, 8, 4096, 1, kR}, {7, 8, 4096, 8, kR}}));
  ASSERT_EQ(t.events.size(), 1u);
  EXPECT_EQ(t.events[0].time_ns, 0u);
}

TEST(Blktrace, WithoutCompletionsNothingIsWaitedFor) {
  const auto t = read_text(packed({{5, 8, 4096, 1, kR}, {9, 16, 0, 1, kR}, {7, 8, 4096, 1, kR}}));
  EXPECT_FALSE(t.traits.has_responses);
  EXPECT_THAT(t.times(), ElementsAre(0, 2));
  EXPECT_EQ(t.skipped_for("zero length"), 1u);
  ASSERT_EQ(t.notes.size(), 1u);
}

TEST(Blktrace, LostRecordsAreCounted) {
  const auto t = read_text(packed({{5, 8, 4096, 1, kR, 1}, {6, 8, 4096, 8, kR, 4}}));
  EXPECT_THAT(t.notes, ElementsAre("the sequence numbers skip 2 records: the recorder lost them"));
}

TEST(Blktrace, DamageIsAnErrorAfterWhatWasRead) {
  const auto good = packed({{0, 8, 4096, 1, kR}, {9, 8, 4096, 8, kR}});
  const auto cut = read_text(good + good.substr(0, 20));
  EXPECT_EQ(cut.events.size(), 1u);
  EXPECT_EQ(cut.error.what, "record 3 (byte 96): the file ends within it");
  const auto foreign = read_text(good + std::string(48, 'x'));
  EXPECT_EQ(foreign.error.cause, "magic 0x78787878");
  const auto newer = read_text(packed({{0, 8, 4096, 1, kR}}, 0x65617408));
  EXPECT_EQ(newer.error.what, "record 1 (byte 0): version 8");
  auto no_extra = good;
  no_extra[46] = 4;
  EXPECT_NE(read_text(no_extra.substr(0, 50)).error.cause.find("2 of 4 bytes of extra data"), std::string::npos);
}

}  // namespace
}  // namespace fathom::trace
