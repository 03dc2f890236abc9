package io.sluice.bench.process;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The processor time that a JVM has used, in milliseconds, as Linux tells it: to 10 ms for each
 * thread.
 *
 * @param all of all its threads, those that have ended too
 * @param compiler of the compilers' threads
 * @param collector of the threads that collect garbage
 * @param broker of the threads of Kafka's brokers, if they run in this JVM
 */
public record ProcessorTime(long all, long compiler, long collector, long broker) {
  /** Linux counts in units of this size whatever its own clock is. */
  private static final long MILLIS_PER_TICK = 10;

  /** After the name, which stands in brackets and may contain spaces: see proc(5). */
  private static final int USER = 11;

  private static final int SYSTEM = 12;

  private static final List<String> COMPILERS = List.of("C1 Compiler", "C2 Compiler");
  private static final List<String> COLLECTORS = List.of("VM Thread", "GC Thread", "G1 ");

  /** Linux keeps 15 characters of a name. */
  private static final List<String> BROKERS =
      List.of("data-plane-kafk", "kafka-", "raft-", "quorum-", "group-coord", "ExpirationReap");

  /** Reads the time; empty if the process has ended, or the system does not tell. */
  public static Optional<ProcessorTime> of(long pid) {
    Path process = Path.of("/proc", Long.toString(pid));
    try (Stream<Path> threads = Files.list(process.resolve("task"))) {
      long all = millis(Files.readString(process.resolve("stat")));
      long compiler = 0;
      long collector = 0;
      long broker = 0;
      for (Path thread : threads.toList()) {
        String status = status(thread);
        long millis = millis(status);
        compiler += isOne(COMPILERS, status) ? millis : 0;
        collector += isOne(COLLECTORS, status) ? millis : 0;
        broker += isOne(BROKERS, status) ? millis : 0;
      }
      return Optional.of(new ProcessorTime(all, compiler, collector, broker));
    } catch (IOException e) {
      return Optional.empty();
    }
  }

  /** Returns what was used since an earlier time. */
  public ProcessorTime since(ProcessorTime earlier) {
    return new ProcessorTime(
        all - earlier.all,
        compiler - earlier.compiler,
        collector - earlier.collector,
        broker - earlier.broker);
  }

  /** Empty if the thread has ended. */
  private static String status(Path thread) {
    try {
      return Files.readString(thread.resolve("stat"));
    } catch (IOException e) {
      return "";
    }
  }

  private static boolean isOne(List<String> names, String status) {
    return names.stream().anyMatch(name -> status.contains("(" + name));
  }

  private static long millis(String status) {
    if (status.isEmpty()) {
      return 0;
    }
    String[] fields = status.substring(status.lastIndexOf(')') + 2).split(" ", -1);
    return MILLIS_PER_TICK * (Long.parseLong(fields[USER]) + Long.parseLong(fields[SYSTEM]));
  }
}
