#include "policies/kinds/common_work.h"

namespace tandem {
namespace {

template <class Uses>
std::vector<UnitId> UsersOf(const Platform& platform, const Uses& uses) {
  std::vector<UnitId> users;
  for (std::size_t u = 0; u < platform.units.size(); ++u) {
    if (uses(platform.units[u])) users.emplace_back(u);
  }
  return users;
}

}  // namespace

CommonWork::CommonWork(const Platform& platform) : parts_(platform.units.size()) {
  for (std::size_t u = 0; u < platform.units.size(); ++u) {
    const Unit& unit = platform.units[u];
    const auto add = [&](std::vector<UnitId> users) {
      std::erase(users, UnitId(u));
      const bool known = std::ranges::find(parts_[u], users) != parts_[u].end();
      any_ = any_ || !users.empty();
      if (!users.empty() && !known) parts_[u].push_back(std::move(users));
    };
    for (const std::int64_t core : unit.cores) {
      add(UsersOf(platform,
                  [&](const Unit& of) { return std::ranges::find(of.cores, core) != of.cores.end(); }));
    }
    if (unit.device) add(UsersOf(platform, [&](const Unit& of) { return of.device == unit.device; }));
  }
}

}  // namespace tandem
