// A library that is there, one that is not, and a function that is not in it.
#include "base/system/shared_library.h"

#include <gtest/gtest.h>

namespace fathom::base::system {
namespace {

TEST(SharedLibrary, FindsTheFunctionsOfOneThatIsThere) {
  SharedLibrary library("libm.so.6");
  double (*cube_root)(double) = nullptr;
  library.take("cbrt", cube_root);
  EXPECT_EQ(library.missing(), "");
  ASSERT_NE(cube_root, nullptr);
  EXPECT_DOUBLE_EQ(cube_root(27), 3);
}

TEST(SharedLibrary, NamesTheFunctionThatIsMissing) {
  SharedLibrary library("libm.so.6");
  double (*cube_root)(double) = nullptr;
  void (*other)() = nullptr;
  library.take("cbrt", cube_root);
  library.take("no_such_function_of_it", other);
  library.take("cbrt", cube_root);
  EXPECT_EQ(library.missing(), "no_such_function_of_it");
  EXPECT_EQ(other, nullptr);
}

TEST(SharedLibrary, NamesTheFileThatIsMissing) {
  SharedLibrary library("libthere-is-none.so.7");
  void (*function)() = nullptr;
  library.take("anything", function);
  EXPECT_EQ(function, nullptr);
  EXPECT_NE(library.missing().find("libthere-is-none.so.7"), std::string::npos) << library.missing();
}

}  // namespace
}  // namespace fathom::base::system
