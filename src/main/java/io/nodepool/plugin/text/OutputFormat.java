package io.nodepool.plugin.text;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** The formats of {@code -o} other than the default. */
public enum OutputFormat {
  WIDE,
  JSON,
  YAML,
  NAME;

  /** The formats of a table. */
  public static final class OfTable implements ITypeConverter<OutputFormat> {
    @Override
    public OutputFormat convert(String text) {
      return of(text, List.of(values()));
    }
  }

  /** The formats of a description. */
  public static final class OfDescription implements ITypeConverter<OutputFormat> {
    @Override
    public OutputFormat convert(String text) {
      return of(text, List.of(JSON, YAML));
    }
  }

  private static OutputFormat of(String text, List<OutputFormat> offered) {
    return offered.stream()
        .filter(format -> format.word().equals(text))
        .findFirst()
        .orElseThrow(() ->
            new TypeConversionException(
                "\"%s\" is not a format; formats: %s"
                    .formatted(
                        text,
                        offered.stream()
                            .map(OutputFormat::word)
                            .collect(Collectors.joining(", ")))));
  }

  /** Whether it is for programs: it has values instead of texts. */
  public boolean isDocument() {
    return this == JSON || this == YAML;
  }

  private String word() {
    return name().toLowerCase(Locale.ROOT);
  }
}
