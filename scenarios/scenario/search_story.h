// How a search came to what it decided: told by reports, kept in plans.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "profiles/base/fields.h"

namespace tandem {

struct SearchStory {
  // A limit of the scenario that a schedule broke, and no other: the value nearest to the bound.
  struct Relaxed {
    std::string limit;
    double value = 0;
  };
  std::int64_t tried = 0;  // schedules that were simulated
  std::string stopped;     // why no more were
  std::int64_t draws = 0;  // of the times, by which the last few were compared; 0: there was nothing to draw
  std::string simplest;    // which rule was taken since the best one cannot be told from it; empty: none was
  std::vector<Relaxed> relaxed = {};  // by limit; none where a schedule kept all
};

const Fields<SearchStory>& SearchStoryFields();

// "1200 schedules tried; it stopped since nothing can be better; ..."
std::string SearchText(const SearchStory& story);

}  // namespace tandem
