package io.nodepool.cli.command;

import ch.qos.logback.classic.Level;
import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.LoggerContext;
import ch.qos.logback.classic.encoder.PatternLayoutEncoder;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.Appender;
import ch.qos.logback.core.FileAppender;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Redirects the log to a file until it is closed. */
public final class Logging implements AutoCloseable {
  private static final String PATTERN = "%d{HH:mm:ss.SSS} %-5level %logger{0}: %msg%n";
  private static final String OWN = "io.nodepool";

  private final Logger root;
  private final Logger own;
  private final @Nullable Level ownLevel;
  private final List<Appender<ILoggingEvent>> before = new ArrayList<>();
  private final FileAppender<ILoggingEvent> file;

  private Logging(LoggerContext context, FileAppender<ILoggingEvent> file) {
    this.root = context.getLogger(org.slf4j.Logger.ROOT_LOGGER_NAME);
    this.own = context.getLogger(OWN);
    this.ownLevel = own.getLevel();
    this.file = file;
    root.iteratorForAppenders().forEachRemaining(before::add);
  }

  /**
   * Redirects the log to a file, so that it does not mix with the command's output.
   *
   * @param detailed whether each request is logged
   */
  public static Logging toFile(Path path, boolean detailed) {
    LoggerContext context = (LoggerContext) LoggerFactory.getILoggerFactory();
    PatternLayoutEncoder encoder = new PatternLayoutEncoder();
    encoder.setContext(context);
    encoder.setPattern(PATTERN);
    encoder.start();
    FileAppender<ILoggingEvent> file = new FileAppender<>();
    file.setContext(context);
    file.setFile(path.toString());
    file.setEncoder(encoder);
    file.start();
    Logging logging = new Logging(context, file);
    logging.before.forEach(logging.root::detachAppender);
    logging.root.addAppender(file);
    if (detailed) {
      logging.own.setLevel(Level.DEBUG);
    }
    return logging;
  }

  @Override
  public void close() {
    root.detachAppender(file);
    before.forEach(root::addAppender);
    own.setLevel(ownLevel);
    file.stop();
  }
}
