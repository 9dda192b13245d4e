package io.nodepool.local;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/**
 * The loopback ports of one cluster. The store needs none: it listens on a socket in the cluster's
 * folder, which other users cannot access.
 *
 * @param apiServer the port of the API server
 * @param controllerManager the port of the controller manager's health check
 * @param scheduler the port of the scheduler's health check
 */
record Ports(int apiServer, int controllerManager, int scheduler) {
  private static final int COUNT = 3;

  /**
   * Finds three ports that are free and were not tried before. Another process may still take a
   * port before the program binds it.
   *
   * @param tried the ports of earlier attempts; the new ports are added
   */
  static Ports free(Set<Integer> tried) throws IOException {
    List<Integer> found = new ArrayList<>();
    List<ServerSocket> held = new ArrayList<>();
    try {
      while (found.size() < COUNT) {
        ServerSocket socket = new ServerSocket(0, 1, InetAddress.getLoopbackAddress());
        held.add(socket);
        if (tried.add(socket.getLocalPort())) {
          found.add(socket.getLocalPort());
        }
      }
    } finally {
      for (ServerSocket socket : held) {
        socket.close();
      }
    }
    return new Ports(found.get(0), found.get(1), found.get(2));
  }

  static String url(int port) {
    return "https://127.0.0.1:" + port;
  }
}
