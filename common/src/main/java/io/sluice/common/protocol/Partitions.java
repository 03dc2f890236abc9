package io.sluice.common.protocol;

import java.nio.charset.StandardCharsets;
import org.apache.kafka.common.utils.Utils;

/**
 * The partition of a key by Kafka's default: murmur2 of the key's UTF-8 bytes. The default of
 * librdkafka differs; its {@code murmur2_random} gives the same partitions.
 */
public final class Partitions {
  private Partitions() {}

  /** Returns the partition of a key among {@code count} partitions. */
  public static int of(String key, int count) {
    byte[] bytes = key.getBytes(StandardCharsets.UTF_8);
    return Utils.toPositive(Utils.murmur2(bytes)) % count;
  }
}
