// A job or [global] as it was written, before any option is understood.
#pragma once
#include <string>
#include <vector>

#include "options/source.h"

namespace fathom::job {

struct Section {
  std::string name;
  bool global = false;
  bool from_command_line = false;
  options::Assignment place;                 // where the name stands
  std::vector<options::Assignment> options;  // those of included files are in their place
};

}  // namespace fathom::job
