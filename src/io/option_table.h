// The options that an engine has of its own, or that several have in common: a file of src/io/options/ each, with the
// struct that the values go to and a table of rows. The engines' rows (io/engine_rows.inc) name the tables that they
// have, so a table names no engine.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "io/engine_options.h"
#include "io/mode.h"
#include "options/rows.h"

namespace fathom::io {

using namespace options;  // the files of options speak in their words

inline constexpr std::string_view kOwn = "fathom's own";  // the note of an option that fio does not have

// What such a struct derives from: rows find it among the job's engine options.
struct OfEngine {
  using KeptIn = EngineOptions;
};

// What an engine's options say together, once all of them are known: it sets what follows from them, or says what is
// wrong.
using Settle = Outcome (*)(EngineOptions&, const Mode&);

// Gives repetition `number` (from 1, --repeat) a seed of its own, and returns the option that says it.
using Reseed = std::pair<std::string, std::string> (*)(EngineOptions&, std::uint64_t number);

struct OptionTable {
  std::string_view name;  // tables are shown in the order of their names
  std::span<const Row> rows;
  std::string_view heading = "Options of engines";
  Settle settle = nullptr;
  Reseed reseed = nullptr;  // what the engine draws has a seed
};

}  // namespace fathom::io
