package io.nodepool.local.programs;

import java.io.File;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Finds installed programs. */
public final class Executables {
  private Executables() {}

  /** The first executable file of this name in a directory of the variable {@code PATH}. */
  public static Optional<Path> onPath(Map<String, String> environment, String name) {
    return Optional.ofNullable(environment.get("PATH")).stream()
        .flatMap(path -> List.of(path.split(File.pathSeparator, -1)).stream())
        .filter(entry -> !entry.isEmpty())
        .map(entry -> Path.of(entry).resolve(name))
        .filter(file -> Files.isRegularFile(file) && Files.isExecutable(file))
        .findFirst();
  }
}
