package io.sluice.standalone.pool;

import com.fasterxml.jackson.databind.JsonNode;
import io.sluice.common.openai.Choice;
import io.sluice.common.protocol.Json;
import io.sluice.producer.client.InferenceRequest;
import io.sluice.producer.client.InferenceRequest.Message;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.Iterator;
import java.util.List;
import java.util.stream.Stream;

/** A streamed chat over HTTP, as any client of OpenAI's API asks for it. */
final class HttpChat {
  private static final Duration TIMEOUT = Duration.ofMinutes(1);
  private static final String DATA = "data: ";
  private static final String COMMENT = ": ";

  private final URI gateway;
  private final PrintWriter out;

  HttpChat(URI gateway, PrintWriter out) {
    this.gateway = gateway;
    this.out = out;
  }

  /**
   * Prints the answer to a question as it arrives, and who served it.
   *
   * @return whether the answer is complete
   */
  boolean print(String question, int maxTokens) throws InterruptedException {
    try {
      return ask(question, maxTokens);
    } catch (IOException | UncheckedIOException e) {
      out.printf("%nno answer from %s: %s%n", gateway, e.getMessage());
      return false;
    }
  }

  private boolean ask(String question, int maxTokens) throws IOException, InterruptedException {
    InferenceRequest chat =
        InferenceRequest.chat(PoolPlan.MODEL, List.of(Message.user(question)))
            .with("max_tokens", maxTokens)
            .build();
    HttpRequest request =
        HttpRequest.newBuilder(gateway.resolve("/v1/chat/completions"))
            .header("content-type", "application/json")
            // The stream ends by then, so that no line is awaited for ever.
            .header("x-sluice-timeout-ms", Long.toString(TIMEOUT.toMillis()))
            .timeout(TIMEOUT)
            .POST(BodyPublishers.ofByteArray(Json.bytes(chat.json())))
            .build();
    try (HttpClient http = HttpClient.newHttpClient()) {
      HttpResponse<Stream<String>> response = http.send(request, BodyHandlers.ofLines());
      try (Stream<String> lines = response.body()) {
        return print(lines.iterator());
      }
    }
  }

  private boolean print(Iterator<String> lines) {
    String served = "";
    boolean isDone = false;
    while (lines.hasNext()) {
      String line = lines.next();
      if (line.startsWith(COMMENT)) {
        served = line.substring(COMMENT.length());
      } else if (line.equals(DATA + "[DONE]")) {
        isDone = true;
      } else if (!line.isEmpty()) {
        out.print(text(line));
        out.flush();
      }
    }
    out.printf("%n[%s]%n", served);
    return isDone;
  }

  /** Returns the text of an event; of an error, the error. */
  private static String text(String line) {
    JsonNode chunk = Json.known(line.startsWith(DATA) ? line.substring(DATA.length()) : line);
    return chunk.has("error") ? chunk.toString() : Choice.firstOfChunk(chunk).text();
  }
}
