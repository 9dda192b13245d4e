package io.nodepool.plugin.input;

import io.nodepool.vocabulary.UserText;
import java.io.BufferedReader;
import java.io.Console;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.io.UncheckedIOException;
import java.nio.charset.Charset;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Asks the person who runs a command. */
@FunctionalInterface
public interface Questions {
  /** Whether the person agrees; empty if there is no terminal to ask on. */
  Optional<Boolean> ask(String question);

  /** Asks on standard error, and reads the answer from standard input, if both are a terminal. */
  static Questions onTerminal(PrintWriter err) {
    return question -> {
      if (!isTerminal()) {
        return Optional.empty();
      }
      err.print(UserText.printable(question) + " [y/N]: ");
      err.flush();
      // Not closed: later questions read from it too.
      BufferedReader in =
          new BufferedReader(new InputStreamReader(System.in, Charset.defaultCharset()), 1);
      return Optional.of(isYes(line(in)));
    };
  }

  /** The plain console of the JDK is null if input or output is not a terminal. */
  @SuppressWarnings("SystemConsoleNull")
  private static boolean isTerminal() {
    @Nullable Console console = System.console();
    return console != null && console.isTerminal();
  }

  private static String line(BufferedReader in) {
    try {
      return Optional.ofNullable(in.readLine()).orElse("");
    } catch (IOException e) {
      throw new UncheckedIOException("the answer cannot be read", e);
    }
  }

  /** Whether an answer means yes; anything else means no. */
  static boolean isYes(String answer) {
    return Set.of("y", "yes").contains(answer.strip().toLowerCase(Locale.ROOT));
  }
}
