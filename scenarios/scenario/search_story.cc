#include "scenarios/scenario/search_story.h"

#include "profiles/base/file_kinds.h"

namespace tandem {

namespace {

const Fields<SearchStory::Relaxed>& RelaxedFields() {
  using R = SearchStory::Relaxed;
  static const auto fields =
      Fields<R>("search_relaxed", "A limit of the scenario that a schedule broke, and no other.")
          .Needed("limit", &R::limit, as::Words())
          .Needed("value", &R::value, as::Number(0),
                  "The nearest to the bound, in its unit: relaxed to this, it and "
                  "all others would be kept.");
  return fields;
}

}  // namespace

const Fields<SearchStory>& SearchStoryFields() {
  using S = SearchStory;
  static const auto fields =
      Fields<S>("search_story", "How a search came to its schedule.")
          .Needed("tried", &S::tried, as::Integer(1), "Schedules that were simulated.")
          .Needed("stopped", &S::stopped, as::Text(), "Why no more were tried.")
          .Needed("draws", &S::draws, as::Integer(0),
                  "Of the times, by which the last few were compared; 0 where there is nothing to draw.")
          .Own(
              "simplest", as::Text(),
              [](const S& story) {
                return story.simplest.empty() ? std::nullopt : std::optional(story.simplest);
              },
              [](S& story, std::string simplest) { story.simplest = std::move(simplest); },
              "The rule that was taken since the best schedule cannot be told from it.")
          .Optional("relaxed", &S::relaxed, as::ListOf(as::ObjectOf(RelaxedFields()), {.least = 1}),
                    "Where no schedule that was tried keeps all limits: which could be relaxed alone, and "
                    "how far.");
  return fields;
}

std::string SearchText(const SearchStory& story) {
  std::string text = Counted(story.tried, "schedule") + " tried; it stopped since " + story.stopped;
  if (story.draws > 0)
    text += "; the best of them compared on " + Counted(story.draws, "draw") + " of the times";
  if (!story.simplest.empty())
    text += "; taken is " + story.simplest + ", which the best cannot be told from";
  return text;
}

}  // namespace tandem
