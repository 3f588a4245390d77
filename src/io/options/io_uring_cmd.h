// Options of commands that pass through io_uring. Only one kind exists, so its value is not stored.
#pragma once
#include "io/option_table.h"

namespace fathom::io {

inline constexpr Choice kCmdTypes[] = {{"nvme", 0, "NVMe commands"}};

inline Outcome read_cmd_type(const Targets&, const Value& value) {
  if (value.text == "bsg")
    return wrong("fio's `cmd_type=bsg` is not built in fathom yet", "fathom passes only NVMe commands through io_uring",
                 "write `ioengine=sg` for SCSI commands", value.text, base::ErrorKind::not_built);
  int only = 0;
  return read_choice(value, only);
}

inline constexpr Row kIoUringCmdRows[] = {
    special<read_cmd_type>({"cmd_type", "nvme", "Kind of the commands to pass through"}, Type::choice, 0, 0, 0, false,
                           kCmdTypes),
};
inline constexpr OptionTable kIoUringCmdOptions{"io_uring_cmd", kIoUringCmdRows};

}  // namespace fathom::io
