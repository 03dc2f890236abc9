package io.sluice.config;

import java.util.concurrent.CountDownLatch;

/** Lets a service run until its process is told to stop, by SIGTERM or Ctrl-C. Thread-safe. */
public final class StopSignal {
  private final CountDownLatch stopped = new CountDownLatch(1);

  private StopSignal() {}

  /** Returns a signal at which this is run, such as the close of a service. */
  public static StopSignal running(Runnable stop) {
    var signal = new StopSignal();
    Runtime.getRuntime()
        .addShutdownHook(
            Thread.ofPlatform()
                .name("sluice-shutdown")
                .unstarted(
                    () -> {
                      stop.run();
                      signal.stopped.countDown();
                    }));
    return signal;
  }

  /** Waits until the process was told to stop, and has. */
  public void await() throws InterruptedException {
    stopped.await();
  }
}
