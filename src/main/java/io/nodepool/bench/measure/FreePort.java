package io.nodepool.bench.measure;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/** A port of the loopback address on which nothing listens. */
public final class FreePort {
  private FreePort() {}

  /**
   * Any free port.
   *
   * @throws BenchFailure if there is none
   */
  public static int any() {
    try (ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
      return socket.getLocalPort();
    } catch (IOException e) {
      throw BenchFailure.because("There is no free port: " + e);
    }
  }
}
