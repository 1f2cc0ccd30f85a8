// How each name of a program is found: as CPython's symbol table decides it, before anything runs.
#pragma once
#include "apps/script/lexer.h"

namespace glassgrad::script {

// Sets scope and id of all names of the tree, slots and cells of its codes. SyntaxError of `source`'s places:
// what a tree alone shows to be wrong, as a `return` outside a function.
void resolve(Program& program, Names& names, const Source& source);

}  // namespace glassgrad::script
