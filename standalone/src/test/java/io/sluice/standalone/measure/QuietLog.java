package io.sluice.standalone.measure;

/**
 * Keeps log output off the measurements' screen, unless the log level is already set. Must be
 * called before the first logger is created.
 */
final class QuietLog {
  private QuietLog() {}

  static void set() {
    setIfAbsent("sluice.log.level");
    setIfAbsent("sluice.log.level.libraries");
  }

  private static void setIfAbsent(String property) {
    if (System.getProperty(property) == null) {
      System.setProperty(property, "ERROR");
    }
  }
}
