// Texts and numbers in a row of bytes, for what one process tells another through a pipe or through memory that they
// share: four bytes of length and the bytes of each; a number is a part of eight bytes. An Error so travels whole, with
// its remedy and its place. Pure; any thread.
#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/error.h"

namespace fathom::base {

class Packer {
 public:
  void number(std::int64_t n);
  void text(std::string_view s);
  void error(const Error& error);
  std::string take() { return std::move(bytes_); }

 private:
  std::string bytes_;
};

// What is torn off reads as nothing, and is told.
class Unpacker {
 public:
  explicit Unpacker(std::string_view bytes) : rest_(bytes) {}
  bool torn() const { return torn_; }
  bool empty() const { return rest_.empty(); }
  std::int64_t number();
  std::string text();
  Error error();

 private:
  std::string_view rest_;
  bool torn_ = false;
};

// In at most so many bytes (512 or more): where the whole is longer, first the quoted line and what was wrong besides
// are left out, then each sentence is cut.
std::string packed_within(std::size_t most_bytes, Error error);

}  // namespace fathom::base
