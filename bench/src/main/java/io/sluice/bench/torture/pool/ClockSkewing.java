package io.sluice.bench.torture.pool;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * Which wall clocks can be skewed on this machine: those of brokers always, those of routers and
 * workers if libfaketime (Debian's package {@code libfaketime}) is installed.
 */
public record ClockSkewing(Optional<Path> libfaketime) {
  private static final List<Path> PLACES =
      List.of(
          Path.of("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1"),
          Path.of("/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1"),
          Path.of("/usr/lib64/faketime/libfaketimeMT.so.1"),
          Path.of("/usr/lib/faketime/libfaketimeMT.so.1"));

  /**
   * Finds libfaketime where Linux distributions install it, or where the environment variable
   * {@code SLUICE_LIBFAKETIME} says.
   */
  public static ClockSkewing here() {
    String named = System.getenv("SLUICE_LIBFAKETIME");
    Stream<Path> places = named == null ? PLACES.stream() : Stream.of(Path.of(named));
    return new ClockSkewing(places.filter(Files::exists).findFirst());
  }

  /** Returns the roles of the processes whose clocks can be skewed. */
  public Set<Target.Role> roles() {
    return libfaketime.isPresent()
        ? EnumSet.of(Target.Role.BROKER, Target.Role.ROUTER, Target.Role.WORKER)
        : EnumSet.of(Target.Role.BROKER);
  }

  /** Returns the environment in which a process follows its clock file. */
  Map<String, String> environment(Target.Role role, ClockFile clock) {
    boolean isPreloaded = role == Target.Role.ROUTER || role == Target.Role.WORKER;
    return isPreloaded && libfaketime.isPresent()
        ? Map.of(
            "LD_PRELOAD", libfaketime.get().toString(),
            "FAKETIME_TIMESTAMP_FILE", clock.path().toString(),
            "FAKETIME_CACHE_DURATION", "1",
            "DONT_FAKE_MONOTONIC", "1",
            // Otherwise timed waits spin, and an idle JVM uses ten times the processor time.
            "FAKETIME_FORCE_MONOTONIC_FIX", "0")
        : Map.of();
  }
}
