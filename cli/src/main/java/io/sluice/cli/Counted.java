package io.sluice.cli;

/** Numbers with what they count, as a reader expects them. Pure. */
public final class Counted {
  private Counted() {}

  /** Returns a number and a noun, such as {@code 1 thread} and {@code 2 threads}. */
  public static String of(long number, String noun) {
    return number + " " + noun + (number == 1 ? "" : "s");
  }
}
