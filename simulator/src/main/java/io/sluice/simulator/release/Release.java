package io.sluice.simulator.release;

import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A vLLM release. It determines version-dependent behavior.
 *
 * @param major the major version
 * @param minor the minor version
 */
public record Release(int major, int minor) {

  /** The newest release that the simulator was compared with. */
  public static final String NEWEST = "0.32.0";

  private static final Pattern VERSION = Pattern.compile("v?(\\d+)\\.(\\d+)(?:[.+-].*)?");

  /**
   * Parses a version such as {@code 0.32.0}.
   *
   * @throws IllegalArgumentException if it is not a version
   */
  public static Release of(String version) {
    Matcher matcher = VERSION.matcher(version);
    if (!matcher.matches()) {
      throw new IllegalArgumentException(
          "'" + version + "' is not a vLLM version. Use a version such as " + NEWEST + ".");
    }
    return new Release(Integer.parseInt(matcher.group(1)), Integer.parseInt(matcher.group(2)));
  }

  /** Returns whether this is older than {@code 0.<minorVersion>}. */
  public boolean before(int minorVersion) {
    return major == 0 && minor < minorVersion;
  }
}
