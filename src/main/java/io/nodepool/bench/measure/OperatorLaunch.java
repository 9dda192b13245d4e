package io.nodepool.bench.measure;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;

/**
 * The command line and the files of an operator process.
 *
 * @param program the command line up to and including {@code nodepool}
 * @param arguments further arguments of {@code run}
 * @param files the path for a new file of a name, which is removed when the command ends
 */
public record OperatorLaunch(
    List<String> program, List<String> arguments, Function<String, Path> files) {
  public OperatorLaunch {
    program = List.copyOf(program);
    arguments = List.copyOf(arguments);
  }

  /** The same with these arguments of {@code run}. */
  public OperatorLaunch withArguments(List<String> more) {
    return new OperatorLaunch(program, more, files);
  }

  /** The same with a flag for the JVM; a conflicting flag of the program takes precedence. */
  public OperatorLaunch with(String flag) {
    List<String> flagged = new ArrayList<>(program);
    flagged.add(1, flag);
    return new OperatorLaunch(flagged, arguments, files);
  }
}
