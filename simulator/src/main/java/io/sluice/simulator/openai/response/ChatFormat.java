package io.sluice.simulator.openai.response;

import com.fasterxml.jackson.core.JsonGenerator;
import io.sluice.simulator.engine.FinishReason;
import io.sluice.simulator.openai.request.AnswerShape;
import io.sluice.simulator.openai.request.GenerationRequest;
import io.sluice.simulator.openai.request.Json;
import io.sluice.simulator.serving.ChoiceOutput;
import io.sluice.simulator.serving.Finish;
import io.sluice.simulator.text.Tokenizer;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;

/** Writes {@code chat.completion} and {@code chat.completion.chunk} objects. */
final class ChatFormat implements ResponseFormat {

  private static final String CHUNK = "chat.completion.chunk";

  private final GenerationRequest request;
  private final AnswerShape shape;
  private final ResponseHead head;
  private final Tokenizer tokenizer;
  private final Logprobs logprobs;
  private final Set<Integer> calledTool = new HashSet<>();

  ChatFormat(GenerationRequest request, ResponseHead head, Tokenizer tokenizer) {
    this.request = request;
    this.shape = request.shape();
    this.head = head;
    this.tokenizer = tokenizer;
    this.logprobs = new Logprobs(tokenizer, shape.logprobs().idsAsTokens());
  }

  @Override
  public List<byte[]> opening() {
    List<byte[]> frames = new ArrayList<>();
    for (int choice = 0; choice < request.choices(); choice++) {
      frames.add(roleFrame(choice));
    }
    for (int choice = 0; choice < request.choices(); choice++) {
      String echo = request.echoOf(choice);
      if (!echo.isEmpty()) {
        frames.add(bareFrame(choice, json -> json.writeStringField("content", echo), false, false));
      }
    }
    return frames;
  }

  private byte[] roleFrame(int choice) {
    return bareFrame(
        choice,
        json -> {
          json.writeStringField("role", shape.role());
          json.writeStringField("content", "");
        },
        true,
        false);
  }

  /** Returns a frame without an output. It has no token ids and no stop reason. */
  private byte[] bareFrame(int choice, Json.Writer delta, boolean withPrompt, boolean isCall) {
    return Json.bytes(
        json -> {
          json.writeStartObject();
          head.write(json, CHUNK);
          json.writeArrayFieldStart("choices");
          json.writeStartObject();
          json.writeNumberField("index", choice);
          json.writeObjectFieldStart("delta");
          delta.write(json);
          json.writeEndObject();
          json.writeNullField("logprobs");
          json.writeNullField("finish_reason");
          if (isCall && head.isCurrent()) {
            json.writeNullField("token_ids");
          }
          json.writeEndObject();
          json.writeEndArray();
          head.writeContinuousUsage(json, request.promptTokens(), 0);
          if (withPrompt) {
            writePrompt(json);
          }
          json.writeEndObject();
        });
  }

  @Override
  public List<byte[]> output(ChoiceOutput output) {
    if (shape.tool().function().isEmpty()) {
      return List.of(outputFrame(output, json -> writeContent(json, output.text())));
    }
    List<byte[]> frames = new ArrayList<>();
    if (calledTool.add(output.choice())) {
      frames.add(bareFrame(output.choice(), this::writeCallDelta, false, true));
    }
    frames.add(outputFrame(output, json -> writeArgumentsDelta(json, output.text())));
    return frames;
  }

  private byte[] outputFrame(ChoiceOutput output, Json.Writer delta) {
    return Json.bytes(
        json -> {
          json.writeStartObject();
          head.write(json, CHUNK);
          json.writeArrayFieldStart("choices");
          json.writeStartObject();
          json.writeNumberField("index", output.choice());
          json.writeObjectFieldStart("delta");
          delta.write(json);
          json.writeEndObject();
          logprobs.writeChat(json, output.tokenIds(), shape.logprobs().answer());
          if (output.finish().isPresent()) {
            writeFinish(json, output.finish().get());
          } else {
            json.writeNullField("finish_reason");
          }
          head.writeTokenIds(json, output);
          json.writeEndObject();
          json.writeEndArray();
          head.writeContinuousUsage(json, request.promptTokens(), output.outputTokens());
          head.writeFingerprint(json, output);
          json.writeEndObject();
        });
  }

