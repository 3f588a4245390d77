// What is said arrives whole and in its order, however long it is and however many speak; a torn end is left out.
#include "worker/channel.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <map>
#include <thread>

namespace fathom::worker {
namespace {

base::Error planted_error() {
  base::Error e;
  e.kind = base::ErrorKind::refused;
  e.what = "map";
  e.cause = std::string("with a \0 and\na line", 18);
  e.sys_errno = 12;
  e.place = base::SourcePlace{"profile.txt", 3, 14, "zipf_theta x", 5};
  return e;
}

TEST(Channel, WithoutMessagesReadIsEmpty) {
  Channel channel;
  EXPECT_FALSE(channel.wait(0));
  EXPECT_TRUE(channel.read().empty());
}

TEST(Channel, AnErrorComesBackWhole) {
  Channel channel;
  channel.voice(7).ready();
  channel.voice(7).error(planted_error());
  ASSERT_TRUE(channel.wait(0));
  const auto read = channel.read();
  ASSERT_EQ(read.size(), 2u);
  EXPECT_EQ(read[0].kind, Kind::ready);
  EXPECT_TRUE(read[0].bytes.empty());
  EXPECT_EQ(read[1].worker, 7u);
  ASSERT_EQ(read[1].kind, Kind::error);
  const auto error = read[1].error(), want = planted_error();
  EXPECT_EQ(error.kind, want.kind);
  EXPECT_EQ(error.what, want.what);
  EXPECT_EQ(error.cause, want.cause);
  EXPECT_EQ(error.sys_errno, want.sys_errno);
  ASSERT_TRUE(error.place.has_value());
  EXPECT_EQ(error.place->file, want.place->file);
  EXPECT_EQ(error.place->line, want.place->line);
  EXPECT_EQ(error.place->column, want.place->column);
  EXPECT_EQ(error.place->line_text, want.place->line_text);
  EXPECT_EQ(error.place->length, want.place->length);
}

TEST(Channel, EveryLengthAroundAFrameArrivesWhole) {
  for (const std::size_t length : {0u, 1u, 4083u, 4084u, 4085u, 8168u, 8169u, 30'000u}) {
    Channel channel;
    std::string said(length, 'x');
    for (std::size_t i = 0; i < length; ++i) said[i] = static_cast<char>('a' + i % 23);
    channel.voice(1).other(said);
    const auto read = channel.read();
    ASSERT_EQ(read.size(), 1u) << length;
    EXPECT_EQ(read[0].bytes, said) << length;
  }
}

// More than a pipe holds, from several at a time: speakers wait, nothing is cut and nobody's words go into another's.
TEST(Channel, ConcurrentSendersDoNotMixMessages) {
  constexpr std::uint32_t kSpeakers = 8;
  constexpr std::size_t kEach = 40;
  Channel channel;
  std::vector<std::thread> speakers;
  for (std::uint32_t n = 0; n < kSpeakers; ++n)
    speakers.emplace_back([voice = channel.voice(n), n] {
      for (std::size_t i = 0; i < kEach; ++i) voice.other(std::string(9000 + i, static_cast<char>('a' + n)));
    });
  std::map<std::uint32_t, std::size_t> heard;
  for (std::size_t all = 0; all < kSpeakers * kEach;) {
    ASSERT_TRUE(channel.wait(10'000));
    for (const auto& message : channel.read()) {
      const auto nth = heard[message.worker]++;
      EXPECT_EQ(message.bytes, std::string(9000 + nth, static_cast<char>('a' + message.worker)));
      ++all;
    }
  }
  for (auto& speaker : speakers) speaker.join();
  for (std::uint32_t n = 0; n < kSpeakers; ++n) EXPECT_EQ(heard[n], kEach);
}

// A process is killed in the middle of a message that a pipe cannot hold: the one before arrives, its half does not, and
// what others say afterwards is theirs.
TEST(Channel, AKilledSendersPartialMessageIsDropped) {
  Channel channel;
  const pid_t child = ::fork();
  if (child == 0) {
    channel.voice(0).other("whole");
    channel.voice(0).other(std::string(1 << 20, 'x'));  // blocks: nobody reads
    ::_exit(0);
  }
  std::vector<Message> read;
  while (read.empty()) {
    ASSERT_TRUE(channel.wait(10'000));
    read = channel.read();
  }
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  const auto more = channel.read();
  channel.voice(1).other("another's");
  const auto after = channel.read();
  EXPECT_EQ(read[0].bytes, "whole");
  EXPECT_EQ(read.size() + more.size(), 1u);
  ASSERT_EQ(after.size(), 1u);
  EXPECT_EQ(after[0].worker, 1u);
  EXPECT_EQ(after[0].bytes, "another's");
}

}  // namespace
}  // namespace fathom::worker
