#pragma once

#include <string>

/// The text of a timeline with these events.
template <typename Events>
std::string timeline_text(const Events& events) {
  std::string text = "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[";
  const char* separator = "\n";
  for (const std::string& event : events) {
    text += separator + event;
    separator = ",\n";
  }
  return text + "\n]}\n";
}
