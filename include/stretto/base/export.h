#pragma once

/// Marks a class or function that belongs to the public interface of the shared library. Everything else is hidden.
#define STRETTO_API __attribute__((visibility("default")))
