// Pages that wait for the disk stay below the limit, however much is written.
#include "base/files/write_behind.h"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <string>

#include "base/system/fd.h"

namespace fathom::base::files {
namespace {

TEST(WriteBehind, WhatIsNotOnTheDiskStaysBelowTheLimit) {
  char name[] = "/tmp/fathom-behind-XXXXXX";
  const base::system::UniqueFd file(::mkstemp(name));
  ASSERT_TRUE(file);
  ::unlink(name);
  WriteBehind behind(1 << 20);
  const std::string piece(100'000, 'x');
  std::uint64_t end = 0;
  for (int i = 0; i < 100; ++i) {
    ASSERT_EQ(::write(file.get(), piece.data(), piece.size()), static_cast<ssize_t>(piece.size()));
    behind.wrote(file.get(), end += piece.size());
    EXPECT_LE(behind.dirty_bytes(), 1u << 20);
  }
}

TEST(WriteBehind, WithoutALimitNothingIsWaitedFor) {
  WriteBehind behind;
  behind.wrote(-1, 1 << 30);
  EXPECT_EQ(behind.dirty_bytes(), 1u << 30);
}

TEST(WriteBehind, ItBeginsWhereTheFileEnds) {
  WriteBehind behind(1 << 20);
  behind.begin_at(1 << 30);
  behind.wrote(-1, (1 << 30) + 4096);
  EXPECT_EQ(behind.dirty_bytes(), 4096u);
}

}  // namespace
}  // namespace fathom::base::files
