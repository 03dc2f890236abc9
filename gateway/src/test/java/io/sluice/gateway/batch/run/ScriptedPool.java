package io.sluice.gateway.batch.run;

import io.sluice.common.openai.Usage;
import io.sluice.common.protocol.ErrorKind;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.reply.Answer;
import io.sluice.producer.reply.AnswerBuilder;
import io.sluice.producer.reply.ReplyEvent;
import io.sluice.producer.reply.RequestFailedException;
import java.nio.charset.StandardCharsets;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.OptionalLong;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/** A pool that runs no id twice, like the real one. Its answers come from a script. */
final class ScriptedPool implements LinePool {
  private final Map<String, CompletableFuture<Answer>> answers = new ConcurrentHashMap<>();
  private final Function<InferenceRequest, CompletableFuture<Answer>> script;

  /**
   * @param script is called once for each id
   */
  ScriptedPool(Function<InferenceRequest, CompletableFuture<Answer>> script) {
    this.script = script;
  }

  @Override
  public Asked ask(InferenceRequest request) {
    String id = request.requestId().orElseThrow();
    CompletableFuture<Answer> answer = answers.computeIfAbsent(id, _ -> script.apply(request));
    CompletableFuture<Answer> reading = answer.copy();
    return new Asked(
        reading, () -> answer.completeExceptionally(failure(ErrorKind.CANCELLED)), () -> {});
  }

  /** Returns how many ids were asked for. */
  int ids() {
    return answers.size();
  }

  static Answer answer(InferenceRequest request) {
    String text = request.json().path("messages").path(0).path("content").asText();
    return AnswerBuilder.builder()
        .requestId(request.requestId().orElseThrow())
        .text(text)
        .finishReason("stop")
        .usage(new Usage(3, 2, OptionalInt.of(1), OptionalInt.empty()))
        .json("{\"object\":\"chat.completion\",\"text\":\"" + text + "\"}")
        .fallback(false)
        .attempts(1)
        .firstTokenMillis(OptionalLong.empty())
        .latencyMillis(OptionalLong.empty())
        .worker(Optional.of("w1"))
        .model(Optional.of("m"))
        .build();
  }

  static RequestFailedException failure(ErrorKind kind) {
    return new RequestFailedException(
        new ReplyEvent.Failed(
            kind,
            kind.code(),
            OptionalLong.of(1),
            new String(kind.toJson(kind.code()), StandardCharsets.UTF_8)));
  }
}
