package io.sluice.standalone.measure;

/**
 * Keeps the log off the measurements' screen, unless its level is set from outside; to be called
 * before the first logger is made.
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
