package io.sluice.standalone.verify.pool;

import java.io.PrintWriter;
import java.util.function.BiConsumer;

/** Prints findings as they come, and knows whether one was a broken promise. Not thread-safe. */
public final class Findings implements BiConsumer<String, Finding> {
  private final PrintWriter out;
  private boolean areKept = true;

  public Findings(PrintWriter out) {
    this.out = out;
  }

  @Override
  public void accept(String name, Finding finding) {
    out.printf("%s: %s%n", name, finding.text());
    out.flush();
    areKept &= !finding.isBroken();
  }

  /** Returns whether no promise was broken so far. */
  public boolean areKept() {
    return areKept;
  }
}
