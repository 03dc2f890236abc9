package io.sluice.worker.app;

import java.util.Optional;

/** The software's version, as the build wrote it into the jar. */
final class Version {
  private Version() {}

  static String current() {
    return Optional.ofNullable(Version.class.getPackage().getImplementationVersion()).orElse("dev");
  }
}
