package io.sluice.common.protocol;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.MapperFeature;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectReader;
import com.fasterxml.jackson.databind.PropertyNamingStrategies;
import com.fasterxml.jackson.databind.cfg.EnumFeature;
import com.fasterxml.jackson.databind.json.JsonMapper;
import com.fasterxml.jackson.datatype.jdk8.Jdk8Module;
import java.io.IOException;
import java.io.UncheckedIOException;
import org.jspecify.annotations.Nullable;

/**
 * The JSON mapper of the pool: snake_case names, enum constants in lower case, absent values
 * omitted. Unknown fields are accepted because a newer peer may send more, and unknown constants
 * are accepted where the type has a default. Thread-safe.
 */
public final class Json {
  /** Names that a caller makes up are not kept for the life of the process. */
  private static final JsonFactory FACTORY =
      JsonFactory.builder().disable(JsonFactory.Feature.INTERN_FIELD_NAMES).build();

  private static final ObjectMapper MAPPER =
      JsonMapper.builder(FACTORY)
          .addModule(new Jdk8Module())
          .propertyNamingStrategy(PropertyNamingStrategies.SNAKE_CASE)
          .defaultPropertyInclusion(
              JsonInclude.Value.construct(
                  JsonInclude.Include.NON_ABSENT, JsonInclude.Include.NON_ABSENT))
          .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .enable(EnumFeature.WRITE_ENUMS_TO_LOWERCASE)
          .enable(MapperFeature.ACCEPT_CASE_INSENSITIVE_ENUMS)
          .enable(DeserializationFeature.FAIL_ON_NUMBERS_FOR_ENUMS)
          .enable(DeserializationFeature.READ_UNKNOWN_ENUM_VALUES_USING_DEFAULT_VALUE)
          .build();

  /**
   * A parsed tree takes up to 80 bytes of heap for two bytes of text, so the number of values and
   * names in a caller's JSON is limited too. One million is eight times what a prompt of 128k token
   * ids needs.
   */
  private static final int MOST_TOKENS = 1_000_000;

  private static final int DEEPEST = 256;

  private static final ObjectReader OF_CALLERS =
      JsonMapper.builder(
              JsonFactory.builder()
                  .disable(JsonFactory.Feature.INTERN_FIELD_NAMES)
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(DEEPEST)
                          .maxTokenCount(MOST_TOKENS)
                          .build())
                  .build())
          .build()
          .reader();

  private Json() {}

  public static ObjectMapper mapper() {
    return MAPPER;
  }

  /** Encodes a value that is known to be encodable, such as a record of the protocol or a tree. */
  public static byte[] bytes(Object value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /** Returns the value of a JSON string; empty for any other node. */
  public static String textValue(JsonNode node) {
    return node.isTextual() ? node.textValue() : "";
  }

  /** Encodes a value that is known to be encodable as text. */
  public static String text(Object value) {
    try {
      return MAPPER.writeValueAsString(value);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Parses a record of the protocol.
   *
   * @param what what the JSON should describe, for the error message
   * @throws IllegalArgumentException if the JSON does not describe one
   */
  public static <T> T parse(String json, Class<T> type, String what) {
    T value;
    try {
      value = MAPPER.readValue(json, type);
    } catch (JsonProcessingException e) {
      throw new IllegalArgumentException("not a " + what + ": " + e.getOriginalMessage(), e);
    }
    if (value == null) {
      throw new IllegalArgumentException("not a " + what + ": null");
    }
    return value;
  }

  /**
   * Parses exactly one JSON value.
   *
   * @param json may be null, as the value of a Kafka record may
   * @throws IOException if the bytes are absent, not JSON, or more than one value
   */
  public static JsonNode tree(byte @Nullable [] json) throws IOException {
    return tree(json, MAPPER.reader());
  }

  /**
   * Parses JSON that is known to be readable, such as one that was parsed before.
   *
   * @throws UncheckedIOException if it is not
   */
  public static JsonNode known(String json) {
    try {
      return MAPPER.readTree(json);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Parses a caller's JSON like {@link #tree}, at most 256 levels deep and with at most a million
   * values and names.
   *
   * @throws com.fasterxml.jackson.core.exc.StreamConstraintsException if it exceeds these limits,
   *     or if a number or a name is excessively long
   */
  public static JsonNode callersTree(byte @Nullable [] json) throws IOException {
    return tree(json, OF_CALLERS);
  }

  private static JsonNode tree(byte @Nullable [] json, ObjectReader reader) throws IOException {
    if (json == null) {
      throw new IOException("the body is empty");
    }
    try (var parser = reader.createParser(json)) {
      JsonNode node = reader.readTree(parser);
      if (node == null || node.isMissingNode()) {
        throw new IOException("the body is empty");
      }
      if (parser.nextToken() != null) {
        throw new IOException("there is text after the JSON value");
      }
      return node;
    }
  }
}
