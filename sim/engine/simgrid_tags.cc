#include "sim/engine/simgrid_tags.h"

#include <cmath>
#include <locale>
#include <sstream>
#include <vector>

#include "profiles/base/json_write.h"

namespace tandem {

std::optional<StateOfHost> ReadStateOfHost(const std::string& state) {
  std::vector<double> watts;
  std::istringstream fields(state);
  for (std::string field; std::getline(fields, field, ':');) {
    std::istringstream text(field);
    text.imbue(std::locale::classic());
    double value = 0;
    if (!(text >> value) || !(text >> std::ws).eof() || !std::isfinite(value) || value < 0)
      return std::nullopt;
    watts.push_back(value);
  }
  if (watts.size() < 2 || watts.size() > 3 || state.ends_with(':')) return std::nullopt;
  return StateOfHost{watts.front(), watts.back()};
}

// Its own draw, then that of each of its states. SimGrid's figure is that of all cores, and a unit draws what
// it does above idle for each slot that works.
HostTags TagsOf(const Unit& unit) {
  HostTags tags;
  tags.cores = unit.AtFullSpeed();
  std::vector<Watts> draws = {{unit.idle_w, unit.busy_w}};
  for (const StateWatts& state : unit.states) {
    Unit in = unit;
    in.state = state.name;
    draws.push_back(in.Draws());
  }
  std::string all;
  for (const Watts& in : draws) {
    if (!in.idle || !in.busy) return tags;
    const std::string none = JsonNumber(*in.idle);
    all += (all.empty() ? "" : ",") + none + ":" + none + ":" +
           JsonNumber(*in.busy + static_cast<double>(tags.cores - 1) * (*in.busy - *in.idle));
  }
  tags.states = draws.size();
  tags.watts = all;
  return tags;
}

}  // namespace tandem
