// Options that belong to one engine or to several: one file each in src/io/options/, with the struct for the values and
// a table of rows. The engines' rows (io/engine_rows.inc) name their tables, so a table names no engine.
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

using namespace options;  // the option files use its names

inline constexpr std::string_view kOwn = "fathom's own";  // note of an option that does not exist in fio

// Base of such a struct: rows find it in the job's engine options.
struct OfEngine {
  using KeptIn = EngineOptions;
};

// Called when all options of an engine are known. It sets the values that follow from them, or returns an error.
using Settle = Outcome (*)(EngineOptions&, const Mode&);

// Gives repetition `number` (from 1, --repeat) its own seed, and returns the option with the value.
using Reseed = std::pair<std::string, std::string> (*)(EngineOptions&, std::uint64_t number);

struct OptionTable {
  std::string_view name;  // tables are shown in the order of their names
  std::span<const Row> rows;
  std::string_view heading = "Options of engines";
  Settle settle = nullptr;
  Reseed reseed = nullptr;  // for engines with random values
};

}  // namespace fathom::io
