package io.sluice.bench.process;

import java.io.PrintWriter;
import java.time.LocalTime;
import java.time.ZoneId;
import java.time.temporal.ChronoUnit;
import java.util.function.Consumer;

/** Prints events with their times, without buffering. */
public record Progress(PrintWriter out) implements Consumer<String> {
  @Override
  public void accept(String line) {
    out.println(LocalTime.now(ZoneId.systemDefault()).truncatedTo(ChronoUnit.MILLIS) + " " + line);
    out.flush();
  }
}
