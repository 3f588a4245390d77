// Reading what a user names.
#include "base/files/input_file.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <string>

#include "base/system/fd.h"

namespace fathom::base::files {
namespace {

TEST(InputFile, EndsAtItsLimit) {
  char name[] = "/tmp/fathom-input-XXXXXX";
  const system::UniqueFd fd(::mkstemp(name));
  ASSERT_TRUE(fd);
  std::ofstream(name) << std::string(3000, 'x');
  const auto whole = read_input("job file", name, 3000);
  ASSERT_TRUE(whole);
  EXPECT_EQ(whole->size(), 3000U);
  const auto too_large = read_input("job file", name, 2999);
  ASSERT_FALSE(too_large);
  EXPECT_EQ(too_large.error().kind, ErrorKind::usage);
  EXPECT_NE(too_large.error().what.find("too large"), std::string::npos);
  const auto cut = read_input("job file", name, 2999, Larger::cut);
  ASSERT_TRUE(cut);
  EXPECT_EQ(cut->size(), 2999U);
  ::unlink(name);
  const auto gone = read_input("job file", name, 2999);
  ASSERT_FALSE(gone);
  EXPECT_EQ(gone.error().sys_errno, ENOENT);
}

TEST(InputFile, ADeviceIsRefusedAndNothingIsEmpty) {
  for (const auto* device : {"/dev/zero", "/dev/urandom", "/dev/full"}) {
    const auto text = read_input("job file", device, 1 << 20);
    ASSERT_FALSE(text) << device;
    EXPECT_EQ(text.error().cause, "the file is a device");
  }
  const auto nothing = read_input("job file", "/dev/null", 1 << 20);
  ASSERT_TRUE(nothing);
  EXPECT_EQ(*nothing, "");
  const auto folder = read_input("job file", "/tmp", 1 << 20);
  ASSERT_FALSE(folder);
  EXPECT_EQ(folder.error().sys_errno, EISDIR);
}

TEST(InputFile, APipeIsReadToItsEnd) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  ASSERT_EQ(::write(ends[1], "[a]\n", 4), 4);
  ::close(ends[1]);
  const system::UniqueFd reader(ends[0]);
  const auto text = read_input("job file", "/dev/fd/" + std::to_string(reader.get()), 1 << 20);
  ASSERT_TRUE(text);
  EXPECT_EQ(*text, "[a]\n");
}

}  // namespace
}  // namespace fathom::base::files
