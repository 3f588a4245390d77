// Outputs beside jobs' targets: what a name means, what is refused, and that nothing is lost on the way.
#include "base/files/output_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace fathom::base::files {
namespace {

namespace fs = std::filesystem;

bool begins_with_ours(std::string_view head) { return head.starts_with("ours"); }

class OutputFiles : public testing::Test {
 protected:
  void SetUp() override {
    char name[] = "/tmp/fathom-outputs-XXXXXX";
    ASSERT_NE(::mkdtemp(name), nullptr);
    folder_ = name;
  }
  void TearDown() override { fs::remove_all(folder_); }
  std::string path(const std::string& name) const { return folder_ + "/" + name; }
  std::string made(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
    return path(name);
  }
  static std::string text_of(const std::string& path) {
    std::ostringstream text;
    text << std::ifstream(path).rdbuf();
    return text.str();
  }
  Expected<Place> look(const std::string& path, bool overwrites = false) {
    return look_at({"--output", path, begins_with_ours, overwrites}, named_);
  }
  // The cause of a refusal; empty: it was none.
  std::string refusal(const std::string& path) {
    const auto place = look(path);
    return place                                      ? ""
           : place.error().kind == ErrorKind::refused ? place.error().cause
                                                      : "errno " + std::to_string(place.error().sys_errno);
  }
  std::size_t files_here() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  std::string folder_;
  NamedFiles named_;
};

TEST_F(OutputFiles, ALookChangesNothing) {
  made("old", "ours");
  for (const auto* name : {"old", "new"}) {
    const auto place = look(path(name));
    ASSERT_TRUE(place) << place.error().what;
  }
  EXPECT_EQ(files_here(), 1U);
  EXPECT_EQ(text_of(path("old")), "ours");
}

// In JSON fio's half comes first, with histograms of megabytes.
TEST_F(OutputFiles, AFileIsOursAlsoByWhatStandsFarInIt) {
  const auto ends_ours = [](std::string_view head) { return head.ends_with("ours"); };
  for (const std::size_t before : {std::size_t{5} << 20, std::size_t{40} << 20}) {
    const auto file = made("long", std::string(before, ' ') + "ours");
    EXPECT_TRUE(look_at({"--output", file, ends_ours, false}, named_).ok()) << before;
    named_ = {};
  }
  EXPECT_FALSE(look_at({"--output", made("long", std::string(5 << 20, ' ')), ends_ours, false}, named_).ok());
}

TEST_F(OutputFiles, AForeignFileIsRefusedWithItsFirstLine) {
  made("foreign", "[global]\nrw=read\n");
  const auto place = look(path("foreign"));
  ASSERT_FALSE(place);
  EXPECT_EQ(place.error().kind, ErrorKind::refused);
  EXPECT_NE(place.error().cause.find("its first line is `[global]`"), std::string::npos) << place.error().cause;
  EXPECT_NE(place.error().help.find("--force"), std::string::npos);
  named_ = {};
  EXPECT_TRUE(look(path("foreign"), true));
  made("empty", "");
  EXPECT_EQ(refusal(path("empty")), "");
}

TEST_F(OutputFiles, OneFileIsOneFileUnderAllItsNames) {
  const auto input = made("input", "ours");
  fs::create_hard_link(input, path("second"));
  fs::create_symlink(input, path("link"));
  named_.add("the input", input);
  for (const auto& name : {input, path("second"), path("link"), path("./x/../input")}) {
    if (name.ends_with("x/../input")) fs::create_directory(path("x"));
    const auto place = look(name);
    ASSERT_FALSE(place) << name;
    EXPECT_NE(place.error().what.find("is also the input"), std::string::npos) << place.error().what;
  }
  ASSERT_TRUE(look(path("new")));
  EXPECT_FALSE(look(path("new"))) << "two outputs, neither of which exists";
}

TEST_F(OutputFiles, LinksAreFollowedOnlyWhereOthersCannotMakeThem) {
  made("target", "ours");
  fs::create_directory(path("shared"));
  fs::create_symlink(path("target"), path("shared/link"));
  fs::create_symlink(folder_, path("shared/folder"));
  EXPECT_EQ(refusal(path("shared/link")), "");
  named_ = {};
  ASSERT_EQ(::chmod(path("shared").c_str(), 01777), 0);
  EXPECT_NE(refusal(path("shared/link")).find("is a link to"), std::string::npos);
  EXPECT_NE(refusal(path("shared/folder/new")).find("is a link to"), std::string::npos);
  EXPECT_EQ(refusal(path("shared/new")), "") << "a file of its own there is fine";
}

TEST_F(OutputFiles, ADanglingLinkMakesItsTarget) {
  fs::create_symlink("target", path("link"));
  auto place = look(path("link"));
  ASSERT_TRUE(place);
  EXPECT_TRUE(Document(std::move(*place)).replace("new"));
  EXPECT_EQ(text_of(path("target")), "new");
  EXPECT_TRUE(fs::is_symlink(path("link")));
}

TEST_F(OutputFiles, WhatIsNoFileIsWrittenToAndNeverReplaced) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  const system::UniqueFd reader(::open(path("fifo").c_str(), O_RDONLY | O_NONBLOCK));
  auto place = look(path("fifo"));
  ASSERT_TRUE(place);
  Document document(std::move(*place));
  EXPECT_TRUE(document.replace("one "));
  EXPECT_TRUE(document.replace("two"));
  document.remove();
  char text[16] = {};
  EXPECT_EQ(::read(reader.get(), text, sizeof text), 7);
  EXPECT_STREQ(text, "one two");
  EXPECT_TRUE(fs::is_fifo(path("fifo")));
  auto null = look("/dev/null");
  ASSERT_TRUE(null);
  EXPECT_TRUE(Document(std::move(*null)).replace("x"));
}

