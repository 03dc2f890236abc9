package io.sluice.bench.traffic;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/** Calls that were sent without waiting for their answers. */
public final class Calls {
  private Calls() {}

  /**
   * Waits for all calls; returns their results in the order of the calls.
   *
   * @throws IOException if one of them failed
   */
  public static <T> List<T> results(List<Future<T>> calls)
      throws IOException, InterruptedException {
    List<T> all = new ArrayList<>();
    for (Future<T> call : calls) {
      try {
        all.add(call.get());
      } catch (ExecutionException e) {
        throw new IOException(e.getCause());
      }
    }
    return all;
  }
}
