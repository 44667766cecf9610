// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0
//
// Where the options come from. Of one that is given more than once the first of
// these counts:
//   1 the command line, --max-message-bytes=1MiB
//   2 the environment, STRIDECAST_MAX_MESSAGE_BYTES=1MiB; empty is not given
//   3 the flag file (--flag-file FILE), max-message-bytes=1MiB: a line for
//     each, # at the beginning or after a space begins a comment; what
//     --print-config prints is one
//   4 its default
// Kubernetes names variables after services:
// STRIDECAST_PORT=tcp://10.0.0.1:50051 for one called "stridecast". No flag has
// such a name.

#ifndef STRIDECAST_SERVER_COMMAND_LINE_H_
#define STRIDECAST_SERVER_COMMAND_LINE_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "server/options.h"

namespace stridecast {

// What a command line asks for: to run, or to print and exit.
struct CommandLine {
  ServerOptions options;
  std::optional<int> exit_code;  // absent: run with `options`
  std::string out;               // for stdout
  std::string err;               // for stderr
  // For the log: variables STRIDECAST_* that set nothing.
  std::vector<std::string> warnings;
};

// Exit code of a command line that cannot be understood.
inline constexpr int kExitBadUsage = 2;

// Reads the environment of the process and the flag file; to print, also the
// files of TLS and tokens, which the start would refuse if they are faulty.
CommandLine ParseCommandLine(int argc, const char* const* argv);

// Whether Kubernetes may set a variable of that name for a service whose name
// begins with "stridecast".
bool IsServiceLinkVariable(absl::string_view name);

}  // namespace stridecast

#endif  // STRIDECAST_SERVER_COMMAND_LINE_H_
