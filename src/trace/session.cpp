#include <stretto/trace/session.h>

#include <utility>

#include <stretto/base/error.h>

#include "base/log.h"
#include "trace/writer.h"

namespace stretto::trace {

Session::Session(const std::string& path) { start(path); }

Session::~Session() {
  try {
    close();
  } catch (const Error& error) {
    log(LogLevel::error, error.what());
  }
}

void Session::close() {
  if (std::exchange(open_, false)) stop();
}

}  // namespace stretto::trace
