package io.sluice.services;

import java.nio.file.Path;
import java.util.Optional;

/**
 * Sets the properties from which {@code logback.xml} takes the log's destination and levels. Must
 * be called before the first logger is created.
 */
final class Logging {
  /**
   * The folder for log files. The launcher sets it; the default is the system's temporary folder.
   */
  static final String DIRECTORY_PROPERTY = "sluice.log.directory";

  /** Where a whole pool logs, for supervisors that take a log from standard output. */
  private static final String DESTINATION = "SLUICE_LOG";

  private static final String CONSOLE = "console";

  private static final String FILE_PROPERTY = "sluice.log.file";
  private static final String APPENDER_PROPERTY = "sluice.log.appender";
  private static final String LEVEL_PROPERTY = "sluice.log.level";
  private static final String LIBRARY_LEVEL_PROPERTY = "sluice.log.level.libraries";

  private Logging() {}

  static void configure(CommandKind kind, boolean verbose) {
    switch (kind) {
      case CLIENT -> set(verbose ? "VERBOSE" : "ERRORS", verbose ? "INFO" : "ERROR", "ERROR");
      case SERVICE -> set("STDOUT", verbose ? "DEBUG" : "INFO", verbose ? "INFO" : "WARN");
      case STACK -> {
        if (CONSOLE.equals(System.getenv(DESTINATION))) {
          set("STDOUT", verbose ? "DEBUG" : "INFO", verbose ? "INFO" : "WARN");
          return;
        }
        String directory =
            System.getProperty(DIRECTORY_PROPERTY, System.getProperty("java.io.tmpdir"));
        String name = "sluice-%s.log".formatted(ProcessHandle.current().pid());
        System.setProperty(FILE_PROPERTY, Path.of(directory, name).toString());
        set("FILE", verbose ? "DEBUG" : "INFO", verbose ? "INFO" : "WARN");
      }
    }
  }

  /** Returns the log file of this process, if the log goes to a file. */
  static Optional<Path> file() {
    return Optional.ofNullable(System.getProperty(FILE_PROPERTY)).map(Path::of);
  }

  /** A property that is already set is not changed. */
  private static void set(String appender, String level, String libraryLevel) {
    setIfAbsent(APPENDER_PROPERTY, appender);
    setIfAbsent(LEVEL_PROPERTY, level);
    setIfAbsent(LIBRARY_LEVEL_PROPERTY, libraryLevel);
  }

  private static void setIfAbsent(String property, String value) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, value);
    }
  }
}
