// Finds where the program explains a word: in lessons, steps, courses, the glossary.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace glassgrad::learn {

struct Place {
  std::string command, what;  // "glassgrad learn journey --from softmax", "Softmax by hand"
};

// Returns a few places, the best first; only the lesson if the words are its name or file. May be empty.
std::vector<Place> places_of(std::string_view words);

// Returns the names of lessons, courses and terms, to correct a misspelt word.
std::vector<std::string> known_names();

}  // namespace glassgrad::learn
