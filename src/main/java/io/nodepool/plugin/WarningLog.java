package io.nodepool.plugin;

import io.nodepool.plugin.text.TextTable;
import org.jspecify.annotations.Nullable;
import org.slf4j.ILoggerFactory;
import org.slf4j.IMarkerFactory;
import org.slf4j.Marker;
import org.slf4j.event.Level;
import org.slf4j.helpers.BasicMarkerFactory;
import org.slf4j.helpers.LegacyAbstractLogger;
import org.slf4j.helpers.MessageFormatter;
import org.slf4j.helpers.NOPMDCAdapter;
import org.slf4j.spi.MDCAdapter;
import org.slf4j.spi.SLF4JServiceProvider;

/**
 * Prints the warnings of libraries on standard error. The operator's log, with its configuration,
 * takes longer to start than a command of the plugin.
 */
public final class WarningLog implements SLF4JServiceProvider {
  private final IMarkerFactory markers = new BasicMarkerFactory();
  private final MDCAdapter context = new NOPMDCAdapter();

  @Override
  public ILoggerFactory getLoggerFactory() {
    return Printed::new;
  }

  @Override
  public IMarkerFactory getMarkerFactory() {
    return markers;
  }

  @Override
  public MDCAdapter getMDCAdapter() {
    return context;
  }

  @Override
  public String getRequestedApiVersion() {
    return "2.0.99";
  }

  @Override
  public void initialize() {}

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
      return true;
    }

    @Override
    public boolean isErrorEnabled() {
      return true;
    }
  }
}
