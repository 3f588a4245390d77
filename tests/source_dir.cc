// in_source(): the one unit that is told where the repository lies.
#include "source_dir.h"

namespace fathom {

std::string in_source(const std::string& name) { return std::string(FATHOM_SOURCE_DIR) + "/" + name; }

}  // namespace fathom
