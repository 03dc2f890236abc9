package io.sluice.worker.testing;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** What a class logs from level info on, until this is closed. Thread-safe. */
public final class LogLines implements AutoCloseable {
  private final Logger log;
  private final @Nullable Level before;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          lines.add(event.getFormattedMessage());
        }
      };

  private LogLines(Logger log) {
    this.log = log;
    this.before = log.getLevel();
  }

  /** Begins to note what the logger of a class gets. */
  public static LogLines of(Class<?> type) {
    var noted = new LogLines((Logger) LoggerFactory.getLogger(type));
    noted.appender.start();
    noted.log.setLevel(Level.INFO);
    noted.log.addAppender(noted.appender);
    return noted;
  }

  /** Returns the lines so far. */
  public List<String> lines() {
    return List.copyOf(lines);
  }

  @Override
  public void close() {
    log.detachAppender(appender);
    log.setLevel(before);
  }
}
