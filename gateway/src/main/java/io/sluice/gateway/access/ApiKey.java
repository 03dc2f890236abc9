package io.sluice.gateway.access;

import io.sluice.common.protocol.Json;
import io.sluice.common.protocol.Sha256;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.HexFormat;
import java.util.Objects;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * An API key as it is stored. Its secret is not: only the SHA-256 of it. A slow hash would protect
 * secrets that can be guessed; these have 256 random bits.
 *
 * @param id identifies the key; part of the secret, so that the key is found without comparing
 *     secrets
 * @param hash SHA-256 of the secret, in hexadecimal digits
 * @param tenant whose requests it sends
 * @param name what it is for
 * @param created when it was created, in ISO 8601
 */
public record ApiKey(
    String id,
    String hash,
    String tenant,
    Optional<String> name,
    String created,
    KeyLimits limits) {
  private static final Pattern SECRET = Pattern.compile("sk-sluice-([0-9a-f]{12})-[\\w-]{43}");
  private static final int ID_BYTES = 6;
  private static final int SECRET_BYTES = 32;

  @SuppressWarnings("ConstantValue") // absent JSON fields arrive as null
  public ApiKey {
    Objects.requireNonNull(id, "id is missing");
    Objects.requireNonNull(hash, "hash is missing");
    Objects.requireNonNull(tenant, "tenant is missing");
    name = name == null ? Optional.empty() : name;
    created = created == null ? "" : created;
    Objects.requireNonNull(limits, "limits are missing");
  }

  /** Returns a new secret: {@code sk-sluice-ID-RANDOM}. */
  public static String newSecret(SecureRandom random) {
    byte[] id = new byte[ID_BYTES];
    byte[] secret = new byte[SECRET_BYTES];
    random.nextBytes(id);
    random.nextBytes(secret);
    return "sk-sluice-"
        + HexFormat.of().formatHex(id)
        + "-"
        + Base64.getUrlEncoder().withoutPadding().encodeToString(secret);
  }

  /** Returns the id in a secret; empty if it is not one. */
  public static Optional<String> idIn(String secret) {
    Matcher parts = SECRET.matcher(secret);
    return parts.matches() ? Optional.of(parts.group(1)) : Optional.empty();
  }

  /** Returns the hash of a secret. */
  public static String hash(String secret) {
    return HexFormat.of().formatHex(Sha256.of(secret));
  }

  /** Returns whether this is the key of a secret, in a time that does not depend on either. */
  public boolean isOf(String secret) {
    return MessageDigest.isEqual(
        hash.getBytes(StandardCharsets.US_ASCII), hash(secret).getBytes(StandardCharsets.US_ASCII));
  }

  /** Returns the key as JSON. */
  public String toJson() {
    return Json.text(this);
  }

  /**
   * Parses a key.
   *
   * @throws IllegalArgumentException if the text is not one
   */
  public static ApiKey parse(String json) {
    return Json.parse(json, ApiKey.class, "key");
  }
}
