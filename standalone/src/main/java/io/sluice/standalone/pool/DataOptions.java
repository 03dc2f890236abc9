package io.sluice.standalone.pool;

import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import picocli.CommandLine.Option;

/** The options of {@code up} that say where it keeps its data, if at all. */
final class DataOptions {
  /** The pool's name, which {@code up} does not change. */
  private static final String POOL = "default";

  @Option(
      names = "--data",
      paramLabel = "DIR",
      description =
          "Keep requests, replies, files and orders in this directory, across restarts (default"
              + " with --engine: $$STATE_DIRECTORY, or sluice/"
              + POOL
              + " in $$XDG_STATE_HOME or ~/.local/state; without: temporary).")
  private Optional<Path> data = Optional.empty();

  @Option(
      names = "--no-data",
      description = "With --engine: keep nothing; everything is gone when the pool stops.")
  private boolean isTemporary;

  boolean isContradiction() {
    return isTemporary && data.isPresent();
  }

  /**
   * Returns the directory to keep; empty for a temporary one.
   *
   * @param isTrial whether the pool serves nothing real, so that its data is kept only on demand
   */
  Optional<Path> directory(boolean isTrial) {
    if (data.isPresent()) {
      return data;
    }
    return isTrial || isTemporary
        ? Optional.empty()
        : Optional.of(defaultDirectory(System.getenv(), System.getProperty("user.home")));
  }

  /** Returns what systemd sets aside for a service, or else the user's own directory. */
  static Path defaultDirectory(Map<String, String> environment, String home) {
    // systemd separates several directories with colons.
    String ofService = environment.getOrDefault("STATE_DIRECTORY", "").split(":", 2)[0];
    if (!ofService.isEmpty()) {
      return Path.of(ofService);
    }
    // Relative ones are invalid, says the XDG Base Directory Specification.
    Path ofUser = Path.of(environment.getOrDefault("XDG_STATE_HOME", ""));
    Path base = ofUser.isAbsolute() ? ofUser : Path.of(home, ".local", "state");
    return base.resolve("sluice").resolve(POOL);
  }
}
