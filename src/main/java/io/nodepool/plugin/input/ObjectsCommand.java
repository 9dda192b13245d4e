package io.nodepool.plugin.input;

import io.nodepool.plugin.request.DryRun;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.function.UnaryOperator;
import picocli.CommandLine.Mixin;

/**
 * A command that changes several objects. It tries each, also after a failure, and prints a line
 * for each.
 */
public abstract class ObjectsCommand extends PluginCommand {
  @Mixin private final WriteOptions options = new WriteOptions();

  private final String kind;

  /**
   * A command for objects of a kind.
   *
   * @param kind the word before their names, such as {@code node}
   */
  protected ObjectsCommand(String kind) {
    this.kind = kind;
  }

  @Override
  protected final DryRun dryRun() {
    return options.dryRun();
  }

  /** The objects of the command line. */
  protected abstract List<String> names();

  /** Runs a task for each object once, and returns the objects for which it succeeded. */
  protected final List<String> each(UnaryOperator<String> task) {
    return each(List.copyOf(new LinkedHashSet<>(names())), task);
  }

  /**
   * Runs a task for each of these objects, and returns the objects for which it succeeded.
   *
   * @param task gets the name of an object, and returns the text that is printed after that
   */
  protected final List<String> each(List<String> objects, UnaryOperator<String> task) {
    List<String> done = new ArrayList<>();
    for (String name : objects) {
      String object = kind + "/" + name;
      if (succeeds(object, () -> print(object, task.apply(name)))) {
        done.add(name);
      }
    }
    return done;
  }
}
