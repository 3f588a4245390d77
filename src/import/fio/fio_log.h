// fio's logs (--write_bw_log, --write_iops_log, --write_lat_log, --write_hist_log) as results: a line an I/O, a line a
// window (log_avg_msec), or a histogram a window. What a log holds is in its name, PREFIX_clat.1.log, and nowhere else.
// Its times are whole ms. Errors: usage with file:line:column: a line that is cut short, no number, lines of two layouts.
// Pure.
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
  std::string prefix;  // of the file name, which is the job's name unless its option named another
};
// "out/p_clat.2.log.host": clat, "p". nullopt: not a name that fio gives.
std::optional<LogName> log_name(std::string_view file_name);

// Whether the first line is of whole numbers between commas.
bool is_fio_log(std::string_view text);
// columns: names of all columns, "ms,value,max,ddir,bs,prio"; empty: they are found, and a finding says what was assumed
// where two layouts have as many.
base::Expected<result::Run> read_fio_log(std::string_view text, const std::string& file_name,
                                         const std::string& columns);

}  // namespace fathom::import::fio
