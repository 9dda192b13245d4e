package io.nodepool.cli.input;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.vocabulary.DurationText;
import java.net.BindException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;

/** Converters for option values, with their error messages. */
public final class OptionValues {
  private static final Pattern LABEL = Pattern.compile("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
  private static final Pattern HOST = Pattern.compile("[A-Za-z0-9._:%-]+");
  private static final int LONGEST_NAME = 253;
  private static final int LAST_PORT = 65_535;

  private OptionValues() {}

  /** Rejects the options of a command unless a condition holds. */
  public static void require(CommandSpec spec, boolean right, String message) {
    if (!right) {
      throw new ParameterException(spec.commandLine(), message);
    }
  }

  /** The failure of a command whose port cannot be used, with the options for another port. */
  static CommandFailure unusable(InetSocketAddress address, String options, BindException cause) {
    return new CommandFailure(
        "Port %d of %s cannot be used; choose another with %s."
            .formatted(address.getPort(), address.getAddress().getHostAddress(), options),
        cause);
  }

  /** Durations above zero in the notation of {@link DurationText}. */
  public static final class OfDuration implements ITypeConverter<Duration> {
    @Override
    public Duration convert(String text) {
      return DurationText.parse(text)
          .filter(Duration::isPositive)
          .orElseThrow(
              () -> wrong("\"%s\" is not a duration above zero; examples: 90s, 5m, 1h30m", text));
    }
  }

  /** TCP ports; 0 means any free port. */
  public static final class OfPort implements ITypeConverter<Integer> {
    @Override
    public Integer convert(String text) {
      try {
        int port = Integer.parseInt(text);
        if (port >= 0 && port <= LAST_PORT) {
          return port;
        }
      } catch (NumberFormatException e) {
        // Reported below.
      }
      throw wrong("\"%s\" is not a port from 0 to 65535", text);
    }
  }

  /** IP addresses or host names of this machine. */
  static final class OfAddress implements ITypeConverter<InetAddress> {
    @Override
    public InetAddress convert(String text) {
      try {
        if (HOST.matcher(text).matches()) {
          return InetAddress.getByName(text);
        }
      } catch (UnknownHostException e) {
        // Reported below.
      }
      throw wrong("\"%s\" is not an address; examples: 127.0.0.1, or 0.0.0.0 for all", text);
    }
  }

  /** Names of Namespaces. */
  public static final class OfNamespace implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      if (!LABEL.matcher(text).matches()) {
        throw wrong(
            "\"%s\" is not a valid Namespace name: up to 63 characters of a-z, 0-9, and - inside",
            text);
      }
      return text;
    }
  }

  /** Names of cluster-scoped objects. */
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
            "\"%s\" is not a valid object name: up to 253 characters of a-z, 0-9, and - and . inside",
            text);
      }
      return text;
    }
  }

  private static TypeConversionException wrong(String message, String text) {
    return new TypeConversionException(message.formatted(text));
  }
}
