# events/*.csv: tables of counters as data, compiled in. One generated header holds their text.
file(GLOB event_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/events/*.csv)
set(FATHOM_EVENT_ROWS "")
foreach(file IN LISTS event_files)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${file})
  get_filename_component(name ${file} NAME)
  file(READ ${file} text)
  string(APPEND FATHOM_EVENT_ROWS "    {\"${name}\", R\"fathom_csv(${text})fathom_csv\"},\n")
endforeach()
file(CONFIGURE OUTPUT ${PROJECT_BINARY_DIR}/generated/event_files.h @ONLY CONTENT [[
// Generated from events/*.csv.
#pragma once
#include <string_view>

namespace fathom::pmu {

struct EventFile {
  std::string_view name, text;
};
inline constexpr EventFile kEventFiles[] = {
@FATHOM_EVENT_ROWS@};

}  // namespace fathom::pmu
]])
