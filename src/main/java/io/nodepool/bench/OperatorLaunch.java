package io.nodepool.bench;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * How an operator is started in a process of its own.
 *
 * @param program the command line up to and including {@code nodepool}
 * @param files where a file of this name may be made that goes when the command ends
 */
public record OperatorLaunch(List<String> program, Files files) {
  /** From a file's name to its path. */
  @FunctionalInterface
  public interface Files {
    /** Where the file is to be. */
    Path path(String name);
  }

  public OperatorLaunch {
    program = List.copyOf(program);
  }

  /** The same with a flag for its JVM; of two that contradict each other the program's own wins. */
  public OperatorLaunch with(String flag) {
    List<String> flagged = new ArrayList<>(program);
    flagged.add(1, flag);
    return new OperatorLaunch(flagged, files);
  }
}
