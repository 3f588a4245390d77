// Which characters a terminal is given.
#include "cli/terminal.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

namespace fathom::cli {
namespace {

constexpr const char* kVariables[] = {"LC_ALL", "LC_CTYPE", "LANG"};

class Locale : public testing::Test {
 protected:
  Locale() {
    for (const char* const name : kVariables) {
      const char* const value = std::getenv(name);
      before_.emplace_back(name, value == nullptr ? "" : value);
      ::unsetenv(name);
    }
  }
  ~Locale() override {
    for (const auto& [name, value] : before_)
      if (value.empty())
        ::unsetenv(name);
      else
        ::setenv(name, value.c_str(), 1);
  }

 private:
  std::vector<std::pair<const char*, std::string>> before_;
};

TEST_F(Locale, TheFirstVariableSetDecides) {
  EXPECT_TRUE(draws_utf8()) << "nothing is known";
  ::setenv("LANG", "de_DE.UTF-8", 1);
  EXPECT_TRUE(draws_utf8());
  ::setenv("LC_CTYPE", "C", 1);
  EXPECT_FALSE(draws_utf8());
  ::setenv("LC_ALL", "C.utf8", 1);
  EXPECT_TRUE(draws_utf8());
  ::setenv("LC_ALL", "en_US.ISO-8859-1", 1);
  EXPECT_FALSE(draws_utf8());
  ::setenv("LC_ALL", "", 1);
  EXPECT_FALSE(draws_utf8()) << "empty is not set";
}

TEST_F(Locale, OfAsciiHasAsciiSigns) {
  const int none = ::open("/dev/null", O_WRONLY);
  EXPECT_EQ(as_shown(none, "within ±2 %\x1b\n"), "within ±2 %\\x1b\n");
  ::setenv("LC_ALL", "C", 1);
  EXPECT_EQ(as_shown(none, "within ±2 %\n"), "within +-2 %\n");
  ::close(none);
}

}  // namespace
}  // namespace fathom::cli
