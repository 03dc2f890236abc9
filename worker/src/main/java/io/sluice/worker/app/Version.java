package io.sluice.worker.app;

import java.util.Optional;

/** The version of the software, which the build wrote into the jar. */
final class Version {
  private Version() {}

  static String current() {
    return Optional.ofNullable(Version.class.getPackage().getImplementationVersion()).orElse("dev");
  }
}
