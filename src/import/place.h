// Where in a file something is wrong, as the user is shown it.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

namespace fathom::import {

// Of a byte of the text; the line itself only where it is short enough to be shown.
base::SourcePlace place_in(std::string_view text, const std::string& file_name, std::size_t offset);

}  // namespace fathom::import
