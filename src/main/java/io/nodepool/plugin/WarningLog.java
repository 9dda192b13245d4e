package io.nodepool.plugin;

import io.nodepool.plugin.text.TextTable;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOP_FallbackServiceProvider;

/**
 * Prints the warnings of libraries on standard error. The operator's log, with its configuration,
 * takes longer to start than a command of the plugin.
 */
public final class WarningLog extends NOP_FallbackServiceProvider {
  @Override
  public ILoggerFactory getLoggerFactory() {
    return Printed::new;
  }

  /** A logger of one class. */
  private static final class Printed extends LegacyAbstractLogger {
    private static final long serialVersionUID = 1L;

    private Printed(String name) {
      this.name = name;
    }

    @Override
    protected void handleNormalizedLoggingCall(
        Level level,
        @Nullable Marker marker,
        String message,
        Object @Nullable [] arguments,
        @Nullable Throwable failure) {
      String text = MessageFormatter.basicArrayFormat(message, arguments);
      System.err.println(
          TextTable.plain("warning: " + text + (failure == null ? "" : ": " + failure)));
    }

    @Override
    protected @Nullable String getFullyQualifiedCallerName() {
      return null;
    }

    @Override
    public boolean isTraceEnabled() {
      return false;
    }

    @Override
    public boolean isDebugEnabled() {
      return false;
    }

    @Override
    public boolean isInfoEnabled() {
      return false;
    }

    @Override
    public boolean isWarnEnabled() {
      return isOfLibrary();
    }

    @Override
    public boolean isErrorEnabled() {
      return isOfLibrary();
    }

    /** The planners of the operator log here only what would happen. */
    private boolean isOfLibrary() {
      return !name.startsWith("io.nodepool.");
    }
  }
}
