// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Arguments that begin with "-" and are no flags: numbers (-1.5), a pipe with
// its shape (-:u8[3]), expressions (-x, -sqrt(x)). A blank before them, which
// their readers skip, tells CLI11 so.
// An expression that is a flag, letter for letter, is one (-p, -o/2): it stands
// behind "--".

#ifndef STRIDECAST_CLIENT_TOOL_ARGUMENTS_H_
#define STRIDECAST_CLIENT_TOOL_ARGUMENTS_H_

#include <string>
#include <vector>

namespace CLI {
class App;
}  // namespace CLI

namespace stridecast {

// The arguments of main, last one first as CLI11 wants them. `app` has its
// commands.
std::vector<std::string> ArgumentsOf(const CLI::App& app, int argc,
                                     char** argv);

// Whether `command` takes an expression.
bool TakesExpression(const CLI::App& command);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_ARGUMENTS_H_
