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
 * the process forever. Then one more carrier is enough to continue. What was added stays. Not
 * thread-safe; one thread of its own watches.
 */
final class CarrierWatchdog {
  private static final Duration EVERY = Duration.ofSeconds(1);
  private static final Duration RUNS_WITHIN = Duration.ofSeconds(2);
  private static final Duration DUMPED_WITHIN = Duration.ofSeconds(5);
  private static final int ADDED_AT_ONCE = 8;

  /** By default, the JDK allows 256 carriers, or as many as there are processors. */
  private static final int MOST_ADDED = 128;

  private static final Logger log = LoggerFactory.getLogger(CarrierWatchdog.class);

  private final VirtualThreadSchedulerMXBean scheduler;
  private final HotSpotDiagnosticMXBean diagnostics;
  private int added;

  private CarrierWatchdog() {
    this.scheduler = ManagementFactory.getPlatformMXBean(VirtualThreadSchedulerMXBean.class);
    this.diagnostics = ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class);
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
      // A command that ends at once does not load the beans. One that stalls could not load them.
      Thread.sleep(EVERY);
      CarrierWatchdog watchdog = new CarrierWatchdog();
      while (true) {
        if (!runs()) {
          watchdog.stalled();
        }
        Thread.sleep(EVERY);
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } catch (RuntimeException e) {
      log.error(
          "event=virtual_threads_not_watched effect=\"if none of them runs, nothing is done about it\"",
          e);
    }
  }

  /** Returns whether a new virtual thread runs within some seconds. */
  private static boolean runs() throws InterruptedException {
    CountDownLatch ran = new CountDownLatch(1);
    Thread.ofVirtual().name("sluice-carrier-probe").start(ran::countDown);
    return ran.await(RUNS_WITHIN.toMillis(), TimeUnit.MILLISECONDS);
  }

  /** Logs last, since a thread that waits for a carrier may hold a lock of the log. */
  private void stalled() throws InterruptedException {
    String threads = dump();
    int carriers = scheduler.getParallelism();
    boolean runs = false;
    while (!runs && added < MOST_ADDED) {
      added += ADDED_AT_ONCE;
      carriers += ADDED_AT_ONCE;
      scheduler.setParallelism(carriers);
      runs = runs();
    }
    if (runs) {
      log.warn(
          "event=virtual_threads_stalled effect=\"no virtual thread ran; carriers were added\" carriers={} threads={}",
          carriers,
          threads);
      return;
    }
    log.error(
        "event=virtual_threads_stalled effect=\"this process does nothing\" hint=\"restart it\" carriers={} threads={}",
        carriers,
        threads);
    while (!runs) {
      runs = runs();
    }
    log.info("event=virtual_threads_run carriers={}", carriers);
  }

  /** Writes what all threads do to a file; returns where. It may not get to the end. */
  private String dump() throws InterruptedException {
    String file =
        Path.of(
                System.getProperty("java.io.tmpdir"),
                "sluice-threads-%s-%s.txt"
                    .formatted(ProcessHandle.current().pid(), System.currentTimeMillis()))
            .toAbsolutePath()
            .toString();
    Thread.ofPlatform().daemon().start(() -> dump(file)).join(DUMPED_WITHIN);
    return file;
  }

  private void dump(String file) {
    try {
      diagnostics.dumpThreads(file, HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
    } catch (IOException e) {
      log.warn("event=threads_not_dumped file={} reason=\"{}\"", file, e.getMessage());
    }
  }
}
