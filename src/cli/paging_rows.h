// The options of `fathom paging`, a row each: parser, help and errors come from them. Pure data.
#pragma once
#include <span>
#include <string>
#include <string_view>

#include "cli/nvme_flags.h"
#include "cli/paging_options.h"

namespace fathom::cli {

struct PagingRow {
  std::string_view group;  // heads this row and those below it in the help; empty: of the group above
  Flag flag;
  base::Expected<void> (*read)(PagingOptions& o, const std::string& value);
};
std::span<const PagingRow> paging_load_rows();
std::span<const PagingRow> paging_machine_rows();

}  // namespace fathom::cli
