package io.sluice.bench.traffic;

import io.sluice.bench.process.ChildProcess;
import io.sluice.bench.process.Launch;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The pool of {@code ./sluice up}, which has fixed ports. */
public final class LocalPool {
  public static final String KAFKA = "127.0.0.1:19092";
  public static final URI GATEWAY = URI.create("http://127.0.0.1:8080");

  private static final Duration READY_WITHIN = Duration.ofMinutes(3);

  private LocalPool() {}

  /**
   * Starts the pool; returns when it is ready.
   *
   * @param log receives its output
   */
  public static ChildProcess start(Path log) throws IOException, InterruptedException {
    ChildProcess up =
        new ChildProcess(
            "up", Launch.single(Launch.launcher(List.of("up")), Map.of(), "Sluice is up"), log);
    up.start();
    try {
      up.awaitReady(READY_WITHIN);
    } catch (IOException e) {
      up.close();
      throw e;
    }
    return up;
  }
}
