package io.nodepool.http;

import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.Optional;

/** A process that serves an {@link Endpoint} until its input ends; it prints the port. */
final class EndpointProcess {
  private EndpointProcess() {}

  /** Serves. */
  public static void main(String[] args) throws IOException {
    try (Endpoint endpoint =
        Endpoint.start(
            new InetSocketAddress(InetAddress.getLoopbackAddress(), 0),
            Optional.of(() -> ""),
            () -> true,
            () -> true)) {
      System.out.println(endpoint.port());
      while (System.in.read() >= 0) {
        // Until the test ends.
      }
    }
  }
}
