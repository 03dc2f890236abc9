package io.sluice.bench.overhead;

import io.sluice.bench.stat.Samples;

/** What the streams of one contestant took, in milliseconds. Thread-safe. */
final class StreamSamples {
  /** A token that is later than this is seen as a stutter. */
  private static final double LATE_MILLIS = 5;

  private static final double NANOS = 1e6;

  private final Samples firstToken = new Samples();
  private final Samples lag = new Samples();
  private int streams;
  private int lateStreams;
  private int failures;
  private long tokens;

  /** A stream that is being read by one thread. */
  final class Reading {
    private final long dueNanos;
    private final Samples lags = new Samples();
    private double firstMillis;

    /**
     * @param dueNanos when its request was to be sent, by {@link System#nanoTime}
     */
    Reading(long dueNanos) {
      this.dueNanos = dueNanos;
    }

    /** A token that was written at this time has arrived. */
    void arrived(long stampNanos) {
      long now = System.nanoTime();
      if (lags.count() == 0) {
        firstMillis = (now - dueNanos) / NANOS;
      }
      lags.add((now - stampNanos) / NANOS);
    }

    /** The stream has ended. */
    void ended(int expectedTokens) {
      add(this, expectedTokens);
    }
  }

  private synchronized void add(Reading reading, int expectedTokens) {
    streams++;
    if (reading.lags.count() != expectedTokens) {
      failures++;
      return;
    }
    firstToken.add(reading.firstMillis);
    for (int i = 1; i <= reading.lags.count(); i++) {
      lag.add(reading.lags.percentile(100.0 * i / reading.lags.count()));
    }
    tokens += reading.lags.count();
    if (reading.lags.percentile(100) > LATE_MILLIS) {
      lateStreams++;
    }
  }

  synchronized double firstTokenMillis(double percent) {
    return firstToken.percentile(percent);
  }

  synchronized double lagMillis(double percent) {
    return lag.percentile(percent);
  }

  /** Returns the percentage of the streams with a token later than 5 ms. */
  synchronized double latePercent() {
    return streams == 0 ? 0 : 100.0 * lateStreams / streams;
  }

  /** Returns the streams that did not have all tokens. */
  synchronized int failures() {
    return failures;
  }

  synchronized long tokens() {
    return tokens;
  }
}
