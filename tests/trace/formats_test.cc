// Detection of formats, and opening.
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/un.h>

#include <filesystem>
#include <thread>

#include "trace/formats.h"
#include "traces.h"

namespace fathom::trace {
namespace {

TEST(Formats, TwoThatFitAreAnErrorThatNamesBoth) {
  const auto always = [](std::string_view) { return true; };
  const Format rows[] = {{"one", "", always, nullptr}, {"two", "", always, nullptr}};
  const auto found = detect("x\n", "t", rows);
  ASSERT_FALSE(found.ok());
  EXPECT_EQ(found.error().what, "trace `t`: several formats fit");
  EXPECT_EQ(found.error().cause, "one, two");
  EXPECT_EQ(found.error().help, "name the format: --format=one");
}

TEST(Formats, AnUnknownOneIsAnError) {
  EXPECT_EQ(read_text("hello\n").error.what, "trace `t`: unknown format");
  EXPECT_EQ(read_text("").error.cause, "the file is empty");
  EXPECT_EQ(read_text("x", {.format = "iolog-33"}).error.help, "did you mean `iolog-3`?");
}

TEST(Formats, TheNameOverridesDetection) {
  const auto t = read_text("1 d read 0 512\n", {.format = "iolog-3"});
  EXPECT_NE(t.error.what.find("does not begin with"), std::string::npos);
}

TEST(Formats, EveryNameOccursOnce) {
  for (const auto& row : formats()) EXPECT_EQ(find_format(row.name), &row);
}

TEST(Formats, SeveralFilesOfAFormatWithOneAreRefused) {
  const std::vector<std::string> paths = {data_file("skip.iolog3"), data_file("gap-after-zero.iolog3")};
  const auto opened = open_trace(paths);
  ASSERT_FALSE(opened.ok());
  EXPECT_NE(opened.error().what.find("1 other files given as one trace"), std::string::npos);
}

TEST(Formats, ADirectoryAndAMissingFileAreErrors) {
  EXPECT_EQ(read_file("").error.sys_errno, EISDIR);
  EXPECT_EQ(read_file("none").error.sys_errno, ENOENT);
}

TEST(Formats, ReadsASocket) {
  const auto path = testing::TempDir() + "/trace.sock";
  std::filesystem::remove(path);
  sockaddr_un address = {.sun_family = AF_UNIX};
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const base::system::UniqueFd server(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  ASSERT_EQ(::bind(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  ASSERT_EQ(::listen(server.get(), 1), 0);
  std::thread sender([&] {
    const base::system::UniqueFd peer(::accept(server.get(), nullptr, nullptr));
    for (const std::string_view piece : {"fio version 3 iolog\n1 d re", "ad 0 512\n2 d wri", "te 0 512\n"})
      EXPECT_EQ(::send(peer.get(), piece.data(), piece.size(), 0), static_cast<ssize_t>(piece.size()));
  });
  const auto t = read_all(open_trace(path));
  sender.join();
  EXPECT_EQ(t.error.what, "");
  EXPECT_EQ(t.events.size(), 2u);
  std::filesystem::remove(path);
}

}  // namespace
}  // namespace fathom::trace
