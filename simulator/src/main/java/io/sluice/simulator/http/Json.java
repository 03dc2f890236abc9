package io.sluice.simulator.http;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.json.JsonWriteFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sluice.simulator.text.TokenIds;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;

/** JSON in and out: compact, non-ASCII characters as raw UTF-8, keys in the order written. */
final class Json {

  /** Writes one JSON document. */
  @FunctionalInterface
  interface Writer {
    void write(JsonGenerator json) throws IOException;
  }

  private static final JsonMapper MAPPER =
      JsonMapper.builder(
              JsonFactory.builder()
                  .streamReadConstraints(
                      StreamReadConstraints.builder().maxStringLength(16 * 1024 * 1024).build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();
  private static final JsonMapper ASCII =
      JsonMapper.builder().enable(JsonWriteFeature.ESCAPE_NON_ASCII).build();

  private Json() {}

  static byte[] bytes(Writer writer) {
    ByteArrayOutputStream out = new ByteArrayOutputStream(256);
    try (JsonGenerator json = MAPPER.createGenerator(out)) {
      writer.write(json);
    } catch (IOException e) {
      throw new UncheckedIOException("Writing JSON to memory failed.", e);
    }
    return out.toByteArray();
  }

  /** Reads a request body; it must be one JSON object. */
  static JsonNode object(byte[] body) {
    JsonNode node;
    try {
      node = MAPPER.readTree(body);
    } catch (JsonProcessingException e) {
      long at = e.getLocation() == null ? 0 : Math.max(0, e.getLocation().getByteOffset());
      throw ApiError.validation(
          "{'type': 'json_invalid', 'loc': ('body', %d), 'msg': 'JSON decode error', 'input': {}, 'ctx': {'error': 'Expecting value'}}"
              .formatted(at));
    } catch (IOException e) {
      throw new UncheckedIOException("Reading JSON from memory failed.", e);
    }
    if (node.isArray()) {
      // vLLM looks for keys in it before it checks what it is.
      throw ApiError.unexpected("'list' object has no attribute 'get'");
    }
    if (!node.isObject()) {
      throw ApiError.validation(
          "{'type': 'model_attributes_type', 'loc': ('body',), 'msg': 'Input should be a valid dictionary or object to extract fields from'}");
    }
    return node;
  }

  static String asciiString(String text) {
    try {
      return ASCII.writeValueAsString(text);
    } catch (JsonProcessingException e) {
      throw new UncheckedIOException("Writing a JSON string failed.", e);
    }
  }

  static void writeIds(JsonGenerator json, String field, TokenIds ids) throws IOException {
    json.writeArrayFieldStart(field);
    for (int i = 0; i < ids.size(); i++) {
      json.writeNumber(ids.get(i));
    }
    json.writeEndArray();
  }
}
