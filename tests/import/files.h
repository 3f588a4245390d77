// The synthetic files of tests/import/data, and small changes to them.
#pragma once
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>
#include <string>

namespace fathom::import {

inline std::string sample(const std::string& name) {
  const std::string path = std::string(FATHOM_SOURCE_DIR) + "/tests/import/data/" + name;
  std::ifstream in(path, std::ios::binary);
  EXPECT_TRUE(in) << path;
  return {std::istreambuf_iterator<char>(in), {}};
}

// The text with the first `from` replaced; fails where there is none.
inline std::string with(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  return at == std::string::npos ? text : text.replace(at, from.size(), to);
}

}  // namespace fathom::import
