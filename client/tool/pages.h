// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// The manual page and the shell completion, made from the command line's own
// description: what --help says and what they say cannot differ.

#ifndef STRIDECAST_CLIENT_TOOL_PAGES_H_
#define STRIDECAST_CLIENT_TOOL_PAGES_H_

#include <string>

#include "absl/strings/string_view.h"

namespace CLI {
class App;
}  // namespace CLI

namespace stridecast {

// troff with the man macros, section 1.
std::string ManPage(const CLI::App& app, absl::string_view version);

// A script for bash to source; needs nothing of bash-completion.
std::string BashCompletion(const CLI::App& app);

}  // namespace stridecast

#endif  // STRIDECAST_CLIENT_TOOL_PAGES_H_
