package io.nodepool.bench.measure;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * The command line and the files of an operator process.
 *
 * @param program the command line up to and including {@code nodepool}
 * @param files the path for a new file of a name, which is removed when the command ends
 */
public record OperatorLaunch(List<String> program, Files files) {
  /** Maps a file's name to its path. */
  @FunctionalInterface
  public interface Files {
    /** The path of the file. */
    Path path(String name);
  }

  public OperatorLaunch {
    program = List.copyOf(program);
  }

  /** The same with a flag for the JVM; a conflicting flag of the program takes precedence. */
  public OperatorLaunch with(String flag) {
    List<String> flagged = new ArrayList<>(program);
    flagged.add(1, flag);
    return new OperatorLaunch(flagged, files);
  }
}
