package io.sluice.common.protocol;

import com.fasterxml.uuid.Generators;
import com.fasterxml.uuid.NoArgGenerator;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * Request ids: UUIDv7 (RFC 9562), which hold the time of their creation, so that a reply can be
 * found by its id alone. Thread-safe.
 */
public final class RequestId {
  private static final NoArgGenerator GENERATOR = Generators.timeBasedEpochRandomGenerator();

  private RequestId() {}

  /** Returns a new id. */
  public static String next() {
    return GENERATOR.generate().toString();
  }

  /**
   * Returns the id that is derived from a time and a seed: a valid UUIDv7 that is the same for each
   * call with the same arguments.
   */
  public static String derived(Instant made, String seed) {
    ByteBuffer digest = ByteBuffer.wrap(Sha256.of(seed));
    long high = (made.toEpochMilli() << 16) | 0x7000 | (digest.getShort() & 0x0fff);
    long low = (digest.getLong() & 0x3fff_ffff_ffff_ffffL) | 0x8000_0000_0000_0000L;
    return new UUID(high, low).toString();
  }

  /**
   * Returns a new id whose replies belong to one partition. Ids are drawn until one matches, which
   * takes {@code partitionCount} draws on average.
   */
  public static String nextOn(int partition, int partitionCount) {
    if (partition < 0 || partition >= partitionCount) {
      throw new IllegalArgumentException(
          "partition " + partition + " is not among " + partitionCount);
    }
    String id = next();
    while (Partitions.of(id, partitionCount) != partition) {
      id = next();
    }
    return id;
  }

  /** Returns when an id was created, to the millisecond; empty if it is not a UUIDv7. */
  public static Optional<Instant> timeOf(String id) {
    try {
      UUID uuid = UUID.fromString(id);
      return uuid.version() == 7 && uuid.toString().equalsIgnoreCase(id)
          ? Optional.of(Instant.ofEpochMilli(uuid.getMostSignificantBits() >>> 16))
          : Optional.empty();
    } catch (IllegalArgumentException e) {
      return Optional.empty();
    }
  }
}
