package io.sluice.worker.engine.client;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.sluice.common.openai.AnswerEnvelope;
import io.sluice.common.openai.Choice;
import io.sluice.common.openai.Reasoning;
import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.Json;
import io.sluice.worker.engine.Chunk;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A frame that is read without a tree: its only choice has index 0 and adds text to one field, and
 * nothing else but token ids and usage has a value. Most frames of a stream are like that. Their
 * {@code id}, {@code object}, {@code created} and {@code model} are not read. Not thread-safe.
 */
final class TextFrame {
  private static final JsonFactory FACTORY = Json.mapper().getFactory();

  private Chunk.@Nullable Text chunk;
  private final List<Integer> tokenIds = new ArrayList<>();
  private Optional<Usage> usage = Optional.empty();

  private TextFrame() {}

  /** Parses a frame; empty if it is not one of these, or not JSON. */
  static Optional<TextFrame> parse(byte[] data) {
    try (JsonParser parser = FACTORY.createParser(data)) {
      var frame = new TextFrame();
      return frame.readFrame(parser) && parser.nextToken() == null
          ? Optional.of(frame)
          : Optional.empty();
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  Chunk.Text chunk() {
    if (chunk == null) {
      throw new IllegalStateException("not read yet");
    }
    return chunk;
  }

  List<Integer> tokenIds() {
    return tokenIds;
  }

  Optional<Usage> usage() {
    return usage;
  }

  private boolean readFrame(JsonParser parser) throws IOException {
    if (parser.nextToken() != JsonToken.START_OBJECT) {
      return false;
    }
    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      JsonToken value = parser.nextToken();
      boolean isRead =
          switch (name) {
            case "id", "object", "created", "model" -> value.isScalarValue();
            case AnswerEnvelope.CHOICES -> readChoices(parser);
            case "usage" -> {
              usage = Usage.parse(parser.readValueAsTree());
              yield true;
            }
            default -> value == JsonToken.VALUE_NULL;
          };
      if (!isRead) {
        return false;
      }
    }
    return chunk != null;
  }

  private boolean readChoices(JsonParser parser) throws IOException {
    return parser.currentToken() == JsonToken.START_ARRAY
        && parser.nextToken() == JsonToken.START_OBJECT
        && readChoice(parser)
        && parser.nextToken() == JsonToken.END_ARRAY;
  }

  private boolean readChoice(JsonParser parser) throws IOException {
    for (String name = parser.nextFieldName(); name != null; name = parser.nextFieldName()) {
      JsonToken value = parser.nextToken();
      boolean isRead =
          switch (name) {
            case "index" -> value == JsonToken.VALUE_NUMBER_INT && parser.getIntValue() == 0;
            case Choice.DELTA -> readDelta(parser);
            case Choice.TEXT -> readText(parser, name);
            case Choice.TOKEN_IDS -> readTokenIds(parser);
            default -> value == JsonToken.VALUE_NULL;
          };
      if (!isRead) {
        return false;
      }
    }
    return true;
  }

  private boolean readDelta(JsonParser parser) throws IOException {
    if (parser.currentToken() != JsonToken.START_OBJECT) {
      return false;
    }
    String name = parser.nextFieldName();
    if (name == null || !(name.equals(Choice.CONTENT) || Reasoning.FIELDS.contains(name))) {
      return false;
    }
    parser.nextToken();
    return readText(parser, name) && parser.nextToken() == JsonToken.END_OBJECT;
  }

  private boolean readText(JsonParser parser, String field) throws IOException {
    if (chunk != null || parser.currentToken() != JsonToken.VALUE_STRING) {
      return false;
    }
    chunk = new Chunk.Text(field, parser.getText());
    return true;
  }

  private boolean readTokenIds(JsonParser parser) throws IOException {
    if (parser.currentToken() == JsonToken.VALUE_NULL) {
      return true;
    }
    if (parser.currentToken() != JsonToken.START_ARRAY || !tokenIds.isEmpty()) {
      return false;
    }
    while (parser.nextToken() == JsonToken.VALUE_NUMBER_INT) {
      tokenIds.add(parser.getIntValue());
    }
    return parser.currentToken() == JsonToken.END_ARRAY;
  }
}
