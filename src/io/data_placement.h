// dataplacement, plids: the placement that each write of a job requests from the device (NVMe directives: flexible data
// placement, streams). Every job may set them, and few engines use them: they are not in an engine's table.
#pragma once
#include <string>
#include <vector>

#include "io/option_table.h"

namespace fathom::io {

enum class Placement : std::uint8_t { none, fdp, streams };
enum class PlacementSelect : std::uint8_t { roundrobin, random, scheme };

struct DataPlacementOptions : OfEngine {
  Placement kind = Placement::none;
  PlacementSelect select = PlacementSelect::roundrobin;
  std::vector<std::uint16_t> ids;  // plids: for fdp, indices into the device's placements; else stream numbers
  std::string scheme_file;
};

inline constexpr std::size_t kMostPlacements = 128;  // fio's limit

inline constexpr Choice kPlacements[] = {
    {"none", int(Placement::none), "none"},
    {"fdp", int(Placement::fdp), "flexible data placement: the reclaim unit handles of the namespace"},
    {"streams", int(Placement::streams), "streams, by the numbers of plids="},
};
inline constexpr Choice kPlacementSelects[] = {
    {"roundrobin", int(PlacementSelect::roundrobin), "in turn"},
    {"random", int(PlacementSelect::random), "at random, with equal shares"},
    {"scheme", int(PlacementSelect::scheme), "by the offset, as in the file of dp_scheme"},
};

inline Outcome read_fdp(DataPlacementOptions& own, const Value& value) {
  if (value.text != "0" && value.text != "1")
    return wrong("not 0 or 1", "", "write `fdp=1`, or the newer `dataplacement=fdp`", value.text);
  own.kind = value.text == "1" ? Placement::fdp : Placement::none;
  return {};
}

inline Outcome read_plids(DataPlacementOptions& own, const Value& value) {
  std::vector<std::uint16_t> ids;
  for (const auto part : options::split(value.text, ',')) {
    double id = 0;
    if (auto problem = read_real(value.part(part), 0, 65535, id)) return problem;
    if (ids.size() == kMostPlacements) return wrong("too many placements", "the limit is 128", "write fewer", part);
    ids.push_back(static_cast<std::uint16_t>(id));
  }
  own.ids = std::move(ids);
  return {};
}

inline constexpr Row kDataPlacementRows[] = {
    special<read_fdp>({"fdp", "0", "Older name of dataplacement=fdp"}, Type::boolean),
    choice<&DataPlacementOptions::kind>({"dataplacement data_placement", "none", "Kind of placement of writes"},
                                        kPlacements),
    special<read_plids>({"plids fdp_pli", "", "Placements of the job: 0,2,4 (default: all of the namespace)"},
                        Type::list),
    choice<&DataPlacementOptions::select>(
        {"plid_select fdp_pli_select", "roundrobin", "Selection of the placement for each write"}, kPlacementSelects),
    text<&DataPlacementOptions::scheme_file>(
        {"dp_scheme", "", "File with a line `start, end, placement` for each range of offsets"}),
};

}  // namespace fathom::io
