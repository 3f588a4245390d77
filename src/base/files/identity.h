// Which file a name means, and which files one command names. Two names may mean one file: by links, by hard links, by another path. Thread rule: one
// thread.
#pragma once
#include <sys/stat.h>
#include <sys/types.h>

#include <string>
#include <string_view>
#include <vector>

#include "base/error.h"

namespace fathom::base::files {

// Device and inode. Of a file that does not exist: those of its directory, and its name there.
struct Identity {
  dev_t device = 0;
  ino_t inode = 0;
  std::string name;  // empty: the file exists
  friend bool operator==(const Identity&, const Identity&) = default;
};

Identity identity_of(const struct stat& file);
// Links followed; `-` is standard input. Invalid (inode 0) where not even its directory exists, and for devices, pipes and sockets, which several names of one command may share.
Identity identity_of(const std::string& path);

// The files of one command: what it reads, what its jobs read and write, and what it writes beside them.
class NamedFiles {
 public:
  // as: "the job file", "job `a`'s target", "--report".
  void add(std::string as, const std::string& path) { add(std::move(as), identity_of(path)); }
  void add(std::string as, Identity identity);
  // ErrorKind::refused where an output would be one of the files that are here already.
  Expected<void> check(const std::string& as, const std::string& path, const Identity& identity) const;
  // And else it is added.
  Expected<void> claim(std::string as, const std::string& path, Identity identity);

 private:
  struct Row {
    std::string as;
    Identity identity;
  };
  std::vector<Row> rows_;
};

}  // namespace fathom::base::files
