// A run's latencies and rates, drawn with characters: for each job and direction a histogram, its percentiles as a
// curve, and the rates over time. All histograms of a run share one axis, so that they compare by eye. The plots follow
// the text with the numbers, and never replace it: with a screen reader the numbers come first. Pure.
#pragma once
#include <string>

#include "report/formats.h"

namespace fathom::report::plots {

// For a run that parts::shown() made. Empty without samples; no line is wider than the canvas.
std::string drawn(const result::Run& run, const Canvas& canvas);

}  // namespace fathom::report::plots
