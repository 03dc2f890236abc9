package io.sluice.simulator.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.simulator.serving.ChoiceOutput;
import io.sluice.simulator.serving.Finish;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** {@code text_completion} objects, whole and streamed. */
final class CompletionFormat implements ResponseFormat {

  private static final String OBJECT = "text_completion";

  private final GenerationRequest request;
  private final ResponseHead head;
  private final Set<Integer> begun = new HashSet<>();

  CompletionFormat(GenerationRequest request, ResponseHead head) {
    this.request = request;
    this.head = head;
  }

  @Override
  public List<byte[]> opening() {
    return List.of();
  }

  @Override
  public byte[] output(ChoiceOutput output) {
    boolean first = begun.add(output.choice());
    String text = first ? request.echoOf(output.choice()) + output.text() : output.text();
    return Json.bytes(
        json -> {
          json.writeStartObject();
          head.write(json, OBJECT);
          json.writeArrayFieldStart("choices");
          json.writeStartObject();
          json.writeNumberField("index", output.choice());
          json.writeStringField("text", text);
          json.writeNullField("logprobs");
          if (output.finish().isPresent()) {
            ResponseFormat.writeFinish(json, output.finish().get());
          } else {
            json.writeNullField("finish_reason");
            json.writeNullField("stop_reason");
          }
          writePromptIds(json, output.choice(), first);
          writeTokenIds(json, output);
          json.writeEndObject();
          json.writeEndArray();
          if (request.continuousUsage()) {
            int promptTokens = request.promptOf(output.choice()).size();
            new Usage(promptTokens, output.outputTokens()).write(json, false);
          }
          if (output.finish().isPresent() && !request.includeUsage()) {
            json.writeStringField("system_fingerprint", head.fingerprint());
          }
          json.writeEndObject();
        });
  }

  @Override
  public byte[] usage(Usage usage) {
    return head.usageFrame(OBJECT, usage);
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
          int outputTokens = choices.stream().mapToInt(ChoiceOutput::outputTokens).sum();
          new Usage(request.promptTokens(), outputTokens).write(json, true);
          json.writeNullField("kv_transfer_params");
          json.writeEndObject();
        });
  }

  private void writeWholeChoice(JsonGenerator json, ChoiceOutput choice) throws IOException {
    json.writeStartObject();
    json.writeNumberField("index", choice.choice());
    json.writeStringField("text", request.echoOf(choice.choice()) + choice.text());
    json.writeNullField("logprobs");
    Finish finish = choice.finish().orElseThrow();
    ResponseFormat.writeFinish(json, finish);
    writeTokenIds(json, choice);
    json.writeNullField("prompt_logprobs");
    writePromptIds(json, choice.choice(), true);
    json.writeNullField("routed_experts");
    json.writeEndObject();
  }

  private void writePromptIds(JsonGenerator json, int choice, boolean first) throws IOException {
    if (request.returnTokenIds() && first) {
      Json.writeIds(json, "prompt_token_ids", request.promptOf(choice));
    } else {
      json.writeNullField("prompt_token_ids");
    }
  }

  private void writeTokenIds(JsonGenerator json, ChoiceOutput output) throws IOException {
    if (request.returnTokenIds()) {
      Json.writeIds(json, "token_ids", output.tokenIds());
    } else {
      json.writeNullField("token_ids");
    }
  }
}
