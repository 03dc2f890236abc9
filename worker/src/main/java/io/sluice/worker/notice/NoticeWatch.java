package io.sluice.worker.notice;

import io.sluice.worker.clock.Periodic;
import io.sluice.worker.config.Cloud;
import io.sluice.worker.config.NoticeSettings;
import io.sluice.worker.intake.Drain;
import java.io.IOException;
import java.net.URI;
import java.time.Clock;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Drains the worker when the machine is about to go, so that all requests have ended or were handed
 * over before. Asks every two seconds, on a thread of its own. Thread-safe.
 */
public final class NoticeWatch implements AutoCloseable {
  private static final Duration INTERVAL = Duration.ofSeconds(2);

  /** What is handed over needs this long at most; a quarter of a shorter notice. */
  private static final Duration MARGIN = Duration.ofSeconds(10);

  private static final int MARGIN_DIVISOR = 4;
  private static final Logger log = LoggerFactory.getLogger(NoticeWatch.class);

  private final List<NoticeSource> sources;
  private final Drain drain;
  private final Set<String> failing = new HashSet<>();
  private final Periodic loop = new Periodic("sluice-notices", INTERVAL, this::ask);
  private volatile boolean isGoing;

  NoticeWatch(List<NoticeSource> sources, Drain drain) {
    this.sources = List.copyOf(sources);
    this.drain = drain;
  }

  /** Returns a watch of the sources that the settings name; perhaps none. */
  public static NoticeWatch of(NoticeSettings settings, Drain drain, Clock clock) {
    var sources = new ArrayList<NoticeSource>();
    settings.file().ifPresent(file -> sources.add(new FileNotice(file, clock)));
    settings.cloud().ifPresent(cloud -> sources.add(source(cloud, settings.metadataUrl(), clock)));
    return new NoticeWatch(sources, drain);
  }

  private static NoticeSource source(Cloud cloud, Optional<URI> url, Clock clock) {
    var metadata = new Metadata(url.orElse(cloud.metadata()));
    return switch (cloud) {
      case AWS -> new AwsNotice(metadata, clock);
      case AZURE -> new AzureNotice(metadata, clock);
      case GCP -> new GcpNotice(metadata);
    };
  }

  /** Begins to ask, if there is anything to ask. */
  public void start() {
    if (!sources.isEmpty()) {
      loop.start();
    }
  }

  /** Returns whether the machine is about to go. */
  public boolean isGoing() {
    return isGoing;
  }

  /** Ends the watch; a question in progress is given up. */
  @Override
  public void close() {
    loop.close();
    sources.forEach(NoticeSource::close);
  }

  /** Asks all sources once. A source that fails does not change what was known. */
  void ask() throws InterruptedException {
    boolean isWithdrawn = true;
    for (NoticeSource source : sources) {
      try {
        Optional<Duration> left = source.timeLeft();
        left.ifPresent(time -> isAboutToGo(source, time));
        isWithdrawn &= left.isEmpty();
        if (failing.remove(source.name())) {
          log.info("event=notices_known source={}", source.name());
        }
      } catch (IOException e) {
        isWithdrawn = false;
        if (failing.add(source.name())) {
          log.warn("event=notices_unknown source={} reason=\"{}\"", source.name(), e.getMessage());
        }
      } catch (RuntimeException e) {
        isWithdrawn = false;
        log.error("event=notices_broken source={}", source.name(), e);
      }
    }
    if (isGoing && isWithdrawn) {
      isGoing = false;
      log.warn("event=notice_withdrawn");
      drain.noticeWithdrawn();
    }
  }

  private void isAboutToGo(NoticeSource source, Duration left) {
    if (!isGoing) {
      isGoing = true;
      log.warn("event=notice source={} left_ms={}", source.name(), left.toMillis());
      drain.notice(within(left));
    }
  }

  private static Duration within(Duration left) {
    Duration share = left.dividedBy(MARGIN_DIVISOR);
    Duration within = left.minus(share.compareTo(MARGIN) < 0 ? share : MARGIN);
    return within.isNegative() ? Duration.ZERO : within;
  }
}
