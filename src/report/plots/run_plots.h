// What a run's latencies and rates look like, drawn with characters: of each job and direction a histogram, its percentiles
// as a curve, and the rates over time. All histograms of a run stand on one axis, so that they compare by eye. It is behind
// the text that has the numbers, never in their place: who has the report read aloud hears them first. Pure.
#pragma once
#include <string>

#include "report/formats.h"

namespace fathom::report::plots {

// Of a run that parts::shown() made. Empty of one without samples; no line is wider than the canvas.
std::string drawn(const result::Run& run, const Canvas& canvas);

}  // namespace fathom::report::plots
