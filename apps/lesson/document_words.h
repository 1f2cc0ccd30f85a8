// Parses the lines of a lesson's file.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "apps/lesson/document.h"

namespace glassgrad::learn {

bool is_word(char c);
bool is_name(std::string_view text);
bool is_value_name(std::string_view text);  // heads.0.keys, attn_scores#1, weight.grad[0]
bool is_address(std::string_view text);
std::string_view trimmed(std::string_view text);
std::vector<std::string> parts_of(std::string_view text, std::string_view between);  // without empty parts
bool starts_directive(std::string_view line);
bool is_of_exercise(std::string_view line);  // hint:, mistake:, expect:
AxisWords axes_in(std::string_view text);    // "(query, key) sums"; no words: it is not of this form
size_t comment_of(std::string_view line);    // where a line's comment begins; npos: it has none
// Returns the ranges of the numbers in a line that are not part of a name.
std::vector<std::pair<size_t, size_t>> numbers_in(std::string_view line);
// Applies the changes of a diff, which are separated by empty lines. Returns false unless the lines of each
// change that have no + occur in the text, in a row, exactly once.
bool change_by_diff(std::vector<std::string>& lines, const std::vector<std::string>& diff);
// Throws Error `FILE:…` for a file that is too large, or a line that would move a terminal's cursor.
void check_size(std::string_view text, const std::string& file);
void check_text(std::string_view line, const std::string& file, size_t number);

// Reads the lines of the block ```lesson; the first is line `at` of the file, from 0. Throws Error
// `FILE:LINE: …`.
void read_header(Document& made, std::span<const std::string> body, size_t at);
// Reads ::: ask from line `at` and moves `at` to its end. Throws Error `FILE:LINE: …`.
AskedInFile read_ask(std::span<const std::string_view> lines, size_t& at, const std::string& file);

}  // namespace glassgrad::learn
