package io.nodepool.plugin.input;

import java.util.List;
import java.util.SequencedMap;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Spec;

/** A command that only has subcommands. */
@Command(mixinStandardHelpOptions = true, synopsisSubcommandLabel = "COMMAND")
public abstract class CommandGroup implements Runnable {
  @Spec
  @SuppressWarnings("NullAway.Init")
  private CommandSpec spec;

  /** Its subcommands by their names, in the order of the help. */
  protected abstract SequencedMap<String, Class<?>> commands();

  /**
   * Builds the command line of a group with only the subcommand that the first word names: to build
   * all takes longer than most commands run. All are built if it names none.
   */
  public static CommandLine build(CommandGroup group, List<String> words) {
    CommandLine built = new CommandLine(group);
    String first = words.isEmpty() ? "" : words.getFirst();
    SequencedMap<String, Class<?>> commands = group.commands();
    commands.forEach((name, type) -> {
      if (!commands.containsKey(first)) {
        built.addSubcommand(name, part(built, type, List.of()));
      } else if (name.equals(first)) {
        built.addSubcommand(name, part(built, type, words.subList(1, words.size())));
      }
    });
    return built;
  }

  private static Object part(CommandLine parent, Class<?> type, List<String> words) {
    try {
      Object command = parent.getFactory().create(type);
      return command instanceof CommandGroup group ? build(group, words) : command;
    } catch (Exception e) {
      throw new IllegalStateException("a command has a constructor without parameters", e);
    }
  }

  @Override
  public final void run() {
    throw new ParameterException(
        spec.commandLine(), "missing command; see %s --help".formatted(spec.qualifiedName()));
  }
}
