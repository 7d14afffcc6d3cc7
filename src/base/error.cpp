#include <stretto/base/error.h>

namespace stretto {

// The text is not the base's: copies of that share it between threads.
Error::Error(const std::string& message) : std::runtime_error(std::string()), message_(message) {}

Error::Error(std::string_view operation, const std::string& message, const CallSite& site)
    : std::runtime_error(std::string()), message_(message), operation_(operation), site_(site) {
  compose();
}

Error& Error::with_context(std::string_view operation, const CallSite& site) {
  if (!operation.empty()) operation_ = operation;
  if (site.known()) site_ = site;
  compose();
  return *this;
}

Error& Error::with_operands(std::string_view operands) {
  if (!operands.empty()) operands_ = operands;
  compose();
  return *this;
}

void Error::compose() {
  line_.clear();
  if (!operation_.empty()) line_ += "[" + operation_ + "] ";
  line_ += message_;
  if (!operands_.empty()) line_ += ", with " + operands_;
  if (site_.known()) line_ += " (at " + to_string(site_) + ")";
}

const char* Error::what() const noexcept { return line_.empty() ? message() : line_.c_str(); }

const char* Error::message() const noexcept { return message_.c_str(); }

const std::string& Error::operation() const noexcept { return operation_; }

const CallSite& Error::site() const noexcept { return site_; }

}  // namespace stretto
