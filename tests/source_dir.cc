#include "source_dir.h"

namespace fathom {

std::string in_source(const std::string& name) { return std::string(FATHOM_SOURCE_DIR) + "/" + name; }

}  // namespace fathom
