package io.nodepool.plugin.request;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Whether writes are sent and stored, in the words of kubectl. */
public enum DryRun {
  /** Writes are sent and stored. */
  NONE(""),
  /** Writes are not sent. */
  CLIENT(" (dry run)"),
  /** The API server checks writes, and stores nothing. */
  SERVER(" (server dry run)");

  private final String suffix;

  DryRun(String suffix) {
    this.suffix = suffix;
  }

  /** The end of each line about a write. */
  public String suffix() {
    return suffix;
  }

  /** Whether anything is stored. */
  public boolean writes() {
    return this == NONE;
  }

  /** Values of the option. */
  public static final class OfOption implements ITypeConverter<DryRun> {
    @Override
    public DryRun convert(String text) {
      return switch (text) {
        case "none" -> NONE;
        case "client" -> CLIENT;
        case "server" -> SERVER;
        default ->
            throw new TypeConversionException(
                "\"%s\" is not none, client or server".formatted(text));
      };
    }
  }
}
