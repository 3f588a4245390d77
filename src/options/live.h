// --live=WHAT, for every command that measures: live output during the measurement.
// It is one JSON object per second, a file for Prometheus, or a page for a browser on this machine.
// Plain data; the command's module opens the output.
#pragma once
#include <cstdint>
#include <string>

namespace fathom::options {

struct Live {
  // metrics: the file is removed at the end; kept_metrics: it remains.
  enum class Kind { json, metrics, kept_metrics, page };
  Kind kind = Kind::json;
  std::string path;        // json: empty is standard output
  std::uint16_t port = 0;  // page: 0 is a free port
};

}  // namespace fathom::options
