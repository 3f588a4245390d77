// Reading the test's own files, and golden texts: FATHOM_REGOLD=1 writes them anew instead of comparing.
#pragma once
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string>

namespace fathom::report {

inline std::string test_path(const std::string& name) {
  return std::string(FATHOM_SOURCE_DIR) + "/tests/report/" + name;
}

inline std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

inline void expect_golden(const std::string& name, const std::string& text) {
  const std::string path = test_path("golden/" + name);
  if (std::getenv("FATHOM_REGOLD")) {
    std::ofstream(path, std::ios::binary) << text;
    GTEST_SKIP() << "wrote " << path;
  }
  EXPECT_EQ(text, read_text(path)) << "FATHOM_REGOLD=1 writes " << path << " anew";
}

}  // namespace fathom::report
