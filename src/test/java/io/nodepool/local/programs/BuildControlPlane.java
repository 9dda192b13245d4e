package io.nodepool.local.programs;

import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;

/** A program that builds the control plane and prints the progress. */
final class BuildControlPlane {

  private BuildControlPlane() {}

  /** The arguments are the Go command and the cache. */
  public static void main(String[] arguments) {
    new ControlPlaneCache(Path.of(arguments[1]), System.out::println)
        .filled(
            new ControlPlaneBuild(
                Path.of(arguments[0]),
                System.getenv(),
                false,
                System.out::println,
                InstantSource.system()));
  }

  /** Starts the program in a process of its own. */
  static Process start(Path go, Path cache) throws IOException {
    return new ProcessBuilder(
            Path.of(System.getProperty("java.home"), "bin", "java").toString(),
            "-Xmx64m",
            "-cp",
            System.getProperty("java.class.path"),
            BuildControlPlane.class.getName(),
            go.toString(),
            cache.toString())
        .redirectError(ProcessBuilder.Redirect.INHERIT)
        .start();
  }
}
