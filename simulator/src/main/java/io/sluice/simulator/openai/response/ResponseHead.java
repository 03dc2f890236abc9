package io.sluice.simulator.openai.response;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.simulator.openai.request.GenerationRequest;
import io.sluice.simulator.openai.request.Json;
import io.sluice.simulator.serving.ChoiceOutput;
import java.io.IOException;
import java.util.List;
import java.util.OptionalInt;

/**
 * The fields that all response objects of a request share.
 *
 * @param request the request
 * @param createdSeconds the arrival time of the request, in Unix seconds
 * @param fingerprint the system fingerprint
 * @param cachedTokens whether usage reports cached tokens
 * @param usageKeys the keys of usage
 */
record ResponseHead(
    GenerationRequest request,
    long createdSeconds,
    String fingerprint,
    boolean cachedTokens,
    UsageKeys usageKeys) {

  /** Returns whether answers have the keys of release 0.32. */
  boolean isCurrent() {
    return usageKeys != UsageKeys.BEFORE_0_32;
  }

  /** Writes the end of a whole answer. */
  void writeWholeEnd(JsonGenerator json) throws IOException {
    json.writeNullField("kv_transfer_params");
    if (isCurrent()) {
      json.writeNullField("ec_transfer_params");
      json.writeNullField("metrics");
    }
  }

  void write(JsonGenerator json, String object) throws IOException {
    json.writeStringField("id", request.id());
    json.writeStringField("object", object);
    json.writeNumberField("created", createdSeconds);
    json.writeStringField("model", request.model());
  }

  /** Returns the usage of a whole answer, computed from the last output of each choice. */
  Usage usage(List<ChoiceOutput> choices) {
    int cached =
        choices.stream()
            .filter(choice -> request.isFirstOfPrompt(choice.choice()))
            .mapToInt(ChoiceOutput::cachedTokens)
            .sum();
    return new Usage(
        request.promptTokens(),
        choices.stream().mapToInt(ChoiceOutput::outputTokens).sum(),
        cachedTokens ? OptionalInt.of(cached) : OptionalInt.empty());
  }

  /** Returns the usage frame. It is the same for chat and completions and has no null values. */
  byte[] usageFrame(String object, Usage usage) {
    return Json.bytes(
        json -> {
          json.writeStartObject();
          write(json, object);
          json.writeArrayFieldStart("choices");
          json.writeEndArray();
          usage.write(json, Usage.Place.END, usageKeys);
          json.writeStringField("system_fingerprint", fingerprint);
          json.writeEndObject();
        });
  }

  void writeContinuousUsage(JsonGenerator json, int promptTokens, int outputTokens)
      throws IOException {
    if (request.streaming().continuousUsage()) {
      new Usage(promptTokens, outputTokens, OptionalInt.empty())
          .write(json, Usage.Place.FRAME, usageKeys);
    }
  }

  void writeTokenIds(JsonGenerator json, ChoiceOutput output) throws IOException {
    if (request.shape().tokenIds()) {
      Json.writeIds(json, "token_ids", output.tokenIds());
    } else {
      json.writeNullField("token_ids");
    }
  }

  /** Writes the fingerprint into the last frame of a choice, unless a usage frame follows. */
  void writeFingerprint(JsonGenerator json, ChoiceOutput output) throws IOException {
    if (output.finish().isPresent() && !request.streaming().includeUsage()) {
      json.writeStringField("system_fingerprint", fingerprint);
    }
  }
}
