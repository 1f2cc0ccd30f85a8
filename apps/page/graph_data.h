// A lesson's autograd graph as the explorer's page draws it: GRAPH in docs/explorer.md.
#pragma once
#include "apps/cli/json_number.h"
#include "apps/lesson/recording.h"

namespace glassgrad::explorer {

// Returns the graph of the last tensor that has one: {"title", "nodes", "leaves", "collapsed": DRAWING with
// modules as boxes, "expanded": DRAWING with a box for every node, or null}. Returns null if nothing requires
// a gradient.
//   DRAWING = {"width", "height", "boxes": [{"kind", "lines", "address", "x", "y", "width", "height",
//              "from"}], "wires": [{"from", "to", "path"}]}
Json graph_json(const learn::Recording& forward);

}  // namespace glassgrad::explorer
