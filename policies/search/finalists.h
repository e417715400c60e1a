// The last few of a search, judged by draws of the times that vary, not by their medians.
#pragma once

#include <vector>

#include "policies/search/tries.h"
#include "profiles/program/threads.h"
#include "scenarios/scenario/search_story.h"

namespace tandem {

struct Finals {
  std::vector<Candidate> order;  // the one to take first, then the others, the best first
  std::int64_t draws = 0;        // 0: no profile has anything to draw, the medians decide
  std::string simplest;          // as SearchStory
};

// Of the best schedules, each as it is and with slack for what varies, and of the best rules the one whose
// objective is least in the mean of the same draws; or the simplest rule that is as good or better in a tenth
// of them, and in the mean no worse than the 95 % point of that one's.
Finals JudgeFinalists(const Tries& tries, Threads& threads);

}  // namespace tandem
