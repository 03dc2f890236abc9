package io.sluice.bench.fleet.sluice;

import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** The requests that a {@link VirtualWorker} has. Not thread-safe. */
final class HeldRequests {
  private final Map<Integer, HeldRequest> byId = new HashMap<>();
  private long contextTokens;
  private long waitingPromptTokens;

  void add(HeldRequest taken) {
    byId.put(taken.request().id(), taken);
    contextTokens += taken.promptTokens();
    waitingPromptTokens += taken.promptTokens();
  }

  @Nullable HeldRequest get(int request) {
    return byId.get(request);
  }

  /** Returns whether this attempt is still held. */
  boolean has(HeldRequest taken) {
    return taken.equals(byId.get(taken.request().id()));
  }

  void remove(HeldRequest known) {
    if (byId.remove(known.request().id(), known)) {
      contextTokens -= known.promptTokens() + known.outputTokens();
      waitingPromptTokens -= known.outputTokens() > 0 ? 0 : known.promptTokens();
    }
  }

  /** A request has another token. */
  void token(HeldRequest request, long atNanos) {
    if (request.outputTokens() == 0) {
      waitingPromptTokens -= request.promptTokens();
    }
    request.token(atNanos);
    contextTokens++;
  }

  /** Removes and returns all. */
  List<HeldRequest> removeAll() {
    List<HeldRequest> removed = List.copyOf(byId.values());
    removed.forEach(this::remove);
    return removed;
  }

  Collection<HeldRequest> all() {
    return byId.values();
  }

  int size() {
    return byId.size();
  }

  boolean isEmpty() {
    return byId.isEmpty();
  }

  /** Of this many slots, those that routers may count on: none is free while a suspect runs. */
  int usable(int slots) {
    return byId.values().stream().anyMatch(HeldRequest::isSuspect) ? byId.size() : slots;
  }

  /** Returns the leases that the engine streams well. */
  Set<String> streaming(long nowNanos) {
    return byId.values().stream()
        .filter(request -> request.streamsWell(nowNanos))
        .map(request -> request.lease().lease())
        .collect(Collectors.toUnmodifiableSet());
  }

  /** Returns what all of them have in the engine. */
  long contextTokens() {
    return contextTokens;
  }

  /** Returns the prompts without a first token. */
  long waitingPromptTokens() {
    return waitingPromptTokens;
  }
}
