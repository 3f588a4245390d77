// Serializes texts and numbers for another process (a pipe or shared memory). Each part has a length of four bytes,
// then its bytes; a number is a part of eight bytes. An Error is packed in full, with help and place. Pure; any thread.
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

// Truncated parts read as empty or 0, and torn() becomes true.
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

// Packs into at most most_bytes bytes (512 or more). If the Error is longer, the quoted line and the further errors are
// omitted first. Then each text is cut.
std::string packed_within(std::size_t most_bytes, Error error);

}  // namespace fathom::base
