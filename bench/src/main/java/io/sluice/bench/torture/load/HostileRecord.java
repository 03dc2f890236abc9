package io.sluice.bench.torture.load;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A record that is made to harm its readers.
 *
 * @param topic a lane, the bulk topic or the control topic
 * @param model the model that its body names, if it has a body that names one
 * @param seed of its random parts
 */
public record HostileRecord(Shape shape, String topic, String model, long seed) {
  /** In which way a record is hostile. */
  public enum Shape {
    RANDOM_BYTES,
    NULL_VALUE,
    /** A value of nested arrays only. */
    DEEP_JSON,
    /** Nested arrays in a field of an otherwise valid request. */
    DEEP_FIELD,
    /** A header name of characters that take three bytes each. */
    LONG_HEADER_NAME,
    /** Headers of tens of megabytes that compress to a small record. */
    HEADER_BOMB,
    /** A body of tens of megabytes that compresses to a small record. */
    BODY_BOMB,
    /** Nearly as large as Kafka accepts. */
    OVERSIZED,
    /** Headers that cannot be parsed. */
    BAD_HEADERS,
    /** A header without a value, and all headers that only routers write. */
    FORGED_HEADERS;

    /** Returns whether it is sent compressed, because it would be too large otherwise. */
    boolean isPacked() {
      return this == HEADER_BOMB || this == BODY_BOMB;
    }
  }

  private static final int NAME_CHARACTERS = 600_000;
  private static final int BOMB_HEADERS = 12;
  private static final int BOMB_BYTES = 24 * 1024 * 1024;
  private static final int OVERSIZED_BYTES = 8 * 1024 * 1024 - 4_096;
  private static final String WANTED_MILLIS = "600000";
  private static final int DEPTH = 200_000;

  /**
   * Returns whether it must be refused with an error or a dead letter. Control records are only
   * dropped.
   */
  public boolean isRequest() {
    return !topic.equals("sluice.control");
  }

  /** Returns the record, without a key. */
  public ProducerRecord<String, byte[]> toKafka() {
    var random = new Random(seed);
    var record = new ProducerRecord<String, byte[]>(topic, value(random));
    // If it blocks a reader, its deadline must not end the blockage during the run.
    put(record, "timeout-ms", WANTED_MILLIS);
    switch (shape) {
      case RANDOM_BYTES -> {
        byte[] bytes = new byte[random.nextInt(4_000)];
        random.nextBytes(bytes);
        record.headers().add("reply-partition", bytes).add("traceparent", bytes);
      }
      case LONG_HEADER_NAME -> name(record, 0);
      case HEADER_BOMB -> {
        for (int header = 0; header < BOMB_HEADERS; header++) {
          name(record, header);
        }
      }
      case BAD_HEADERS -> badHeader(record, random.nextInt(5));
      case FORGED_HEADERS -> {
        record.headers().add("tenant", null);
        for (String name :
            new String[] {"lease", "attempt", "kind", "index", "redriven-as", "error-code"}) {
          put(record, name, "1");
        }
      }
      case NULL_VALUE, DEEP_JSON, DEEP_FIELD, BODY_BOMB, OVERSIZED -> {}
    }
    return record;
  }

  private byte @Nullable [] value(Random random) {
    return switch (shape) {
      case RANDOM_BYTES -> {
        byte[] bytes = new byte[1 + random.nextInt(60_000)];
        random.nextBytes(bytes);
        yield bytes;
      }
      case NULL_VALUE -> null;
      case DEEP_JSON -> "[".repeat(DEPTH).getBytes(StandardCharsets.UTF_8);
      case DEEP_FIELD -> chat("a", ",\"x\":" + "[".repeat(DEPTH) + "]".repeat(DEPTH));
      case BODY_BOMB -> chat("a".repeat(BOMB_BYTES), "");
      case OVERSIZED -> chat("a".repeat(OVERSIZED_BYTES), "");
      case LONG_HEADER_NAME, HEADER_BOMB, BAD_HEADERS, FORGED_HEADERS -> chat("a", "");
    };
  }

  private byte[] chat(String content, String more) {
    return """
    {"model":"%s","max_tokens":5,"messages":[{"role":"user","content":"%s"}]%s}\
    """
        .formatted(model, content, more)
        .getBytes(StandardCharsets.UTF_8);
  }

  private static void name(ProducerRecord<String, byte[]> record, int number) {
    char[] characters = new char[NAME_CHARACTERS];
    Arrays.fill(characters, (char) ('\u4e00' + number));
    record.headers().add(new String(characters), new byte[0]);
  }

  private static void badHeader(ProducerRecord<String, byte[]> record, int which) {
    switch (which) {
      case 0 -> put(record, "timeout-ms", "9".repeat(400));
      case 1 -> put(record, "request-id", "x".repeat(100_000));
      case 2 -> put(record, "reply-to", "sluice.outcomes");
      case 3 -> put(record, "reply-partition", "-2147483649");
      default -> put(record, "deadline", "yesterday");
    }
  }

  private static void put(ProducerRecord<String, byte[]> record, String name, String value) {
    record.headers().add(name, value.getBytes(StandardCharsets.UTF_8));
  }
}