  private void writeCallDelta(JsonGenerator json) throws IOException {
    if (head.isCurrent()) {
      json.writeNullField("content");
    }
    json.writeArrayFieldStart("tool_calls");
    json.writeStartObject();
    writeCall(json, true, "");
    json.writeEndObject();
    json.writeEndArray();
  }

  private void writeContent(JsonGenerator json, String text) throws IOException {
    if (!text.isEmpty() || !shape.tool().isParsed()) {
      json.writeStringField("content", text);
    }
  }

  private void writeArgumentsDelta(JsonGenerator json, String arguments) throws IOException {
    if (arguments.isEmpty()) {
      writeContent(json, "");
      return;
    }
    if (head.isCurrent()) {
      json.writeNullField("content");
    }
    json.writeArrayFieldStart("tool_calls");
    json.writeStartObject();
    json.writeNumberField("index", 0);
    json.writeObjectFieldStart("function");
    json.writeStringField("arguments", arguments);
    json.writeEndObject();
    json.writeEndObject();
    json.writeEndArray();
  }

  private void writeCall(JsonGenerator json, boolean withIndex, String arguments)
      throws IOException {
    json.writeStringField(
        "id",
        "chatcmpl-tool-" + HexFormat.of().toHexDigits(ThreadLocalRandom.current().nextLong()));
    json.writeStringField("type", "function");
    if (withIndex) {
      json.writeNumberField("index", 0);
    }
    json.writeObjectFieldStart("function");
    json.writeStringField("name", shape.tool().function().orElseThrow());
    // The first frame of a call has no arguments.
    if (!withIndex || !head.isCurrent()) {
      json.writeStringField("arguments", arguments);
    }
    json.writeEndObject();
  }

  @Override
  public byte[] usage(List<ChoiceOutput> choices) {
    return head.usageFrame(CHUNK, head.usage(choices));
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
          head.usage(choices).write(json, Usage.Place.WHOLE, head.usageKeys());
          logprobs.writePrompt(json, request.promptOf(0), shape.logprobs().prompt());
          writePrompt(json);
          head.writeWholeEnd(json);
          json.writeEndObject();
        });
  }

  private void writeWholeChoice(JsonGenerator json, ChoiceOutput choice) throws IOException {
    json.writeStartObject();
    json.writeNumberField("index", choice.choice());
    json.writeObjectFieldStart("message");
    json.writeStringField("role", shape.role());
    json.writeStringField(
        "content",
        shape.tool().function().isPresent()
            ? head.isCurrent() && shape.tool().isNamed() ? "" : null
            : request.echoOf(choice.choice()) + choice.text());
    json.writeNullField("refusal");
    json.writeNullField("annotations");
    json.writeNullField("audio");
    json.writeNullField("function_call");
    if (shape.tool().function().isPresent() || !head.isCurrent()) {
      writeCalls(json, choice);
    }
    json.writeNullField("reasoning");
    json.writeEndObject();
    logprobs.writeChat(json, choice.tokenIds(), shape.logprobs().answer());
    writeFinish(json, choice.finish().orElseThrow());
    head.writeTokenIds(json, choice);
    json.writeNullField("routed_experts");
    json.writeEndObject();
  }

  private void writeCalls(JsonGenerator json, ChoiceOutput choice) throws IOException {
    json.writeArrayFieldStart("tool_calls");
    if (shape.tool().function().isPresent()) {
      json.writeStartObject();
      writeCall(json, false, choice.text());
      json.writeEndObject();
    }
    json.writeEndArray();
  }

  /** Writes the finish reason. A complete tool call has its own. */
  private void writeFinish(JsonGenerator json, Finish finish) throws IOException {
    boolean named = shape.tool().isNamed() && head.isCurrent();
    boolean called =
        shape.tool().function().isPresent() && !named && finish.reason() == FinishReason.STOP;
    json.writeStringField("finish_reason", called ? "tool_calls" : finish.reason().wireName());
    ResponseFormat.writeStopReason(json, finish);
  }

  private void writePrompt(JsonGenerator json) throws IOException {
    if (shape.tokenIds()) {
      Json.writeIds(json, "prompt_token_ids", request.promptOf(0));
    } else {
      json.writeNullField("prompt_token_ids");
    }
    json.writeStringField(
        "prompt_text", shape.promptText() ? tokenizer.decode(request.promptOf(0)) : null);
  }
}
