package io.sluice.bench.torture.clients;

import io.sluice.bench.gateway.AnswerCursor;
import io.sluice.bench.gateway.Gateways;
import io.sluice.bench.gateway.LogCursor;
import io.sluice.bench.gateway.PersistentReader;
import io.sluice.bench.gateway.ResponseCursor;
import io.sluice.bench.gateway.StreamCursor;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/** Reads answers from their beginning at every gateway, and compares what the gateways send. */
final class Sequences {
  private static final Duration READ_WITHIN = Duration.ofSeconds(60);
  private static final int AT_ONCE = 6;
  private static final int SHOWN = 300;

  private final Gateways gateways;

  Sequences(Gateways gateways) {
    this.gateways = gateways;
  }

  /** Returns what differs, by the id of the request. */
  Map<String, List<String>> differences(List<ClientSession> sessions) throws InterruptedException {
    Map<String, Future<List<String>>> running = new LinkedHashMap<>();
    try (ExecutorService readers = Executors.newFixedThreadPool(AT_ONCE)) {
      for (ClientSession session : sessions) {
        session
            .requestId()
            .ifPresent(id -> running.put(id, readers.submit(() -> differences(session, id))));
      }
    }
    Map<String, List<String>> found = new LinkedHashMap<>();
    for (Map.Entry<String, Future<List<String>>> one : running.entrySet()) {
      try {
        found.put(one.getKey(), one.getValue().get());
      } catch (ExecutionException e) {
        found.put(one.getKey(), List.of("it cannot be read again: " + e.getCause()));
      }
    }
    return found;
  }

  private List<String> differences(ClientSession session, String id) throws InterruptedException {
    List<String> found = new ArrayList<>();
    switch (session.plan().kind()) {
      case RESPONSE -> compare(responses(id), session.items(), found);
      case STREAM, CHAT -> compare(() -> new StreamCursor(id), session.items(), found);
      case LOG_SSE, LOG_POLL ->
          compare(() -> new LogCursor(id, LogCursor.Live.NO), session.items(), found);
    }
    if (session.plan().kind().isBackground() && session.plan().kind() != ClientKind.RESPONSE) {
      compare(responses(id), List.of(), found);
    }
    return found;
  }

  private static Supplier<AnswerCursor> responses(String id) {
    return () -> ResponseCursor.of("resp_" + id);
  }

  /**
   * Reads with a fresh cursor at every gateway.
   *
   * @param seen what the client read; empty if it did not read in this way
   */
  private void compare(Supplier<AnswerCursor> fresh, List<String> seen, List<String> found)
      throws InterruptedException {
    List<String> first = List.of();
    for (int gateway = 0; gateway < gateways.count(); gateway++) {
      AnswerCursor cursor = fresh.get();
      var reader = new PersistentReader(gateways.only(gateway), cursor, 0);
      String name = "gateway " + (gateway + 1);
      if (!reader.read(READ_WITHIN)) {
        found.add("%s: no end at %s".formatted(name, cursor.path()));
      }
      reader.problems().forEach(problem -> found.add(name + ": " + problem));
      if (gateway == 0) {
        first = List.copyOf(cursor.items());
        if (!seen.isEmpty()) {
          difference(first, seen).ifPresent(what -> found.add("its client read " + what));
        }
      } else {
        difference(first, cursor.items()).ifPresent(what -> found.add(name + " sends " + what));
      }
    }
  }

  /** Returns where two sequences differ; the first one is what gateway 1 sends. */
  static Optional<String> difference(List<String> one, List<String> other) {
    for (int at = 0; at < Math.max(one.size(), other.size()); at++) {
      String expected = at < one.size() ? one.get(at) : "nothing";
      String actual = at < other.size() ? other.get(at) : "nothing";
      if (!expected.equals(actual)) {
        return Optional.of(
            "at %d of %d: %s, where gateway 1 sends, of %d: %s"
                .formatted(at, other.size(), shown(actual), one.size(), shown(expected)));
      }
    }
    return Optional.empty();
  }

  private static String shown(String item) {
    String line = item.replace('\n', ' ');
    return line.length() > SHOWN ? line.substring(0, SHOWN) + "..." : line;
  }
}
