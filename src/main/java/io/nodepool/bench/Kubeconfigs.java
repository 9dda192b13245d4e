package io.nodepool.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The kubeconfig as a file for the operators' processes. */
public final class Kubeconfigs {
  private Kubeconfigs() {}

  /** Writes the kubeconfig and returns the path of the file. */
  public static Path write(OperatorLaunch launch, String kubeconfig) {
    try {
      return Files.writeString(launch.files().path("kubeconfig"), kubeconfig);
    } catch (IOException e) {
      throw BenchFailure.because("The kubeconfig cannot be written: " + e);
    }
  }
}
