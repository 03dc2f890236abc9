package io.sluice.bench.gateway;

import com.fasterxml.jackson.core.JsonProcessingException;
import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.OptionalLong;
import java.util.Set;

/**
 * Reads an answer to its end. When a gateway breaks off, is silent, is about to stop, or has too
 * many readers, it goes to the next one and continues from its cursor. Used by one thread.
 */
public final class PersistentReader {
  /** The longest silence of a gateway that works; it writes comments more often than that. */
  static final Duration SILENCE = Duration.ofSeconds(7);

  private static final Duration HEAD_WITHIN = Duration.ofSeconds(12);
  private static final Duration PAUSE = Duration.ofMillis(200);
  private static final int SHOWN = 300;

  private final Gateways gateways;
  private final AnswerCursor cursor;
  private final Set<String> problems = new LinkedHashSet<>();
  private int gateway;
  private int breaks;
  private Duration pause = PAUSE;

  /**
   * Prepares to read.
   *
   * @param gateway which one to ask first
   */
  public PersistentReader(Gateways gateways, AnswerCursor cursor, int gateway) {
    this.gateways = gateways;
    this.cursor = cursor;
    this.gateway = gateway;
  }

  /** Reads until the end; returns false if the time was over before. */
  public boolean read(Duration limit) throws InterruptedException {
    long end = System.nanoTime() + limit.toNanos();
    while (!cursor.isOver() && System.nanoTime() - end < 0) {
      if (!attempt()) {
        gateway = gateways.after(gateway);
        Thread.sleep(pause);
      }
    }
    return cursor.isOver();
  }

  /** Asks one gateway; returns whether to continue with the same one. */
  private boolean attempt() throws InterruptedException {
    pause = PAUSE;
    try {
      HttpResponse<InputStream> response =
          gateways.get(gateway, cursor.path(), cursor.headers(), HEAD_WITHIN);
      if (response.statusCode() == 200 || response.statusCode() == 204) {
        int before = cursor.items().size();
        cursor.read(response);
        return cursor.items().size() > before;
      }
      refused(response);
    } catch (JsonProcessingException | RuntimeException e) {
      problems.add("the answer to %s cannot be read: %s".formatted(cursor.path(), e));
    } catch (IOException e) {
      breaks++;
    }
    return false;
  }

  private void refused(HttpResponse<InputStream> response) throws IOException {
    int status = response.statusCode();
    try (InputStream body = response.body()) {
      String why = new String(body.readAllBytes(), StandardCharsets.UTF_8);
      // Many clients of a gateway that died come to the others at the same moment.
      OptionalLong busyFor =
          status == 429 ? response.headers().firstValueAsLong("retry-after") : OptionalLong.empty();
      busyFor.ifPresent(seconds -> pause = Duration.ofSeconds(seconds));
      boolean isAllowed =
          status == 503 || (status == 404 && cursor.mayBeUnknown()) || busyFor.isPresent();
      if (!isAllowed) {
        problems.add(
            "status %d for %s: %s"
                .formatted(status, cursor.path(), why.substring(0, Math.min(SHOWN, why.length()))));
      }
    }
  }

  /** Returns how often a connection broke, or a gateway could not be reached. */
  public int breaks() {
    return breaks;
  }

  /** Returns what gateways did that they must not do. */
  public List<String> problems() {
    List<String> all = new ArrayList<>(problems);
    all.addAll(cursor.problems());
    return all;
  }
}
