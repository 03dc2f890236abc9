package io.sluice.standalone.pool;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.classic.spi.ThrowableProxyUtil;
import ch.qos.logback.core.AppenderBase;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.slf4j.LoggerFactory;

/** All that this process logs until this is closed; of Sluice also what is only for debugging. */
final class LoggedLines implements AutoCloseable {
  private final Logger root = (Logger) LoggerFactory.getLogger(Logger.ROOT_LOGGER_NAME);
  private final Logger sluice = (Logger) LoggerFactory.getLogger("io.sluice");
  private final Level before = sluice.getLevel();
  private final List<String> lines = new CopyOnWriteArrayList<>();
  private final AppenderBase<ILoggingEvent> appender =
      new AppenderBase<>() {
        @Override
        protected void append(ILoggingEvent event) {
          String trace =
              event.getThrowableProxy() == null
                  ? ""
                  : ThrowableProxyUtil.asString(event.getThrowableProxy());
          lines.add(event.getLoggerName() + " " + event.getFormattedMessage() + trace);
        }
      };

  LoggedLines() {
    appender.setContext(root.getLoggerContext());
    appender.start();
    root.addAppender(appender);
    sluice.setLevel(Level.DEBUG);
  }

  List<String> lines() {
    return List.copyOf(lines);
  }

  @Override
  public void close() {
    sluice.setLevel(before);
    root.detachAppender(appender);
    appender.stop();
  }
}