TEST_F(OutputFiles, APipeWithoutAReaderIsRefusedWithinASecond) {
  ASSERT_EQ(::mkfifo(path("fifo").c_str(), 0600), 0);
  EXPECT_EQ(refusal(path("fifo")), "no process reads this pipe");
}

TEST_F(OutputFiles, DirectoriesSocketsAndInterfacesOfTheKernelAreRefused) {
  EXPECT_EQ(refusal(folder_), "errno 21");
  EXPECT_EQ(refusal(folder_ + "/"), "errno 21");
  EXPECT_EQ(refusal(path("no/such/folder")), "errno 2");
  const system::UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM, 0));
  sockaddr_un address = {.sun_family = AF_UNIX, .sun_path = {}};
  std::strncpy(address.sun_path, path("socket").c_str(), sizeof address.sun_path - 1);
  ASSERT_EQ(::bind(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(refusal(path("socket")), "the file is a socket");
  EXPECT_EQ(refusal("/proc/self/comm"), "the file is a kernel interface");
}

TEST_F(OutputFiles, ADescriptorIsWrittenToWhereItStands) {
  const system::UniqueFd file(::open(path("file").c_str(), O_WRONLY | O_CREAT, 0600));
  ASSERT_EQ(::write(file.get(), "before ", 7), 7);
  auto place = look("/dev/fd/" + std::to_string(file.get()));
  ASSERT_TRUE(place) << place.error().what;
  EXPECT_TRUE(Document(std::move(*place)).replace("after"));
  EXPECT_EQ(text_of(path("file")), "before after");
  const system::UniqueFd reading(::open(path("file").c_str(), O_RDONLY));
  EXPECT_EQ(refusal("/proc/self/fd/" + std::to_string(reading.get())), "errno 9");
}

TEST_F(OutputFiles, ADocumentKeepsOwnerModeAndAttributes) {
  const auto old = made("old", "ours and longer");
  ASSERT_EQ(::chmod(old.c_str(), 0640), 0);
  const bool labelled = ::setxattr(old.c_str(), "user.note", "kept", 4, 0) == 0;
  std::ifstream reader(old);
  auto place = look(old);
  ASSERT_TRUE(place);
  Document document(std::move(*place));
  ASSERT_TRUE(document.replace("new"));
  ASSERT_TRUE(document.append(", twice"));
  EXPECT_EQ(text_of(old), "new, twice");
  std::ostringstream seen;
  seen << reader.rdbuf();
  EXPECT_EQ(seen.str(), "ours and longer");
  struct stat now = {};
  ASSERT_EQ(::stat(old.c_str(), &now), 0);
  EXPECT_EQ(now.st_mode & 07777, 0640U);
  char value[8] = {};
  EXPECT_TRUE(!labelled || ::getxattr(old.c_str(), "user.note", value, sizeof value) == 4);
  EXPECT_EQ(files_here(), 1U);
}

TEST_F(OutputFiles, NeighboursWithLikelyNamesStay) {
  made("old", "ours");
  made("old.new", "a user's");
  made("old.tmp", "a user's");
  auto place = look(path("old"));
  ASSERT_TRUE(place);
  EXPECT_TRUE(Document(std::move(*place)).replace("new"));
  EXPECT_EQ(text_of(path("old.new")), "a user's");
  EXPECT_EQ(text_of(path("old.tmp")), "a user's");
}

TEST_F(OutputFiles, OfSeveralNamesTheFileIsWrittenInPlace) {
  made("old", "ours and longer");
  fs::create_hard_link(path("old"), path("second"));
  auto place = look(path("old"));
  ASSERT_TRUE(place);
  EXPECT_TRUE(Document(std::move(*place)).replace("new"));
  EXPECT_EQ(text_of(path("second")), "new");
}

// As on a full disk: the limit of a file's size ends the write in its middle.
TEST_F(OutputFiles, WhatCannotBeCompletedLeavesTheOldFile) {
  made("replaced", "ours, old");
  made("in place", "ours, old");
  fs::create_hard_link(path("in place"), path("second"));
  rlimit old = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  const rlimit small = {4096, old.rlim_max};
  for (const auto* name : {"replaced", "in place", "new"}) {
    auto place = look(path(name));
    ASSERT_TRUE(place);
    Document document(std::move(*place));
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
    const auto done = document.replace(std::string(100'000, 'x'));
    ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
    ASSERT_FALSE(done) << name;
    EXPECT_EQ(done.error().sys_errno, EFBIG) << name;
  }
  EXPECT_EQ(text_of(path("replaced")), "ours, old");
  EXPECT_EQ(text_of(path("in place")), "ours, old");
  EXPECT_EQ(files_here(), 3U) << "no temporary file stays";
}

TEST_F(OutputFiles, WhatTookTheNameMeanwhileIsJudgedAsThat) {
  auto place = look(path("new"));
  ASSERT_TRUE(place);
  Document document(std::move(*place));
  made("new", "a user's");
  const auto done = document.replace("report");
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().kind, ErrorKind::refused);
  EXPECT_EQ(text_of(path("new")), "a user's");
}

// Of a file that is written again and again.
TEST_F(OutputFiles, WhatTookTheNameBetweenTwoWritingsIsJudgedAsThat) {
  auto place = look(path("f"));
  ASSERT_TRUE(place);
  Document document(std::move(*place), Document::Durability::unsynced);
  ASSERT_TRUE(document.replace("ours 1"));
  fs::remove(path("f"));
  ASSERT_TRUE(document.replace("ours 2"));
  EXPECT_EQ(text_of(path("f")), "ours 2");
  made("f", "foreign, in place");
  EXPECT_FALSE(document.replace("ours 3"));
  fs::rename(made("g", "foreign"), path("f"));
  EXPECT_FALSE(document.replace("ours 3"));
  document.remove();
  EXPECT_EQ(text_of(path("f")), "foreign");
}

TEST_F(OutputFiles, OnlyTheFileThatWasMadeIsRemoved) {
  for (const bool replaced : {false, true}) {
    auto place = look(path("metrics"));
    ASSERT_TRUE(place);
    named_ = {};
    Document document(std::move(*place), Document::Durability::unsynced);
    ASSERT_TRUE(document.replace("ours 1"));
    ASSERT_TRUE(document.replace("ours 2"));
    if (replaced) fs::rename(made("other", "a user's"), path("metrics"));
    document.remove();
    EXPECT_EQ(fs::exists(path("metrics")), replaced);
  }
}

TEST_F(OutputFiles, AStreamEmptiesItsFileAtTheFirstRecord) {
  made("stream", "ours, old");
  auto place = look(path("stream"));
  ASSERT_TRUE(place);
  Stream stream(std::move(*place));
  EXPECT_EQ(text_of(path("stream")), "ours, old");
  EXPECT_TRUE(stream.write("1\n"));
  EXPECT_TRUE(stream.write("2\n"));
  EXPECT_EQ(text_of(path("stream")), "1\n2\n");
  named_ = {};
  auto more = look(path("stream"), true);
  ASSERT_TRUE(more);
  Stream appended(std::move(*more), Stream::Start::appended);
  EXPECT_TRUE(appended.write("3\n"));
  EXPECT_EQ(text_of(path("stream")), "1\n2\n3\n");
}

// Runs write() in a child that is killed at its k-th stop at a system call. False: it had ended before.
template <class Write>
bool killed_at(int k, const Write& write) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::ptrace(PTRACE_TRACEME, 0, nullptr, nullptr);
    ::raise(SIGSTOP);
    write();
    ::_exit(0);
  }
  int status = 0;
  for (int stop = 0; ::waitpid(child, &status, 0) == child && WIFSTOPPED(status); ++stop) {
    if (stop == k) {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
      return true;
    }
    ::ptrace(PTRACE_SYSCALL, child, nullptr, nullptr);
  }
  return false;
}

// Before and after each system call of the look and of the writing.
TEST_F(OutputFiles, KilledAnywhereTheFileHoldsTheOldOrTheNewText) {
  const std::string old = "ours, old", text(300'000, 'n');
  int points = 0;
  for (const bool there : {true, false}) {
    for (int k = 1;; ++k, ++points) {
      fs::remove(path("report"));
      if (there) made("report", old);
      const bool killed = killed_at(k, [&] {
        NamedFiles named;
        auto place = look_at({"--output", path("report"), begins_with_ours, false}, named);
        if (place) (void)Document(std::move(*place)).replace(text);
      });
      if (!killed) break;
      const auto now = fs::exists(path("report")) ? text_of(path("report")) : "nothing";
      ASSERT_TRUE(now == text || now == (there ? old : "nothing")) << "stop " << k << ": " << now.size() << " bytes";
    }
    EXPECT_EQ(text_of(path("report")), text);
  }
  EXPECT_GE(points, 100);
  EXPECT_LE(files_here(), 3U) << "a kill between two names leaves one temporary file, no other kill does";
}

TEST_F(OutputFiles, AJobsNameIsNoPath) { EXPECT_EQ(file_name_of("../../x"), ".._.._x"); }

}  // namespace
}  // namespace fathom::base::files
