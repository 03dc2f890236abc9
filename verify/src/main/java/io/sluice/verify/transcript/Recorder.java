package io.sluice.verify.transcript;

import io.sluice.verify.http.Engine;
import io.sluice.verify.http.EngineAnswer;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.LinkedHashSet;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.regex.Pattern;

/** Sends the requests of the corpus to one engine and records the form of its answers. */
final class Recorder {

  /** The record of a missing answer. */
  static final Set<String> NO_ANSWER = Set.of("no answer");

  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Pattern UNDER_WAY =
      Pattern.compile("(?m)^vllm:num_requests_(running|waiting)(\\{[^}]*})? [1-9]");

  private final Engine engine;
  private final Wording wording;

  Recorder(Engine engine) {
    this.engine = engine;
    this.wording = new Wording(engine);
  }

  /** Returns the lines of the answer. Without an answer, a line says why. */
  Set<String> record(Request request) {
    try {
      if (request.abortAfter().isPresent()) {
        return aborted(request, request.abortAfter().getAsInt());
      }
      EngineAnswer answer =
          engine.client().send(request.method(), request.path(), request.headers(), request.body());
      return Transcript.of(answer, wording, request.comparison());
    } catch (UncheckedIOException e) {
      return NO_ANSWER;
    }
  }

  /** Returns whether the engine still answers. */
  boolean isThere() {
    try {
      return engine.client().get("/health").status() == 200;
    } catch (UncheckedIOException e) {
      return false;
    }
  }

  /** Disconnects after some events, or after none while the request is running. */
  private Set<String> aborted(Request request, int events) {
    Set<String> lines = new LinkedHashSet<>();
    try (Socket socket = engine.client().connect()) {
      String head =
          "POST %s HTTP/1.1\r\nhost: %s\r\ncontent-type: application/json\r\ncontent-length: %s\r\n\r\n"
              .formatted(
                  request.path(), engine.client().base().getAuthority(), request.body().length);
      socket.getOutputStream().write(head.getBytes(StandardCharsets.US_ASCII));
      socket.getOutputStream().write(request.body());
      if (events == 0) {
        lines.add("running: " + within(this::isBusy));
      } else {
        lines.add("events: " + readEvents(socket.getInputStream(), events));
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    lines.add("freed: " + within(() -> !isBusy()));
    return lines;
  }

  private static int readEvents(InputStream in, int events) throws IOException {
    StringBuilder read = new StringBuilder();
    byte[] buffer = new byte[4096];
    int seen = 0;
    while (seen < events) {
      int count = in.read(buffer);
      if (count < 0) {
        return seen;
      }
      read.append(new String(buffer, 0, count, StandardCharsets.ISO_8859_1));
      seen = read.toString().split("data: ", -1).length - 1;
    }
    return events;
  }

  private boolean isBusy() {
    return UNDER_WAY.matcher(engine.client().get("/metrics").body()).find();
  }

  private static boolean within(BooleanSupplier condition) {
    long end = System.nanoTime() + PATIENCE.toNanos();
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        return false;
      }
    }
    return true;
  }
}
