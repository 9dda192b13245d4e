package io.nodepool.cli.input;

import io.nodepool.vocabulary.UserText;
import java.util.Set;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;
import picocli.CommandLine.Model.PositionalParamSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.TypeConversionException;
import picocli.CommandLine.UnmatchedArgumentException;

/** Errors of a command line. */
public final class UsageErrors {
  private UsageErrors() {}

  /** The error in one line, with the most similar words if a word is unknown. */
  public static String inWords(ParameterException wrong) {
    return UserText.printable(message(wrong)).lines().findFirst().orElse("");
  }

  private static String message(ParameterException wrong) {
    CommandSpec command = wrong.getCommandLine().getCommandSpec();
    if (wrong instanceof UnmatchedArgumentException unmatched) {
      String word = unmatched.getUnmatched().getFirst();
      if (word.startsWith("-")) {
        return unknown("option", word, command.optionsMap().keySet());
      }
      return command.subcommands().isEmpty()
          ? unexpected(command, word)
          : unknown("command", word, command.subcommands().keySet());
    }
    return !(wrong.getArgSpec() instanceof OptionSpec)
            && wrong.getCause() instanceof TypeConversionException refused
        ? String.valueOf(refused.getMessage())
        : String.valueOf(wrong.getMessage())
            .replace(" is not an int", " is not a whole number up to " + Integer.MAX_VALUE);
  }

  private static String unknown(String what, String word, Set<String> known) {
    return "unknown %s \"%s\"%s".formatted(what, word, Similar.hint(word, known));
  }

  /** A superfluous word, or a word that the last, optional parameter rejects. */
  private static String unexpected(CommandSpec command, String word) {
    try {
      for (PositionalParamSpec parameter : command.positionalParameters()) {
        for (ITypeConverter<?> converter : parameter.converters()) {
          converter.convert(word);
        }
      }
    } catch (TypeConversionException refused) {
      return String.valueOf(refused.getMessage());
    } catch (Exception e) {
      // Reported below.
    }
    return "unexpected argument \"%s\"".formatted(word);
  }
}
