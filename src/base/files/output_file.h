// What this program writes beside the targets of its jobs. A document (a report, a result) replaces a file whole: a temporary file in the same directory
// gets owner, mode and attributes of the old one, is synced and takes its name in one step, so that a reader, a full disk or SIGKILL leaves the old file
// or the new one. Where a name cannot be replaced (a bind-mounted file, several hard links, a directory without write permission) the text is written in
// place once its space is reserved. A stream (samples, logs) is opened or emptied at its first record and grows in place. What is no regular file is
// written to as it is. Sources: rename(2), fallocate(2), fsync(2), xattr(7). Thread rule: one thread.
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
  enum class Durability { synced, unsynced };  // unsynced: written so often that syncing it would be load of its own

  Document() = default;
  explicit Document(Place place, Durability durability = Durability::synced)
      : place_(std::move(place)), durability_(durability) {}
  const Place& place() const { return place_; }
  // Of an open descriptor or a file that is written already, else -1: whether it is a terminal.
  int descriptor() const {
    return place_.kind == PlaceKind::open ? place_.fd.get() : place_.kind == PlaceKind::standard_output ? 1 : fd_.get();
  }
  // The file's whole content. On failure the old file stays, or where it was written in place it is restored.
  Expected<void> replace(std::string_view text);
  // More of it, at its end.
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
  // The descriptor, opened now if it is not. A file that was there is emptied, or grows.
  Expected<int> open();
  Expected<void> write(std::string_view text);

 private:
  Place place_;
  Start start_ = Start::emptied;
  system::UniqueFd fd_;
};

// Removes a regular file with such a head: of other processes of this program.
void remove_if(const std::string& path, Recognizer is_ours);

// All of `text`; 0 or the errno of what failed.
int write_all(int fd, std::string_view text);
inline std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace fathom::base::files
