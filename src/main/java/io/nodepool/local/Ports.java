package io.nodepool.local;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;

/**
 * The loopback ports of one cluster. The store needs none: it listens on a socket in the cluster's
 * folder, which keeps other users of the machine out.
 *
 * @param apiServer the API server's
 * @param controllerManager of the controller manager's health check
 * @param scheduler of the scheduler's health check
 */
record Ports(int apiServer, int controllerManager, int scheduler) {

  /**
   * Three that are free now. Another process may still take one before the program that gets it
   * does.
   */
  static Ports free() throws IOException {
    InetAddress loopback = InetAddress.getLoopbackAddress();
    try (ServerSocket first = new ServerSocket(0, 1, loopback);
        ServerSocket second = new ServerSocket(0, 1, loopback);
        ServerSocket third = new ServerSocket(0, 1, loopback)) {
      return new Ports(first.getLocalPort(), second.getLocalPort(), third.getLocalPort());
    }
  }

  static String url(int port) {
    return "https://127.0.0.1:" + port;
  }
}
