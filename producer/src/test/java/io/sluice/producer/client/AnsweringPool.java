package io.sluice.producer.client;

import io.sluice.common.protocol.ErrorKind;
import io.sluice.common.protocol.HeaderNames;
import io.sluice.common.protocol.HeaderText;
import io.sluice.common.protocol.Json;
import io.sluice.common.reply.ClaimMode;
import io.sluice.common.reply.ReplyHeaders;
import io.sluice.common.reply.ReplyHeadersBuilder;
import io.sluice.common.reply.ReplyKind;
import io.sluice.common.reply.TokenNotes;
import io.sluice.producer.ClientConfig;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Function;
import org.apache.kafka.clients.producer.ProducerRecord;

/** A client whose requests are answered by a function, over Kafka's mock clients. */
public final class AnsweringPool implements AutoCloseable {
  /** Answers with an error of this kind, instead of a text. */
  public static final String FAIL = "fail:";

  /** Leaves the request without an answer. */
  public static final String SILENCE = "silence";

  private final MockPool pool;
  private final Function<String, String> answers;
  private final ScheduledExecutorService worker = Executors.newSingleThreadScheduledExecutor();
  private final AtomicInteger inFlight = new AtomicInteger();
  private final AtomicInteger mostInFlight = new AtomicInteger();
  private final List<String> topics = new CopyOnWriteArrayList<>();
  private int answered;

  /** Answers each body with the text that the function returns for it. */
  public AnsweringPool(Function<String, String> answers) {
    this.pool = new MockPool(ClientConfig.at("kafka:1"));
    this.answers = answers;
    pool.client.reader().start();
    worker.scheduleWithFixedDelay(this::work, 0, 1, TimeUnit.MILLISECONDS);
  }

  public SluiceClient client() {
    return pool.client;
  }

  /** Returns the topics to which records were sent. */
  public List<String> topics() {
    return topics;
  }

  /** Returns the maximum number of requests that waited for an answer at once. */
  public int mostInFlight() {
    return mostInFlight.get();
  }

  private void work() {
    List<ProducerRecord<String, byte[]>> sent = List.copyOf(pool.producer.history());
    inFlight.set(sent.size() - answered);
    mostInFlight.accumulateAndGet(inFlight.get(), Math::max);
    while (answered < sent.size()) {
      ProducerRecord<String, byte[]> record = sent.get(answered++);
      topics.add(record.topic());
      if (!record.topic().equals("sluice.control")) {
        answer(record);
      }
    }
  }

  private void answer(ProducerRecord<String, byte[]> request) {
    String id = HeaderText.get(request.headers(), HeaderNames.REQUEST_ID).orElseThrow();
    String text = answers.apply(new String(request.value(), StandardCharsets.UTF_8));
    if (text.equals(SILENCE)) {
      return;
    }
    if (text.startsWith(FAIL)) {
      ErrorKind kind = ErrorKind.parse(text.substring(FAIL.length())).orElseThrow();
      pool.write(
          headers(id, ReplyKind.ERROR, 0, 0),
          new String(kind.toJson("as the test wants it"), StandardCharsets.UTF_8));
      return;
    }
    boolean isStreamed =
        new String(request.value(), StandardCharsets.UTF_8).contains("\"stream\":true");
    if (isStreamed) {
      pool.write(headers(id, ReplyKind.TOKENS, 0, 1), MockPool.chunk(text));
    }
    pool.write(headers(id, ReplyKind.FINAL, isStreamed ? 1 : 0, 0), last(text, isStreamed));
  }

  private static String last(String text, boolean isStreamed) {
    Map<String, Object> choice =
        isStreamed
            ? Map.of("index", 0, "delta", Map.of(), "finish_reason", "stop")
            : Map.of(
                "index",
                0,
                "message",
                Map.of("role", "assistant", "content", text),
                "finish_reason",
                "stop");
    return Json.text(
        Map.of(
            "id",
            "c1",
            "object",
            isStreamed ? "chat.completion.chunk" : "chat.completion",
            "choices",
            List.of(choice),
            "usage",
            Map.of("prompt_tokens", 2, "completion_tokens", 1)));
  }

  private static ReplyHeaders headers(String id, ReplyKind kind, int index, int count) {
    return ReplyHeadersBuilder.builder()
        .requestId(id)
        .kind(kind)
        .attempt(1)
        .lease("lease")
        .mode(ClaimMode.RESUME)
        .index(index)
        .count(count)
        .fallback(false)
        .latencyMillis(OptionalLong.of(12))
        .notes(TokenNotes.NONE)
        .worker(Optional.of("w1"))
        .model(Optional.of("sluice-8b"))
        .build();
  }

  @Override
  public void close() {
    worker.shutdownNow();
    pool.client.close();
  }
}
