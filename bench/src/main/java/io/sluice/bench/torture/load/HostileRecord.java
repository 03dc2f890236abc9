package io.sluice.bench.torture.load;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Random;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.jspecify.annotations.Nullable;

/**
 * A record made to do harm.
 *
 * @param topic a lane, the bulk topic or the control topic
 * @param model that it asks for, if it does
 * @param seed of what is random in it
 */
public record HostileRecord(Shape shape, String topic, String model, long seed) {
  /** What is wrong with it. */
  public enum Shape {
    RANDOM_BYTES,
    NULL_VALUE,
    /** Arrays within arrays, and nothing else. */
    DEEP_JSON,
    /** The same, within a request that is right. */
    DEEP_FIELD,
    /** A name whose bytes are three times its characters. */
    LONG_HEADER_NAME,
    /** Small as it is sent; the headers are tens of megabytes. */
    HEADER_BOMB,
    /** Small as it is sent; the body is tens of megabytes. */
    BODY_BOMB,
    /** As large as Kafka takes it. */
    OVERSIZED,
    /** Headers that cannot be read. */
    BAD_HEADERS,
    /** A header without a value, and one of every name that a router writes. */
    FORGED_HEADERS;

    /** Whether it is compressed, since it would not pass otherwise. */
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

  /** Whether it is to be refused, with an error or a dead letter; controls are only dropped. */
  public boolean isRequest() {
    return !topic.equals("sluice.control");
  }

  /** The record, without a key. */
  public ProducerRecord<String, byte[]> toKafka() {
    var random = new Random(seed);
    var record = new ProducerRecord<String, byte[]>(topic, value(random));
    // If it stops anybody, it is not by its deadline that this ends.
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
