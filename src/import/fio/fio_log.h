// Converts fio's logs (--write_bw_log, --write_iops_log, --write_lat_log, --write_hist_log) to results: a line per I/O,
// a line per window (log_avg_msec), or a histogram per window. Only the file name has the kind of log:
// PREFIX_clat.1.log. Its times are whole ms. Errors: usage with file:line:column: a truncated line, an invalid number,
// lines of two layouts. Pure.
#pragma once
#include <optional>
#include <string>
#include <string_view>

#include "base/error.h"
#include "result/result.h"

namespace fathom::import::fio {

struct LogName {
  enum class Kind { bw, iops, slat, clat, lat, clat_hist };
  Kind kind;
  std::string prefix;  // from the file name: the job's name, unless its option set another
};
// "out/p_clat.2.log.host": clat, "p". nullopt: not a name that fio uses.
std::optional<LogName> log_name(std::string_view file_name);

// True if the first line is whole numbers separated by commas.
bool is_fio_log(std::string_view text);
// columns: names of all columns, "ms,value,max,ddir,bs,prio". Empty: they are detected; if two layouts have as many
// columns, a finding reports the assumption.
base::Expected<result::Run> read_fio_log(std::string_view text, const std::string& file_name,
                                         const std::string& columns);

}  // namespace fathom::import::fio
