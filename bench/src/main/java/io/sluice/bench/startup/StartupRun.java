package io.sluice.bench.startup;

import io.sluice.bench.process.ChildProcess;
import io.sluice.bench.stat.Samples;
import io.sluice.bench.traffic.LocalPool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/** Starts a pool and client commands with the launcher, again and again. Not thread-safe. */
final class StartupRun {
  private static final Duration CACHES_WITHIN = Duration.ofMinutes(5);
  private static final List<String> CACHES = List.of("pool.aot", "client.aot");
  private static final List<String> CHAT = List.of("chat", "--max-tokens", "16", "Hello");

  private final Path folder;
  private final Consumer<String> progress;
  private final Map<String, Samples> millis = new LinkedHashMap<>();
  private int starts;

  /**
   * Creates a run.
   *
   * @param folder for the output of the pool
   */
  StartupRun(Path folder, Consumer<String> progress) {
    this.folder = folder;
    this.progress = progress;
  }

  /** Returns the times in milliseconds, by what took them. */
  Map<String, Samples> run(int pools, int commands) throws IOException, InterruptedException {
    recordCaches();
    for (int pool = 1; pool <= pools; pool++) {
      progress.accept("pool " + pool + " of " + pools);
      long start = System.nanoTime();
      try (ChildProcess up = up()) {
        add("up: ready", (System.nanoTime() - start) / 1e6);
        add("first chat: first token", TimedCommand.run(CHAT).firstMillis());
        if (pool == pools) {
          useCommands(commands);
        }
        up.terminate();
      }
    }
    return millis;
  }

  /** The first {@code up} after a build records them, and what it starts is slower. */
  private void recordCaches() throws IOException, InterruptedException {
    Path target = Path.of(System.getProperty("sluice.home", "."), "standalone", "target");
    if (areThere(target)) {
      return;
    }
    progress.accept("the launcher records its start-up caches");
    long end = System.nanoTime() + CACHES_WITHIN.toNanos();
    try (ChildProcess up = up()) {
      while (!areThere(target)) {
        if (System.nanoTime() - end > 0) {
          throw new IOException("no " + CACHES + " in " + target);
        }
        TimeUnit.SECONDS.sleep(1);
      }
      up.terminate();
    }
  }

  private static boolean areThere(Path target) {
    return CACHES.stream().map(target::resolve).allMatch(Files::exists);
  }

  private ChildProcess up() throws IOException, InterruptedException {
    return LocalPool.start(folder.resolve("up-" + starts++ + ".log"));
  }

  private void useCommands(int times) throws IOException, InterruptedException {
    progress.accept("commands");
    for (int time = 0; time < times; time++) {
      try (RequestArrivals arrivals = new RequestArrivals(LocalPool.KAFKA)) {
        TimedCommand chat = TimedCommand.run(CHAT);
        add("chat: request in Kafka", (double) (arrivals.next() - chat.startedAtMillis()));
        add("chat: first token", chat.firstMillis());
        add("chat: end", chat.endMillis());
      }
      add("worker list: end", TimedCommand.run(List.of("worker", "list")).endMillis());
      add("--version: end", TimedCommand.run(List.of("--version")).endMillis());
    }
  }

  private void add(String what, double took) {
    millis.computeIfAbsent(what, any -> new Samples()).add(took);
  }
}
