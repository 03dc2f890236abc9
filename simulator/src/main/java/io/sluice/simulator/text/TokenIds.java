package io.sluice.simulator.text;

import java.util.Arrays;

/** An immutable sequence of token ids. */
public final class TokenIds {

  private static final TokenIds EMPTY = new TokenIds(new int[0]);

  private final int[] ids;

  private TokenIds(int[] ids) {
    this.ids = ids;
  }

  /** Returns the given ids; the array is copied. */
  public static TokenIds of(int... ids) {
    return ids.length == 0 ? EMPTY : new TokenIds(ids.clone());
  }

  /** Returns the number of tokens. */
  public int size() {
    return ids.length;
  }

  /** Returns the id at a position from 0. */
  public int get(int index) {
    return ids[index];
  }

  /** Returns these ids followed by the others. */
  public TokenIds plus(TokenIds others) {
    int[] joined = Arrays.copyOf(ids, ids.length + others.ids.length);
    System.arraycopy(others.ids, 0, joined, ids.length, others.ids.length);
    return new TokenIds(joined);
  }

  /** Returns the first {@code count} ids. */
  public TokenIds first(int count) {
    return new TokenIds(Arrays.copyOf(ids, Math.min(count, ids.length)));
  }

  /** Returns the last {@code count} ids. */
  public TokenIds last(int count) {
    return new TokenIds(Arrays.copyOfRange(ids, Math.max(0, ids.length - count), ids.length));
  }

  /** Returns a copy of the ids. */
  public int[] toArray() {
    return ids.clone();
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof TokenIds that && Arrays.equals(ids, that.ids);
  }

  @Override
  public int hashCode() {
    return Arrays.hashCode(ids);
  }

  @Override
  public String toString() {
    return Arrays.toString(ids);
  }
}
