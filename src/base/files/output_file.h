// Output files of this program, other than the targets of its jobs. A document (a report, a result) replaces a file as
// a whole: a temporary file in the same directory gets owner, mode and attributes of the old file, is synced, and takes
// its name in one step. So a reader, a full disk or SIGKILL finds or leaves either the old file or the new one. If a
// name cannot be replaced (a bind-mounted file, several hard links, a directory without write permission), the text is
// written in place after its space is reserved. A stream (samples, logs) is opened or emptied at its first record and
// grows in place. Targets other than regular files are written to directly. Sources: rename(2), fallocate(2), fsync(2),
// xattr(7). Thread rule: one thread.
#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <string_view>

#include "base/error.h"
#include "base/files/place.h"

namespace fathom::base::files {

class Document {
 public:
  enum class Durability { synced, unsynced };  // unsynced: written so often that syncing would add load

  Document() = default;
  explicit Document(Place place, Durability durability = Durability::synced)
      : place_(std::move(place)), durability_(durability) {}
  const Place& place() const { return place_; }
  // The descriptor if it is open or the file is already written, else -1. The caller uses it to detect a terminal.
  int descriptor() const {
    return place_.kind == PlaceKind::open ? place_.fd.get() : place_.kind == PlaceKind::standard_output ? 1 : fd_.get();
  }
  // Sets the file's whole content. On failure the old file stays. If the file was written in place, it is restored.
  Expected<void> replace(std::string_view text);
  // Appends text at the end.
  Expected<void> append(std::string_view text);
  // Removes the file if it is the one that replace() made, and no other process has replaced it since.
  void remove();

 private:
  Expected<void> look_again();
  Expected<void> write_beside(std::string_view text, bool& possible);
  Expected<void> write_in_place(std::string_view text);
  Error failed(int err) const;

  Place place_;
  Durability durability_ = Durability::synced;
  system::UniqueFd fd_;  // what replace() wrote
};

class Stream {
 public:
  enum class Start { emptied, appended };

  Stream() = default;
  explicit Stream(Place place, Start start = Start::emptied) : place_(std::move(place)), start_(start) {}
  const Place& place() const { return place_; }
  // Returns the descriptor, and opens it if necessary. Opening empties an existing file, or appends to it (Start).
  Expected<int> open();
  Expected<void> write(std::string_view text);

 private:
  Place place_;
  Start start_ = Start::emptied;
  system::UniqueFd fd_;
};

// Removes a regular file if `is_ours` accepts its head: a file of another process of this program.
void remove_if(const std::string& path, Recognizer is_ours);

// Writes all of `text`. Returns 0, or errno of the failed call.
int write_all(int fd, std::string_view text);
inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace fathom::base::files
