// --live=WHAT of every command that measures: what follows it while it does. An object of JSON a second, a file for
// Prometheus, a page that a browser of this machine shows. Plain data; the command's own folder opens it.
#pragma once
#include <cstdint>
#include <string>

namespace fathom::options {

struct Live {
  // metrics are removed at the end, kept_metrics stay.
  enum class Kind { json, metrics, kept_metrics, page };
  Kind kind = Kind::json;
  std::string path;        // of json empty: standard output
  std::uint16_t port = 0;  // of a page; 0: one that is free
};

}  // namespace fathom::options
