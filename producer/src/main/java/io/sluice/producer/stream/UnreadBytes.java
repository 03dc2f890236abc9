package io.sluice.producer.stream;

import java.lang.ref.Cleaner;
import java.util.HashMap;
import java.util.Map;

/**
 * Counts the bytes of unread events of all streams of a client, and limits them. A tenant has at
 * most half of them, so that it cannot stop the others. Thread-safe.
 */
public final class UnreadBytes {
  private static final Cleaner CLEANER = Cleaner.create();

  private final long most;
  private final Map<String, Long> ofTenants = new HashMap<>();
  private long held;

  /**
   * Creates a limit of which nothing is held.
   *
   * @param most in bytes; {@link Long#MAX_VALUE} for none
   */
  public UnreadBytes(long most) {
    this.most = most;
  }

  /**
   * Returns the share of a stream, which holds nothing yet. It is given back when its holder is no
   * longer reachable: a stream need not be read to its end.
   */
  Share share(String tenant, Object holder) {
    var share = new Share(tenant);
    if (most < Long.MAX_VALUE) {
      CLEANER.register(holder, share::close);
    }
    return share;
  }

  private synchronized boolean hasRoom(String tenant, int more) {
    return held + more <= most && ofTenants.getOrDefault(tenant, 0L) + more <= most / 2;
  }

  private synchronized void add(String tenant, long bytes) {
    held += bytes;
    ofTenants.merge(tenant, bytes, (there, more) -> there + more == 0 ? null : there + more);
  }

  /** What one stream holds. Thread-safe. */
  final class Share {
    private final String tenant;
    private long bytes;

    private Share(String tenant) {
      this.tenant = tenant;
    }

    /** Returns whether there is room for more. Others may take it meanwhile. */
    boolean hasRoom(int more) {
      return UnreadBytes.this.hasRoom(tenant, more);
    }

    /** Takes more, even if there is no room. */
    void take(int more) {
      change(more);
    }

    /** Gives a part back. */
    void give(int less) {
      change(-less);
    }

    /** Gives all back. */
    synchronized void close() {
      change(-bytes);
    }

    private synchronized void change(long by) {
      if (by != 0 && most < Long.MAX_VALUE) {
        bytes += by;
        add(tenant, by);
      }
    }
  }
}
