#include "profiles/model/branch_groups.h"

#include <map>

namespace tandem {

std::vector<BranchGroup> FindBranchGroups(const Model& model) {
  const auto in_chain = [&](LayerId id) {
    return model.layer(id).inputs.size() == 1 && model.users(id).size() == 1;
  };
  std::vector<BranchGroup> groups;
  for (std::size_t i = 0; i < model.size(); ++i) {
    const LayerId fork(i);
    if (model.users(fork).size() < 2) continue;
    std::map<LayerId, std::vector<std::vector<LayerId>>> branches_to;
    for (const LayerId first : model.users(fork)) {
      std::vector<LayerId> branch;
      LayerId at = first;
      for (; in_chain(at); at = model.users(at)[0]) branch.push_back(at);
      if (!branch.empty() && model.layer(at).inputs.size() > 1) branches_to[at].push_back(std::move(branch));
    }
    for (auto& [join, branches] : branches_to) {
      if (branches.size() > 1) groups.push_back({fork, join, std::move(branches)});
    }
  }
  return groups;
}

}  // namespace tandem
