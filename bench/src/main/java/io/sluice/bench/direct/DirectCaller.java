package io.sluice.bench.direct;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

/** Asks undisturbed engines over HTTP for answers that are not streamed. */
public final class DirectCaller implements AutoCloseable {
  private static final int AT_ONCE = 8;
  private static final Duration ANSWER_WITHIN = Duration.ofMinutes(5);
  private static final ObjectMapper JSON = new ObjectMapper();

  private final HttpClient http = client();

  /**
   * Asks all questions, several at a time.
   *
   * @param engine gives the engine that is asked a question
   * @return the replies by question id
   * @throws IOException if a question gets no reply
   */
  public Map<String, DirectReply> ask(List<Question> questions, Function<Question, URI> engine)
      throws IOException, InterruptedException {
    Map<String, Future<DirectReply>> asked = new HashMap<>();
    try (ExecutorService pool = Executors.newFixedThreadPool(AT_ONCE)) {
      for (Question question : questions) {
        asked.put(question.id(), pool.submit(() -> ask(question, engine.apply(question))));
      }
    }
    Map<String, DirectReply> replies = new HashMap<>();
    for (Map.Entry<String, Future<DirectReply>> one : asked.entrySet()) {
      try {
        replies.put(one.getKey(), one.getValue().get());
      } catch (ExecutionException e) {
        throw new IOException(
            "no reference answer to %s: %s".formatted(one.getKey(), e.getCause()), e);
      }
    }
    return replies;
  }

  /** Uses HTTP/1.1, because vLLM's server loses the body of a request that offers HTTP/2. */
  private static HttpClient client() {
    return HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  }

  /**
   * Asks again on a new connection if the connection broke, because a server may close an idle
   * connection just when it is used. The other pooled connections may be as idle as the broken one.
   */
  private DirectReply ask(Question question, URI engine) throws IOException, InterruptedException {
    try {
      return ask(http, question, engine);
    } catch (IOException e) {
      try (HttpClient fresh = client()) {
        return ask(fresh, question, engine);
      } catch (IOException again) {
        again.addSuppressed(e);
        throw again;
      }
    }
  }

  private static DirectReply ask(HttpClient http, Question question, URI engine)
      throws IOException, InterruptedException {
    ObjectNode body = question.body().deepCopy();
    body.put("stream", false);
    HttpResponse<byte[]> response =
        http.send(
            HttpRequest.newBuilder(engine.resolve(question.endpoint()))
                .header("Content-Type", "application/json")
                .timeout(ANSWER_WITHIN)
                .POST(HttpRequest.BodyPublishers.ofString(body.toString()))
                .build(),
            BodyHandlers.ofByteArray());
    return new DirectReply(response.statusCode(), JSON.readTree(response.body()));
  }

  @Override
  public void close() {
    http.close();
  }
}
