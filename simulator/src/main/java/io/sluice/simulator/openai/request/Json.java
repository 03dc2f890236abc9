package io.sluice.simulator.openai.request;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonReadFeature;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.simulator.text.TokenIds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;

/**
 * Reads and writes JSON. Output is compact, has non-ASCII characters as raw UTF-8, and keeps the
 * order of the keys.
 */
public final class Json {

  /** Writes one JSON document. */
  @FunctionalInterface
  public interface Writer {
    /** Writes the document. */
    void write(JsonGenerator json) throws IOException;
  }

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxStringLength(16 * 1024 * 1024).build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .enable(JsonReadFeature.ALLOW_NON_NUMERIC_NUMBERS)
          .build();
  private static final JsonMapper ASCII =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private Json() {}

  /** Returns a document in UTF-8. */
  public static byte[] bytes(Writer writer) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(256);
    try (JsonGenerator json = MAPPER.createGenerator(out)) {
      writer.write(json);
    } catch (IOException e) {
      throw new UncheckedIOException("Writing JSON to memory failed.", e);
    }
    return out.toByteArray();
  }

  /**
   * Reads a request body, which must be one JSON object.
   *
   * @throws UnreadableBody if it is not text
   */
  static Fields object(byte[] body) {
    String text = text(body);
    JsonNode node;
    try {
      node = MAPPER.readTree(text);
    } catch (JsonProcessingException e) {
      JsonFault fault = JsonFault.in(text);
      throw ApiError.validation(
          Violation.of(
                  "json_invalid",
                  "body." + fault.at(),
                  "JSON decode error",
                  MAPPER.createObjectNode())
              .with("{'error': " + PythonText.quoted(fault.expected()) + "}"));
    }
    if (node.isMissingNode()) {
      throw ApiError.validation(
          Violation.of(
                  "json_invalid",
                  "body." + text.length(),
                  "JSON decode error",
                  MAPPER.createObjectNode())
              .with("{'error': 'Expecting value'}"));
    }
    if (node.isNull()) {
      throw ApiError.validation(Violation.of("missing", "body", "Field required", node));
    }
    if (!node.isObject()) {
      throw ApiError.validation(
          Violation.of(
              "model_attributes_type",
              "body",
              "Input should be a valid dictionary or object to extract fields from",
              node));
    }
    return new Fields(node, "body");
  }

  /** Decodes a body. Like Python it detects the encoding; a gzipped body is not text. */
  private static String text(byte[] body) {
    try {
      return encoding(body)
          .newDecoder()
          .decode(ByteBuffer.wrap(body))
          .toString()
          .replaceFirst("^\uFEFF", "");
    } catch (CharacterCodingException e) {
      throw new UnreadableBody();
    }
  }

  private static Charset encoding(byte[] body) {
    boolean marked = body.length > 1 && (body[0] & body[1] & 0xFE) == 0xFE;
    return marked ? StandardCharsets.UTF_16 : StandardCharsets.UTF_8;
  }

  static JsonNode parse(String json) throws JsonProcessingException {
    return MAPPER.readTree(json);
  }

  static String asciiString(String text) {
    try {
      return ASCII.writeValueAsString(text);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException("Writing a JSON string failed.", e);
    }
  }

  /** Writes an array of token ids. */
  public static void writeIds(JsonGenerator json, String field, TokenIds ids) throws IOException {
    json.writeArrayFieldStart(field);
    for (int i = 0; i < ids.size(); i++) {
      json.writeNumber(ids.get(i));
    }
    json.writeEndArray();
  }
}
