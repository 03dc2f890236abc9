package io.sluice.simulator.engine;

import io.sluice.simulator.text.TokenIds;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;

/** A scheduler whose steps a test reads as text: {@code 1:64 2:1} for ids and tokens. */
final class Schedule implements BlockListener {

  private final Scheduler scheduler;
  private final List<String> events = new ArrayList<>();
  private long arrivals;

  Schedule(Scheduling rules, int kvBlocks) {
    scheduler = new Scheduler(rules, true, new BlockPool(kvBlocks, 16, this));
  }

  /** Adds a sequence with unique tokens that generates without end. */
  void add(long id, int promptTokens) {
    add(request(id, promptTokens));
  }

  void add(SequenceRequest request) {
    scheduler.add(new Sequence(request, 16, arrivals++));
  }

  static SequenceRequest request(long id, int promptTokens) {
    return request(id, prompt((int) id, promptTokens), Integer.MAX_VALUE);
  }

  static SequenceRequest request(long id, int[] prompt, int outputTokens) {
    return new SequenceRequest(
        id, TokenIds.of(prompt), outputTokens, Set.of(), 0, () -> (int) id + 1000);
  }

  /** Returns the request with another priority. */
  static SequenceRequest prioritized(SequenceRequest request, int priority) {
    return with(request, priority, request.cacheScope());
  }

  /** Returns the request with another cache scope. */
  static SequenceRequest scoped(SequenceRequest request, CacheScope scope) {
    return with(request, request.priority(), scope);
  }

  private static SequenceRequest with(SequenceRequest request, int priority, CacheScope scope) {
    return new SequenceRequest(
        request.id(),
        request.prompt(),
        request.maxTokens(),
        request.endTokens(),
        request.minTokens(),
        request.source(),
        priority,
        scope,
        request.repetition());
  }

  static int[] prompt(int token, int count) {
    int[] prompt = new int[count];
    Arrays.fill(prompt, token);
    return prompt;
  }

  /** Runs a step and returns its computation. */
  String step() {
    List<Sequence> batch = scheduler.schedule(0);
    String text =
        batch.stream()
            .map(sequence -> sequence.request().id() + ":" + sequence.scheduledTokens())
            .collect(Collectors.joining(" "));
    for (Sequence sequence : batch) {
      sequence.compute();
      if (sequence.uncomputedTokens() == 0) {
        sequence.sample(Integer.MAX_VALUE);
      }
    }
    scheduler.removeFinished();
    return text;
  }

  List<String> steps(int count) {
    List<String> steps = new ArrayList<>();
    for (int i = 0; i < count; i++) {
      steps.add(step());
    }
    return steps;
  }

  String waiting() {
    List<String> ids = new ArrayList<>();
    scheduler.waiting().forEach(sequence -> ids.add(Long.toString(sequence.request().id())));
    return String.join(" ", ids);
  }

  EngineStats stats() {
    return scheduler.stats();
  }

  List<String> events() {
    return events;
  }

  @Override
  public void stored(long hash) {
    events.add("stored");
  }

  @Override
  public void removed(long hash) {
    events.add("removed");
  }

  @Override
  public void allCleared() {
    events.add("cleared");
  }
}
