package io.sluice.common.protocol;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.utils.Utils;

/**
 * Which partition a key belongs to: Kafka's default, murmur2 of the key's UTF-8 bytes. librdkafka's
 * default differs (its {@code murmur2_random} is the same).
 */
public final class Partitions {
  private Partitions() {}

  /** The partition of a key among {@code count} partitions. */
  public static int of(String key, int count) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    return Utils.toPositive(Utils.murmur2(bytes)) % count;
  }
}
