package io.nodepool.plugin.input;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.ExitCodes;
import io.nodepool.plugin.request.ClusterClient;
import io.nodepool.plugin.text.TextTable;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import picocli.CommandLine;

/**
 * Does something with several objects. Each is tried, whatever happens to others, and has a line of
 * its own.
 *
 * @param command the command, with its outputs
 * @param kind the kind of the objects, such as {@code node}
 */
public record EachObject(CommandLine command, String kind) {
  /** What is done with one object. */
  @FunctionalInterface
  public interface Task {
    /** The text that is printed after the name of the object. */
    String run(ClusterClient client, String name);
  }

  /** Does something with each of these objects once, and returns the exit code: 1 if it failed. */
  public int all(ClusterOptions cluster, List<String> names, Task task) {
    List<String> once = List.copyOf(new LinkedHashSet<>(names));
    try (ClusterClient client = cluster.open()) {
      return run(client, once, task).size() == once.size() ? ExitCodes.DONE : ExitCodes.FAILED;
    }
  }

  /** Does something with each of these objects, and returns those for which it succeeded. */
  public List<String> run(ClusterClient client, List<String> names, Task task) {
    List<String> done = new ArrayList<>();
    for (String name : names) {
      String object = kind + "/" + name;
      try {
        command.getOut().println(TextTable.plain(object + " " + task.run(client, name)));
        done.add(name);
      } catch (CommandFailure failure) {
        TextTable.printFailure(command.getErr(), object, failure);
      }
    }
    return done;
  }
}
