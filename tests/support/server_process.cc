// Copyright 2026 The stridecast authors. SPDX-License-Identifier: Apache-2.0

#include "tests/support/server_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <string_view>

namespace stridecast::testing {
namespace {

constexpr std::chrono::seconds kPatience(30);

}  // namespace

ServerProcess::ServerProcess(const std::string& program,
                             const std::vector<std::string>& arguments,
                             const Settings& settings) {
  std::vector<char*> argv = {const_cast<char*>(program.c_str())};
  for (const std::string& argument : arguments) {
    argv.push_back(const_cast<char*>(argument.c_str()));
  }
  argv.push_back(nullptr);
  // Two servers cannot have the one port of the default.
  std::string metrics_port = "STRIDECAST_METRICS_LISTEN=127.0.0.1:0";
  std::vector<char*> environment = {metrics_port.data()};
  for (const std::string& variable : settings.variables) {
    environment.push_back(const_cast<char*>(variable.c_str()));
  }
  for (char** entry = environ; *entry != nullptr; ++entry) {
    if (!std::string_view(*entry).starts_with("STRIDECAST_")) {
      environment.push_back(*entry);
    }
  }
  environment.push_back(nullptr);

  int out[2];
  int err[2];
  if (pipe2(out, O_CLOEXEC) != 0 || pipe2(err, O_CLOEXEC) != 0) {
    std::perror("pipe2");
    return;
  }
  pid_ = fork();
  if (pid_ == 0) {
    // Also where the starter exits without destroying this object.
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(out[1], STDOUT_FILENO);
    dup2(err[1], STDERR_FILENO);
    if (settings.address_space_bytes > 0) {
      const auto bytes = static_cast<rlim_t>(settings.address_space_bytes);
      const rlimit limit{bytes, bytes};
      setrlimit(RLIMIT_AS, &limit);
    }
    if (settings.open_files > 0) {
      const auto files = static_cast<rlim_t>(settings.open_files);
      const rlimit limit{files, files};
      setrlimit(RLIMIT_NOFILE, &limit);
    }
    execve(argv[0], argv.data(), environment.data());
    _exit(127);
  }
  close(out[1]);
  close(err[1]);
  StartReading(out_, out[0]);
  StartReading(err_, err[0]);
}

ServerProcess::~ServerProcess() {
  if (pid_ > 0 && !exit_code_.has_value()) {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  for (Stream* stream : {&out_, &err_}) {
    if (stream->reader.joinable()) stream->reader.join();
    if (stream->fd >= 0) close(stream->fd);
  }
}

void ServerProcess::StartReading(Stream& stream, int fd) {
  stream.fd = fd;
  stream.reader = std::thread([this, &stream] {
    char buffer[4096];
    for (;;) {
      const ssize_t count = read(stream.fd, buffer, sizeof(buffer));
      if (count <= 0) return;
      std::lock_guard lock(mutex_);
      stream.text.append(buffer, static_cast<size_t>(count));
      grown_.notify_all();
    }
  });
}

void ServerProcess::Signal(int signal) const {
  if (pid_ > 0 && !exit_code_.has_value()) kill(pid_, signal);
}

std::optional<int> ServerProcess::WaitForExit() {
  const auto limit = std::chrono::steady_clock::now() + kPatience;
  while (!exit_code_.has_value()) {
    int status;
    if (waitpid(pid_, &status, WNOHANG) == pid_) {
      exit_code_ =
          WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
      // Its ends of the pipes are closed: what it wrote is read to the end.
      out_.reader.join();
      err_.reader.join();
      break;
    }
    if (std::chrono::steady_clock::now() > limit) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return exit_code_;
}

bool ServerProcess::WaitForError(const std::string& text) {
  std::unique_lock lock(mutex_);
  return grown_.wait_for(lock, kPatience, [&] {
    return err_.text.find(text) != std::string::npos;
  });
}

std::string ServerProcess::WaitForAddress() {
  const std::string before = " serves ";
  if (!WaitForError(before) || !WaitForError("reflection")) return "";
  const std::string text = err();
  const size_t begin = text.find(before) + before.size();
  return text.substr(begin, text.find_first_of(",;", begin) - begin);
}

std::string ServerProcess::out() const {
  std::lock_guard lock(mutex_);
  return out_.text;
}

std::string ServerProcess::err() const {
  std::lock_guard lock(mutex_);
  return err_.text;
}

}  // namespace stridecast::testing
