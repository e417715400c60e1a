#include "sim/lab/asked.h"

#include <algorithm>
#include <functional>
#include <span>
#include <utility>

#include "profiles/base/json_write.h"
#include "profiles/base/sha256.h"
#include "sim/board/files_to_send.h"

namespace tandem {
namespace {

bool IsOf(const ProfiledModel& wish, const PartsWish::Piece& piece) { return piece.model == wish.model; }

// The pieces that are to be split, where some are named.
void LeavePieces(ProfileOrder& order, const std::function<bool(const PartsWish::Piece&)>& stays) {
  if (!order.parts || order.parts->of.empty()) return;
  std::erase_if(order.parts->of, [&](const PartsWish::Piece& piece) { return !stays(piece); });
  if (order.parts->of.empty()) order.parts.reset();  // none named: all would be measured
}

// What a board says of itself from day to day need not be the same.
void ForgetFigures(Platform& platform) {
  platform.note.clear();
  for (Memory& memory : platform.memories) {
    memory.capacity_bytes.reset();
    memory.bandwidth_bytes_per_s.reset();
  }
  for (Hub& hub : platform.hubs) hub = {hub.name, 1, {}};
  for (Unit& unit : platform.units) {
    unit.idle_w.reset();
    unit.busy_w.reset();
    unit.states.clear();
  }
}

ProfileOrder OfOneModel(ProfileOrder order, const ProfiledModel& wish) {
  const ProfileOrder standard;
  ForgetFigures(order.platform);
  // In pairs each model is measured beside every other.
  if (order.co_running != CoRunningWish::kPairs) order.models = {wish};
  LeavePieces(order, [&](const PartsWish::Piece& piece) { return IsOf(wish, piece); });
  order.noise = standard.noise;
  order.budget = standard.budget;
  order.min_samples = standard.min_samples;
  order.warm_up = standard.warm_up;
  order.seed = standard.seed;
  return order;
}

}  // namespace

std::vector<std::string> HashesOfAsked(const ProfileOrder& order, const std::vector<std::string>& arguments) {
  std::vector<std::string> hashes;
  for (const ProfiledModel& wish : order.models) {
    std::string text = ProfileOrderJson(OfOneModel(order, wish));
    for (const OfferedFile& file : FilesNamedIn(text)) text += file.sha256;
    text += JsonStrings(arguments) + wish.model + " " + std::to_string(wish.batch);
    hashes.push_back(Sha256(std::as_bytes(std::span(text))));
  }
  return hashes;
}

ProfileOrder WithoutAnswered(ProfileOrder order, const std::vector<std::string>& hashes,
                             const std::vector<std::string>& answered) {
  const std::vector<ProfiledModel> all = std::move(order.models);
  order.models.clear();
  for (std::size_t m = 0; m < all.size(); ++m) {
    const bool known = std::find(answered.begin(), answered.end(), hashes[m]) != answered.end();
    if (!known) order.models.push_back(all[m]);
  }
  LeavePieces(order, [&](const PartsWish::Piece& piece) {
    return std::any_of(order.models.begin(), order.models.end(),
                       [&](const ProfiledModel& wish) { return IsOf(wish, piece); });
  });
  return order;
}

}  // namespace tandem
