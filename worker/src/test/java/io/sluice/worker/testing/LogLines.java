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
  private final Logger logger;
  private final @Nullable Level before;
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          lines.add(event.getFormattedMessage());
        }
      };

  private LogLines(Logger logger) {
    this.logger = logger;
    this.before = logger.getLevel();
  }

  /** Begins to note what the logger of a class gets. */
  public static LogLines of(Class<?> type) {
    var log = new LogLines((Logger) LoggerFactory.getLogger(type));
    log.appender.start();
    log.logger.setLevel(Level.INFO);
    log.logger.addAppender(log.appender);
    return log;
  }

  /** The lines so far. */
  public List<String> lines() {
    return List.copyOf(lines);
  }

  @Override
  public void close() {
    logger.detachAppender(appender);
    logger.setLevel(before);
  }
}
