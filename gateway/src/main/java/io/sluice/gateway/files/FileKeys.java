package io.sluice.gateway.files;

import io.sluice.common.protocol.Sha256;
import java.util.HexFormat;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The keys under which files are stored. */
final class FileKeys {
  static final String ALL = "files/";
  private static final String META = "meta";
  private static final Pattern KEY = Pattern.compile("(files/[0-9a-f]{64}/)([^/]+)/([^/]+)");

  /**
   * A key, taken apart.
   *
   * @param folder the keys of the file begin with it
   */
  record Parsed(String folder, String fileId, boolean isMeta) {}

  private FileKeys() {}

  /** Returns the text with which the keys of a tenant's files begin. */
  static String ofTenant(String tenant) {
    return ALL + HexFormat.of().formatHex(Sha256.of(tenant)) + "/";
  }

  /** Returns the text with which the keys of a file begin. */
  static String ofFile(String id, String tenant) {
    return ofTenant(tenant) + id + "/";
  }

  static String meta(String id, String tenant) {
    return meta(ofFile(id, tenant));
  }

  /**
   * @param folder as {@link #ofFile} returns it
   */
  static String meta(String folder) {
    return folder + META;
  }

  static String part(String id, String tenant, String name) {
    return ofFile(id, tenant) + "part-" + name;
  }

  /** Takes a key apart; empty if it is not the key of a file. */
  static Optional<Parsed> parse(String key) {
    Matcher matcher = KEY.matcher(key);
    return matcher.matches()
        ? Optional.of(
            new Parsed(
                matcher.group(1) + matcher.group(2) + "/",
                matcher.group(2),
                matcher.group(3).equals(META)))
        : Optional.empty();
  }
}
