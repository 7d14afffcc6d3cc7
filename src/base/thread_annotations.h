#pragma once

/// Clang's thread-safety attributes under plain names; nothing elsewhere. A build with clang checks them
/// (-Wthread-safety).
#if defined(__clang__)
#define STRETTO_THREAD_ATTRIBUTE(x) __attribute__((x))
#else
#define STRETTO_THREAD_ATTRIBUTE(x)
#endif

/// A class whose objects are locks.
#define STRETTO_CAPABILITY(name) STRETTO_THREAD_ATTRIBUTE(capability(name))
/// A class whose objects hold a lock while they live.
#define STRETTO_SCOPED_CAPABILITY STRETTO_THREAD_ATTRIBUTE(scoped_lockable)
/// A member that is read and written only with the lock held.
#define STRETTO_GUARDED_BY(mutex) STRETTO_THREAD_ATTRIBUTE(guarded_by(mutex))
/// A pointer whose target is read and written only with the lock held.
#define STRETTO_POINTER_GUARDED_BY(mutex) STRETTO_THREAD_ATTRIBUTE(pt_guarded_by(mutex))
/// A function that is called with the locks held.
#define STRETTO_REQUIRES(...) STRETTO_THREAD_ATTRIBUTE(requires_capability(__VA_ARGS__))
/// A function that is called with the locks not held, because it takes them.
#define STRETTO_EXCLUDES(...) STRETTO_THREAD_ATTRIBUTE(locks_excluded(__VA_ARGS__))
/// A function that takes the lock and returns with it held.
#define STRETTO_ACQUIRE(...) STRETTO_THREAD_ATTRIBUTE(acquire_capability(__VA_ARGS__))
/// A function that takes the lock if it returns the first argument.
#define STRETTO_TRY_ACQUIRE(...) STRETTO_THREAD_ATTRIBUTE(try_acquire_capability(__VA_ARGS__))
/// A function that releases the lock.
#define STRETTO_RELEASE(...) STRETTO_THREAD_ATTRIBUTE(release_capability(__VA_ARGS__))
/// Two locks of which this one is taken first.
#define STRETTO_ACQUIRED_BEFORE(...) STRETTO_THREAD_ATTRIBUTE(acquired_before(__VA_ARGS__))
/// Two locks of which this one is taken second.
#define STRETTO_ACQUIRED_AFTER(...) STRETTO_THREAD_ATTRIBUTE(acquired_after(__VA_ARGS__))
/// A function that returns the lock.
#define STRETTO_RETURN_CAPABILITY(mutex) STRETTO_THREAD_ATTRIBUTE(lock_returned(mutex))
/// A function whose locking the analysis cannot follow; its comment says why it is right.
#define STRETTO_NO_THREAD_SAFETY_ANALYSIS STRETTO_THREAD_ATTRIBUTE(no_thread_safety_analysis)
