package io.sluice.simulator.http;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.simulator.serving.ChoiceOutput;
import io.sluice.simulator.serving.Finish;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;

/** {@code chat.completion} and {@code chat.completion.chunk} objects. */
final class ChatFormat implements ResponseFormat {

  private static final String CHUNK = "chat.completion.chunk";

  private final GenerationRequest request;
  private final ResponseHead head;

  ChatFormat(GenerationRequest request, ResponseHead head) {
    this.request = request;
    this.head = head;
  }

  @Override
  public List<byte[]> opening() {
    List<byte[]> frames = new ArrayList<>();
    for (int choice = 0; choice < request.choices(); choice++) {
      frames.add(roleFrame(choice));
    }
    for (int choice = 0; choice < request.choices(); choice++) {
      if (!request.echoOf(choice).isEmpty()) {
        frames.add(echoFrame(choice, request.echoOf(choice)));
      }
    }
    return frames;
  }

  private byte[] roleFrame(int choice) {
    return Json.bytes(
        json -> {
          json.writeStartObject();
          head.write(json, CHUNK);
          json.writeArrayFieldStart("choices");
          json.writeStartObject();
          json.writeNumberField("index", choice);
          json.writeObjectFieldStart("delta");
          json.writeStringField("role", request.role());
          json.writeStringField("content", "");
          json.writeEndObject();
          json.writeNullField("logprobs");
          json.writeNullField("finish_reason");
          json.writeEndObject();
          json.writeEndArray();
          writeContinuousUsage(json, 0);
          writePrompt(json);
          json.writeEndObject();
        });
  }

  private byte[] echoFrame(int choice, String text) {
    return Json.bytes(
        json -> {
          json.writeStartObject();
          head.write(json, CHUNK);
          json.writeArrayFieldStart("choices");
          json.writeStartObject();
          json.writeNumberField("index", choice);
          writeContent(json, text);
          json.writeNullField("logprobs");
          json.writeNullField("finish_reason");
          json.writeEndObject();
          json.writeEndArray();
          writeContinuousUsage(json, 0);
          json.writeEndObject();
        });
  }

  @Override
  public byte[] output(ChoiceOutput output) {
    return Json.bytes(
        json -> {
          json.writeStartObject();
          head.write(json, CHUNK);
          json.writeArrayFieldStart("choices");
          json.writeStartObject();
          json.writeNumberField("index", output.choice());
          writeContent(json, output.text());
          json.writeNullField("logprobs");
          if (output.finish().isPresent()) {
            ResponseFormat.writeFinish(json, output.finish().get());
          } else {
            json.writeNullField("finish_reason");
          }
          writeTokenIds(json, output);
          json.writeEndObject();
          json.writeEndArray();
          writeContinuousUsage(json, output.outputTokens());
          if (output.finish().isPresent() && !request.includeUsage()) {
            json.writeStringField("system_fingerprint", head.fingerprint());
          }
          json.writeEndObject();
        });
  }

  @Override
  public byte[] usage(Usage usage) {
    return head.usageFrame(CHUNK, usage);
  }

  @Override
  public byte[] whole(List<ChoiceOutput> choices) {
    return Json.bytes(
        json -> {
          json.writeStartObject();
          head.write(json, "chat.completion");
          json.writeArrayFieldStart("choices");
          for (ChoiceOutput choice : choices) {
            writeWholeChoice(json, choice);
          }
          json.writeEndArray();
          json.writeNullField("service_tier");
          json.writeStringField("system_fingerprint", head.fingerprint());
          int outputTokens = choices.stream().mapToInt(ChoiceOutput::outputTokens).sum();
          new Usage(request.promptTokens(), outputTokens).write(json, true);
          json.writeNullField("prompt_logprobs");
          writePrompt(json);
          json.writeNullField("kv_transfer_params");
          json.writeEndObject();
        });
  }

  private void writeWholeChoice(JsonGenerator json, ChoiceOutput choice) throws IOException {
    json.writeStartObject();
    json.writeNumberField("index", choice.choice());
    json.writeObjectFieldStart("message");
    json.writeStringField("role", request.role());
    json.writeStringField("content", request.echoOf(choice.choice()) + choice.text());
    json.writeNullField("refusal");
    json.writeNullField("annotations");
    json.writeNullField("audio");
    json.writeNullField("function_call");
    json.writeArrayFieldStart("tool_calls");
    json.writeEndArray();
    json.writeNullField("reasoning");
    json.writeEndObject();
    json.writeNullField("logprobs");
    Finish finish = choice.finish().orElseThrow();
    ResponseFormat.writeFinish(json, finish);
    writeTokenIds(json, choice);
    json.writeNullField("routed_experts");
    json.writeEndObject();
  }

  private void writeTokenIds(JsonGenerator json, ChoiceOutput output) throws IOException {
    if (request.returnTokenIds()) {
      Json.writeIds(json, "token_ids", output.tokenIds());
    } else {
      json.writeNullField("token_ids");
    }
  }

  private void writePrompt(JsonGenerator json) throws IOException {
    if (request.returnTokenIds()) {
      Json.writeIds(json, "prompt_token_ids", request.promptOf(0));
    } else {
      json.writeNullField("prompt_token_ids");
    }
    json.writeNullField("prompt_text");
  }

  private void writeContinuousUsage(JsonGenerator json, int outputTokens) throws IOException {
    if (request.continuousUsage()) {
      new Usage(request.promptTokens(), outputTokens).write(json, false);
    }
  }

  private static void writeContent(JsonGenerator json, String text) throws IOException {
    json.writeObjectFieldStart("delta");
    json.writeStringField("content", text);
    json.writeEndObject();
  }
}
