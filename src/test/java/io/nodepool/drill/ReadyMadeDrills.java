package io.nodepool.drill;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Stream;

/** The scenarios that ship. */
public final class ReadyMadeDrills {
  private ReadyMadeDrills() {}

  /** Their files, in order. */
  public static Stream<Path> files() throws IOException {
    try (Stream<Path> files = Files.walk(Path.of("deploy", "drills"))) {
      return files
          .filter(file -> file.toString().endsWith(".yaml"))
          .filter(file -> !file.getFileName().toString().equals("objects.yaml"))
          .sorted()
          .toList()
          .stream();
    }
  }
}
