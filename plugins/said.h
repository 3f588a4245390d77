// The error of a call, and the options that the job gave.
#pragma once
#include <fathom_engine.h>

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <string_view>

namespace fathom::plugins {

inline void say(fathom_error& error, int number, std::string_view cause, std::string_view help) {
  error.number = number;
  std::snprintf(error.cause, sizeof error.cause, "%.*s", static_cast<int>(cause.size()), cause.data());
  std::snprintf(error.help, sizeof error.help, "%.*s", static_cast<int>(help.size()), help.data());
}

// nullptr: the job does not have it.
inline const char* option_of(const fathom_open& asked, const char* name) {
  for (std::uint32_t i = 0; i < asked.option_count; ++i)
    if (std::strcmp(asked.options[i].name, name) == 0) return asked.options[i].value;
  return nullptr;
}

}  // namespace fathom::plugins
