package io.nodepool.cli;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.FileAppender;
import java.nio.file.Path;
import org.slf4j.LoggerFactory;

/** Where the log goes. Without a call here it goes to standard error. */
final class Logging {
  private static final String PATTERN = "%d{HH:mm:ss.SSS} %-5level %logger{0}: %msg%n";

  private Logging() {}

  /**
   * Sends the log to a file instead, so that it does not run through what the command shows.
   *
   * @param detailed whether every single request is logged
   */
  static void toFile(Path file, boolean detailed) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern(PATTERN);
    encoder.start();
    FileAppender<ILoggingEvent> appender = new FileAppender<>();
    appender.setContext(context);
    appender.setFile(file.toString());
    appender.setEncoder(encoder);
    appender.start();
    Logger root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    root.detachAndStopAllAppenders();
    root.addAppender(appender);
    if (detailed) {
      context.getLogger("io.nodepool").setLevel(Level.DEBUG);
    }
  }
}
