// Where the program explains what a word means: lessons, steps, courses, the glossary.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace glassgrad::learn {

struct Place {
  std::string command, what;  // "glassgrad learn journey --from softmax", "Softmax by hand"
};

// The best first, a few; of a lesson's or course's own name that alone. None: nobody knows the words.
std::vector<Place> places_of(std::string_view words);

// What people may have meant by a word that is misspelt: names of lessons, courses and terms.
std::vector<std::string> known_names();

}  // namespace glassgrad::learn
