package io.sluice.bench.failover;

import io.sluice.bench.torture.pool.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.Set;
import java.util.function.Consumer;

/**
 * Lets the parts of one pool fail in turn, again and again, while clients read. Used by one thread.
 *
 * @param streams how many streams run at each failure
 */
record FailoverRun(
    FailoverPool pool,
    Clients clients,
    Placement placement,
    Texts texts,
    int streams,
    Consumer<String> progress) {
  /** How long after a failure a short request is counted that was sent meanwhile. */
  static final Duration AFTERMATH = Duration.ofSeconds(10);

  private static final double NANOS_PER_MILLI = 1e6;

  /** Where and when a process was hit. */
  private record Hit(Failure failure, Optional<Target> victim, long atNanos) {
    /** Returns whether a stream goes through the victim. */
    boolean isOn(String worker, int gateway) {
      return victim.isPresent()
          && switch (victim.get().role()) {
            case WORKER, ENGINE -> worker.equals(Target.worker(victim.get().number()).id());
            case GATEWAY -> gateway + 1 == victim.get().number();
            case ROUTER, BROKER, REDIS -> true;
          };
    }
  }

  /**
   * Returns one turn for each failure in each round.
   *
   * @throws IOException if a process or the pool does not recover in time
   */
  List<Turn> turns(List<Failure> failures, int rounds) throws IOException, InterruptedException {
    progress.accept("warm-up");
    turn(Failure.NONE, 0);
    List<Turn> turns = new ArrayList<>();
    for (int round = 0; round < rounds; round++) {
      for (Failure failure : failures) {
        try {
          Turn turn = turn(failure, round);
          turns.add(turn);
          tell(round, turn);
        } catch (IOException e) {
          throw new IOException(
              "round %d, %s: %s".formatted(round + 1, failure.label(), e.getMessage()), e);
        }
      }
    }
    return turns;
  }

  private Turn turn(Failure failure, int round) throws IOException, InterruptedException {
    pool.settle();
    placement.begin();
    List<Clients.Running> running = clients.streams(streams);
    Clients.Trickle trickle = clients.trickle();
    Map<String, String> workers = workersMidStream(running);
    Hit hit = hit(failure, round, workers.values());
    OptionalDouble whole = OptionalDouble.empty();
    if (hit.victim().isPresent()) {
      pool.recover(failure.disruption(), hit.victim().get());
      progress.accept(failure.label() + ": is back after " + millisSince(hit) + " ms");
      pool.awaitWhole(hit.victim().get());
      whole = OptionalDouble.of((System.nanoTime() - hit.atNanos()) / NANOS_PER_MILLI);
    }
    List<ClientAnswer> answers = new ArrayList<>();
    for (Clients.Running one : running) {
      answers.add(one.await());
    }
    Thread.sleep(
        Duration.ofNanos(Math.max(0, hit.atNanos() + AFTERMATH.toNanos() - System.nanoTime())));
    List<ClientAnswer> shorts = trickle.stop();
    return judged(hit, running, workers, answers, shorts, whole);
  }

  private static long millisSince(Hit hit) {
    return Math.round((System.nanoTime() - hit.atNanos()) / NANOS_PER_MILLI);
  }

  /** Waits until all streams have some tokens; returns their workers. */
  private Map<String, String> workersMidStream(List<Clients.Running> running)
      throws IOException, InterruptedException {
    Set<String> ids = new HashSet<>();
    for (Clients.Running one : running) {
      one.client().awaitMidStream();
      one.client().requestId().ifPresent(ids::add);
    }
    return placement.of(ids);
  }

  private Hit hit(Failure failure, int round, Collection<String> workers)
      throws IOException, InterruptedException {
    if (failure.role().isEmpty()) {
      return new Hit(failure, Optional.empty(), System.nanoTime());
    }
    Target victim = pool.victim(failure.role().get(), round, workers);
    progress.accept("%s: %s".formatted(failure.label(), victim.id()));
    long at = System.nanoTime();
    pool.hit(failure.disruption(), victim);
    return new Hit(failure, Optional.of(victim), at);
  }

  private Turn judged(
      Hit hit,
      List<Clients.Running> running,
      Map<String, String> workers,
      List<ClientAnswer> answers,
      List<ClientAnswer> shorts,
      OptionalDouble whole)
      throws IOException, InterruptedException {
    List<Double> hitGaps = new ArrayList<>();
    List<Double> otherGaps = new ArrayList<>();
    for (int stream = 0; stream < running.size(); stream++) {
      Clients.Running one = running.get(stream);
      String worker = workers.getOrDefault(one.client().requestId().orElse(""), "");
      List<Double> its = hit.isOn(worker, one.gateway()) ? hitGaps : otherGaps;
      answers.get(stream).longestGapMillis(hit.atNanos()).ifPresent(its::add);
    }
    List<Double> firstTokens = new ArrayList<>();
    for (ClientAnswer one : shorts) {
      long after = one.sentNanos() - hit.atNanos();
      if (after >= 0 && after < AFTERMATH.toNanos()) {
        one.firstMillis().ifPresent(firstTokens::add);
      }
    }
    List<ClientAnswer> all = new ArrayList<>(answers);
    all.addAll(shorts);
    int lost = all.stream().mapToInt(ClientAnswer::lost).sum();
    return new Turn(
        hit.failure(), hitGaps, otherGaps, firstTokens, texts.problems(all), lost, whole);
  }

  private void tell(int round, Turn turn) {
    progress.accept(
        String.format(
            Locale.ROOT,
            "round %d, %s: gaps of streams hit %s, others %s; first token %.0f ms at most; whole %s%s",
            round + 1,
            turn.failure().label(),
            rounded(turn.hitGaps()),
            rounded(turn.otherGaps()),
            turn.firstTokens().stream().mapToDouble(one -> one).max().orElse(0),
            turn.whole().isPresent() ? Math.round(turn.whole().getAsDouble()) + " ms" : "-",
            turn.problems().isEmpty() ? "" : "; FAILED: " + turn.problems()));
  }

  private static List<Long> rounded(List<Double> millis) {
    return millis.stream().sorted().map(Math::round).toList();
  }
}
