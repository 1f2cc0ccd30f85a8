// Decides how each name of a program is found, before anything runs, like CPython's symbol table.
#pragma once
#include "apps/script/lexer.h"

namespace glassgrad::script {

// Sets scope and id of all names of the tree, and slots and cells of its codes. Throws SyntaxError, with
// places of `source`, for errors that the tree alone shows, such as a `return` outside a function.
void resolve(Program& program, Names& names, const Source& source);
// Makes each yield of a function a statement of its own. Returns whether there is one.
bool hoist_yields(Code& code, const Source& source);

}  // namespace glassgrad::script
