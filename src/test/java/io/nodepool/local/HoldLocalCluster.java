package io.nodepool.local;

import java.nio.file.Path;

/**
 * A program that starts a local cluster, prints its process ids, and holds it until it is killed.
 */
final class HoldLocalCluster {

  private HoldLocalCluster() {}

  /**
   * Prints the process ids of the four programs on one line and waits for ever. The argument is the
   * parent folder.
   */
  public static void main(String[] arguments) throws InterruptedException {
    LocalClusterOptions options = LocalClusterOptions.standard(System.err::println);
    LocalCluster cluster = LocalCluster.start(options.withParent(Path.of(arguments[0])));
    System.out.println(String.join(" ", cluster.pids().stream().map(String::valueOf).toList()));
    Thread.currentThread().join();
  }
}
