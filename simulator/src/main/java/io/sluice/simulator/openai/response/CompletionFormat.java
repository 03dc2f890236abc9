package io.sluice.simulator.openai.response;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.simulator.openai.request.AnswerShape;
import io.sluice.simulator.openai.request.GenerationRequest;
import io.sluice.simulator.openai.request.Json;
import io.sluice.simulator.serving.ChoiceOutput;
import io.sluice.simulator.serving.Finish;
import io.sluice.simulator.text.TokenIds;
import io.sluice.simulator.text.Tokenizer;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Writes {@code text_completion} objects, whole and streamed. */
final class CompletionFormat implements ResponseFormat {

  private static final String OBJECT = "text_completion";

  private final GenerationRequest request;
  private final AnswerShape shape;
  private final ResponseHead head;
  private final Logprobs logprobs;

  /** The text offset of the next token of each choice that has started. */
  private final Map<Integer, Integer> offsets = new HashMap<>();

  CompletionFormat(GenerationRequest request, ResponseHead head, Tokenizer tokenizer) {
    this.request = request;
    this.shape = request.shape();
    this.head = head;
    this.logprobs = new Logprobs(tokenizer, shape.logprobs().idsAsTokens());
  }

  @Override
  public List<byte[]> opening() {
    return List.of();
  }

  @Override
  public List<byte[]> output(ChoiceOutput output) {
    boolean first = !offsets.containsKey(output.choice());
    int offset = offsets.getOrDefault(output.choice(), 0);
    TokenIds shown = shown(output, first);
    offsets.put(output.choice(), offset + logprobs.length(shown));
    return List.of(
        Json.bytes(
            json -> {
              json.writeStartObject();
              head.write(json, OBJECT);
              json.writeArrayFieldStart("choices");
              json.writeStartObject();
              json.writeNumberField("index", output.choice());
              json.writeStringField("text", text(output, first));
              logprobs.writeCompletion(
                  json, shown, shape.logprobs().answer(), offset, first && echoes());
              if (output.finish().isPresent()) {
                writeFinish(json, output.finish().get());
              } else {
                json.writeNullField("finish_reason");
                json.writeNullField("stop_reason");
              }
              writePromptIds(json, output.choice(), first);
              head.writeTokenIds(json, output);
              json.writeEndObject();
              json.writeEndArray();
              head.writeContinuousUsage(
                  json, request.promptOf(output.choice()).size(), output.outputTokens());
              head.writeFingerprint(json, output);
              json.writeEndObject();
            }));
  }

  @Override
  public byte[] usage(List<ChoiceOutput> choices) {
    return head.usageFrame(OBJECT, head.usage(choices));
  }

  @Override
  public byte[] whole(List<ChoiceOutput> choices) {
    return Json.bytes(
        json -> {
          json.writeStartObject();
          head.write(json, OBJECT);
          json.writeArrayFieldStart("choices");
          for (ChoiceOutput choice : choices) {
            writeWholeChoice(json, choice);
          }
          json.writeEndArray();
          json.writeNullField("service_tier");
          json.writeStringField("system_fingerprint", head.fingerprint());
          head.usage(choices).write(json, Usage.Place.WHOLE, head.usageKeys());
          head.writeWholeEnd(json);
          json.writeEndObject();
        });
  }

  private void writeWholeChoice(JsonGenerator json, ChoiceOutput choice) throws IOException {
    json.writeStartObject();
    json.writeNumberField("index", choice.choice());
    json.writeStringField("text", text(choice, true));
    logprobs.writeCompletion(json, shown(choice, true), shape.logprobs().answer(), 0, echoes());
    writeFinish(json, choice.finish().orElseThrow());
    head.writeTokenIds(json, choice);
    logprobs.writePrompt(json, request.promptOf(choice.choice()), shape.logprobs().prompt());
    writePromptIds(json, choice.choice(), true);
    json.writeNullField("routed_experts");
    json.writeEndObject();
  }

  /**
   * Returns whether the first frame shows the prompt's ids because of an echo, even if they were
   * not requested.
   */
  private boolean echoesStreamed() {
    return echoes() && head.isCurrent() && request.streaming().on();
  }

  private boolean echoes() {
    return !shape.echoes().isEmpty();
  }

  private String text(ChoiceOutput output, boolean first) {
    String own = shape.echoOnly() ? "" : output.text();
    return first ? request.echoOf(output.choice()) + own : own;
  }

  /** Returns the tokens of the text that an output shows. */
  private TokenIds shown(ChoiceOutput output, boolean first) {
    TokenIds own = shape.echoOnly() ? TokenIds.of() : output.tokenIds();
    return first && echoes() ? request.promptOf(output.choice()).plus(own) : own;
  }

  private static void writeFinish(JsonGenerator json, Finish finish) throws IOException {
    json.writeStringField("finish_reason", finish.reason().wireName());
    ResponseFormat.writeStopReason(json, finish);
  }

  private void writePromptIds(JsonGenerator json, int choice, boolean first) throws IOException {
    if ((shape.tokenIds() || echoesStreamed()) && first) {
      Json.writeIds(json, "prompt_token_ids", request.promptOf(choice));
    } else {
      json.writeNullField("prompt_token_ids");
    }
  }
}
