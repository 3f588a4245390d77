// Identifies files, and records the files that one command names. Two names may refer to one file: through symbolic
// links, hard links, or another path. Thread rule: one thread.
#pragma once
#include <sys/stat.h>
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fathom::base::files {

// Device and inode. For a file that does not exist: those of its directory, and the name in it.
struct Identity {
  dev_t device = 0;
  ino_t inode = 0;
  std::string name;  // empty: the file exists
  friend bool operator==(const Identity&, const Identity&) = default;
};

Identity identity_of(const struct stat& file);
// Follows links; `-` is standard input. Invalid (inode 0) if not even the directory exists. Also invalid for devices,
// pipes and sockets: several names of one command may share these.
Identity identity_of(const std::string& path);

// The files of one command: its input, the files that its jobs read and write, and its other output.
class NamedFiles {
 public:
  // as: "the job file", "job `a`'s target", "--report".
  void add(std::string as, const std::string& path) { add(std::move(as), identity_of(path)); }
  void add(std::string as, Identity identity);
  // ErrorKind::refused if an output would be one of the files recorded here.
  Expected<void> check(const std::string& as, const std::string& path, const Identity& identity) const;
  // As check(); records the file if there is no error.
  Expected<void> claim(std::string as, const std::string& path, Identity identity);

 private:
  struct Row {
    std::string as;
    Identity identity;
  };
  std::vector<Row> rows_;
};

}  // namespace fathom::base::files
