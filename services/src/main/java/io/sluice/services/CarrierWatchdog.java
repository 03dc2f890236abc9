package io.sluice.services;

import com.sun.management.HotSpotDiagnosticMXBean;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import jdk.management.VirtualThreadSchedulerMXBean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Adds carriers when no virtual thread of this process gets to run. A virtual thread that blocks
 * while its class loads or is initialized keeps its carrier (JEP 491, JDK-8369238), and there are
 * only as many carriers as processors: a few such threads that wait for one without a carrier stop
 * the process for good. Then one more carrier is enough to go on. Thread-safe.
 */
final class CarrierWatchdog {
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration RUNS_WITHIN = Duration.ofSeconds(2);
  private static final int MOST_CARRIERS = 128;
  private static final Logger log = LoggerFactory.getLogger(CarrierWatchdog.class);

  private final VirtualThreadSchedulerMXBean scheduler;
  private boolean isDumped;

  private CarrierWatchdog(VirtualThreadSchedulerMXBean scheduler) {
    this.scheduler = scheduler;
  }

  /** Watches from now on, on a daemon thread, until it is interrupted or the process ends. */
  static Thread start() {
    return Thread.ofPlatform()
        .name("sluice-carrier-watchdog")
        .daemon()
        .start(CarrierWatchdog::watch);
  }

  private static void watch() {
    try {
      while (true) {
        if (!runs()) {
          // Loaded only now, because hardly any process needs them.
          new CarrierWatchdog(
                  ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class))
              .addUntilOneRuns();
        }
        Thread.sleep(EVERY);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether a new virtual thread runs within some seconds. */
  private static boolean runs() throws InterruptedException {
    CountDownLatch ran = new CountDownLatch(1);
    Thread.ofVirtual().name("sluice-carrier-probe").start(ran::countDown);
    return ran.await(RUNS_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
  }

  private void addUntilOneRuns() throws InterruptedException {
    do {
      int more = scheduler.getParallelism() + Runtime.getRuntime().availableProcessors();
      if (more > MOST_CARRIERS) {
        log.error(
            "event=virtual_threads_stalled carriers={} effect=\"this process does nothing\" hint=\"restart it\"",
            scheduler.getParallelism());
      } else {
        log.warn(
            "event=virtual_threads_stalled effect=\"nothing ran for {} s\" carriers={} threads={}",
            RUNS_WITHIN.toSeconds(),
            more,
            isDumped ? "dumped" : dump());
        isDumped = true;
        scheduler.setParallelism(more);
      }
    } while (!runs());
    log.info("event=virtual_threads_run carriers={}", scheduler.getParallelism());
  }

  /** Writes what all threads do to a file; returns where, or why it could not. */
  private static String dump() {
    Path file =
        Path.of(
            System.getProperty("java.io.tmpdir"),
            "sluice-threads-%d-%d.txt"
                .formatted(ProcessHandle.current().pid(), System.currentTimeMillis()));
    try {
      ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
          .dumpThreads(
              file.toAbsolutePath().toString(),
              HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
      return file.toString();
    } catch (IOException e) {
      return "\"not dumped: " + e.getMessage() + "\"";
    }
  }
}
