package io.sluice.cli.batch;

import io.sluice.producer.batch.BatchProgress;
import me.tongfei.progressbar.ProgressBar;
import me.tongfei.progressbar.ProgressBarBuilder;
import me.tongfei.progressbar.ProgressBarStyle;

/** A job's progress on the terminal: the share done, the remaining time, and the token rate. */
public final class ProgressLine implements BatchProgress, AutoCloseable {
  private static final int UPDATE_MILLIS = 250;

  private final ProgressBar bar =
      new ProgressBarBuilder()
          .setTaskName("batch")
          .setStyle(ProgressBarStyle.ASCII)
          .setUpdateIntervalMillis(UPDATE_MILLIS)
          .setUnit(" requests", 1)
          .build();
  private final long startNanos = System.nanoTime();

  @Override
  public void advanced(long done, long total, long completionTokens) {
    bar.maxHint(total);
    bar.stepTo(done);
    double seconds = (System.nanoTime() - startNanos) / 1e9;
    bar.setExtraMessage(" %.0f tok/s".formatted(completionTokens / Math.max(seconds, 0.001)));
  }

  @Override
  public void close() {
    bar.close();
  }
}
