// The position of an error in a file, as shown to the user.
#pragma once
#include <cstddef>
#include <string>
#include <string_view>

#include "base/error.h"

namespace fathom::import {

// Position of a byte of the text. The line itself is included only if it is short enough to show.
base::SourcePlace place_in(std::string_view text, const std::string& file_name, std::size_t offset);

}  // namespace fathom::import
