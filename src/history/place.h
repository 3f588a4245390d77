// Where a history is if the user does not name its file: $XDG_DATA_HOME/fathom/history.db, without that variable
// ~/.local/share/fathom/history.db. Source: XDG Base Directory Specification 0.8, which ignores relative directories.
#pragma once
#include <string>

#include "base/error.h"

namespace fathom::history {

// ErrorKind::usage: neither XDG_DATA_HOME nor HOME is an absolute path.
base::Expected<std::string> usual_file();
// Makes the missing directories of a file, for the user alone.
base::Expected<void> make_directories_of(const std::string& file);

}  // namespace fathom::history
