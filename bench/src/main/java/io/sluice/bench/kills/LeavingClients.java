package io.sluice.bench.kills;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sluice.bench.torture.load.Prompts;
import io.sluice.bench.torture.pool.PoolSetup;
import java.io.IOException;
import java.net.Socket;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Measures how long the pool works for a client that has closed its connection. Each client is
 * alone, so that nothing waits or runs when its request has ended.
 */
final class LeavingClients {
  private static final int CLIENTS = 5;
  private static final int TOKENS = 200;
  private static final int FIRST_TOKENS = 5;

  /** An engine computes it in two steps, together over a second. */
  private static final int LONG_PROMPT_WORDS = 2_800;

  private final URI gateway;
  private final String model;
  private final Victims victims;
  private final Consumer<String> progress;
  private final Prompts prompts = new Prompts(new Random(2));
  private int asked;

  LeavingClients(URI gateway, String model, Victims victims, Consumer<String> progress) {
    this.gateway = gateway;
    this.model = model;
    this.victims = victims;
    this.progress = progress;
  }

  /** Where a request is when its client leaves. */
  private enum Phase {
    /** For a worker. */
    WAITING("while it waits"),
    /** The engine computes the prompt. */
    PROMPT("before the first token"),
    STREAMING("in mid-stream");

    private final String meaning;

    Phase(String meaning) {
      this.meaning = meaning;
    }
  }

  List<KillRow> rows() throws IOException, InterruptedException {
    List<KillRow> rows = new ArrayList<>();
    for (Phase phase : Phase.values()) {
      for (boolean isStreamed : List.of(true, false)) {
        rows.add(row(phase, isStreamed));
      }
    }
    return rows;
  }

  private KillRow row(Phase phase, boolean isStreamed) throws IOException, InterruptedException {
    String what =
        "client of a %s chat gone %s".formatted(isStreamed ? "streamed" : "whole", phase.meaning);
    progress.accept(what);
    long longest = 0;
    for (int client = 0; client < CLIENTS; client++) {
      victims.awaitIdle();
      longest = Math.max(longest, stoppedNanos(phase, body(phase, isStreamed)));
    }
    return KillRow.ofClients(what, OptionalLong.of(TimeUnit.NANOSECONDS.toMillis(longest)));
  }

  private ObjectNode body(Phase phase, boolean isStreamed) {
    String prompt = prompts.about("leaves-" + asked++);
    String model = phase == Phase.WAITING ? PoolSetup.ABSENT_MODEL : this.model;
    String rest = phase == Phase.PROMPT ? " sea".repeat(LONG_PROMPT_WORDS) : "";
    ObjectNode body = prompts.chat(model, prompt + rest).put("stream", isStreamed);
    return prompts.ofLength(body, TOKENS, TOKENS + 1);
  }

  /** Returns the time from the end of the connection to the end of the work. */
  private long stoppedNanos(Phase phase, ObjectNode body) throws IOException, InterruptedException {
    double before = victims.generatedTokens();
    try (Socket _ = send(body.toString())) {
      switch (phase) {
        case WAITING -> victims.awaitUntil(() -> victims.waiting() > 0);
        case PROMPT -> victims.awaitUntil(() -> victims.running() > 0);
        case STREAMING ->
            victims.awaitUntil(() -> victims.generatedTokens() >= before + FIRST_TOKENS);
      }
      if (phase != Phase.STREAMING && victims.generatedTokens() > before) {
        throw new IOException("the first token was faster than this client");
      }
    }
    long leftNanos = System.nanoTime();
    victims.awaitUntil(() -> victims.waiting() + victims.running() == 0);
    return System.nanoTime() - leftNanos;
  }

  private Socket send(String body) throws IOException {
    Socket socket = new Socket(gateway.getHost(), gateway.getPort());
    byte[] bytes = body.getBytes(UTF_8);
    String head =
        """
        POST /v1/chat/completions HTTP/1.1\r
        host: localhost\r
        content-type: application/json\r
        content-length: %s\r
        \r
        """
            .formatted(bytes.length);
    socket.getOutputStream().write(head.getBytes(UTF_8));
    socket.getOutputStream().write(bytes);
    return socket;
  }
}
