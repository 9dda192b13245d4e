package io.nodepool.cli.input;

import io.nodepool.kubernetes.simulated.DurationText;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.Optional;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** Values of options that are more than their Java type, each with its words for what is wrong. */
public final class OptionValues {
  private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._:%-]+");
  private static final int LONGEST_NAME = 253;
  private static final int LAST_PORT = 65_535;

  private OptionValues() {}

  /** Says what is wrong with the options of a command, if anything is. */
  public static void require(CommandSpec spec, boolean right, String message) {
    if (!right) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }

  /** Durations of more than nothing, in the notation of {@link DurationText}. */
  static final class OfDuration implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      return DurationText.parse(text)
          .filter(Duration::isPositive)
          .orElseThrow(() ->
              wrong("\"%s\" is no duration above zero; write it like 90s, 5m or 1h30m", text));
    }
  }

  /** Ports of TCP; 0 stands for any free one. */
  public static final class OfPort implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      return wholeNumber(text)
          .filter(port -> port >= 0 && port <= LAST_PORT)
          .orElseThrow(() -> wrong("\"%s\" is no port; it is from 0 to 65535", text));
    }
  }

  /** Addresses of this machine, or names of them. */
  static final class OfAddress implements ITypeConverter<InetAddress> {
    @Override
    public InetAddress convert(String text) {
      try {
        if (HOST.matcher(text).matches()) {
          return InetAddress.getByName(text);
        }
      } catch (UnknownHostException e) {
        // Said below.
      }
      throw wrong("\"%s\" is no address; write it like 127.0.0.1, or 0.0.0.0 for all", text);
    }
  }

  /** Names of Namespaces. */
  public static final class OfNamespace implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      if (!LABEL.matcher(text).matches()) {
        throw wrong(
            "\"%s\" is no name of a Namespace; it has up to 63 of a-z, 0-9 and - inside", text);
      }
      return text;
    }
  }

  /** Names of objects that are not bound to a Namespace. */
  public static final class OfName implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      boolean right =
          text.length() <= LONGEST_NAME
              && Pattern.compile("\\.")
                  .splitAsStream(text + ".end")
                  .allMatch(part -> LABEL.matcher(part).matches());
      if (!right) {
        throw wrong(
            "\"%s\" is no name of an object; it has up to 253 of a-z, 0-9, and - and . inside",
            text);
      }
      return text;
    }
  }

  private static Optional<Integer> wholeNumber(String text) {
    try {
      return Optional.of(Integer.valueOf(text));
    } catch (NumberFormatException e) {
      return Optional.empty();
    }
  }

  private static TypeConversionException wrong(String message, String text) {
    return new TypeConversionException(message.formatted(text));
  }
}
