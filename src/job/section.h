// A job or [global] as written, before its options are parsed.
#pragma once
#include <string>
#include <vector>

#include "options/source.h"

namespace fathom::job {

struct Section {
  std::string name;
  bool global = false;
  bool from_command_line = false;
  options::Assignment place;                 // place of the name
  std::vector<options::Assignment> options;  // options of included files are at the place of the include
};

}  // namespace fathom::job
