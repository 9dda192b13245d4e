package io.nodepool.plugin.request;

import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** How far the writes of a command go, in the words of kubectl. */
public enum DryRun {
  /** They are carried out. */
  NONE(""),
  /** They are not sent. */
  CLIENT(" (dry run)"),
  /** The API server checks them, and stores nothing. */
  SERVER(" (server dry run)");

  private final String suffix;

  DryRun(String suffix) {
    this.suffix = suffix;
  }

  /** What follows each line about a write. */
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
