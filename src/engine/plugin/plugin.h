// Engines in shared objects: the rows FATHOM_PLUGIN of io/engine_rows.inc. A shared object is loaded when a job needs it,
// so the program needs no library of an engine. include/fathom_engine.h is the interface.
// A row needs no further file here: rows.cc defines make_NAME() and NAME_targets from it.
// Thread rule: any thread; loading takes a lock, and is not on the I/O path.
#pragma once
#include <fathom_engine.h>

#include <memory>
#include <string>
#include <string_view>

#include "engine/batch.h"
#include "engine/engine.h"

namespace fathom::engine::plugin {

struct PluginRow {
  std::string_view name;
  std::string_view file;     // empty: the job names it, ioengine=NAME:PATH
  std::string_view package;  // the Debian package of the library that the file needs
};

// The functions of the shared object, which stays loaded. Error: it does not exist, is not an engine of fathom, was made
// for another version of the interface, or the library is missing.
base::Expected<const fathom_engine*> load(const PluginRow& row, const io::EngineOptions& options);

std::unique_ptr<BatchEngine> make_engine(const PluginRow& row);
base::Expected<TargetFacts> look_at(const PluginRow& row, const std::string& name, const io::EngineOptions& options);
// The target that an option named; empty: filename= names the targets.
std::string target_of(const io::EngineOptions& options);
// The URL below which filename= names files; empty: the engine has no files.
std::string directory_of(const io::EngineOptions& options);
// Names that are joined by colons. A name may be a URL.
base::Expected<std::vector<std::string>> split_names(std::string_view joined);

// An error that the shared object reported. `call`: "open" or "look at".
base::Error refused(const PluginRow& row, std::string_view call, const std::string& target, fathom_error error);

// The options of a job for the shared object. Refers to the texts of `options`.
class Asked {
 public:
  Asked(const io::EngineOptions& options, std::vector<const char*> targets);
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;
  fathom_open open = {};

 private:
  const std::vector<const char*> targets_;
  std::vector<fathom_option> options_;
};

}  // namespace fathom::engine::plugin
