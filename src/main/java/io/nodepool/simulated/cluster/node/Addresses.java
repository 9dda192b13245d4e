package io.nodepool.simulated.cluster.node;

import java.util.regex.Pattern;

/** The addresses that simulated Nodes and Pods report. Nothing listens on them. */
final class Addresses {
  private static final Pattern HEXADECIMAL_NAME = Pattern.compile("g[0-9a-f]{6}");

  private Addresses() {}

  /**
   * A Node's address in 10.0.0.0/8, from the digits of its name, so that all machines of a data
   * centre differ.
   */
  static String ofNode(String name) {
    int digits =
        HEXADECIMAL_NAME.matcher(name).matches()
            ? Integer.parseInt(name.substring(1), 16)
            : name.hashCode();
    return "10.%d.%d.%d".formatted((digits >> 16) & 0xff, (digits >> 8) & 0xff, digits & 0xff);
  }

  /** A Pod's address in 100.64.0.0/10, from its UID. Among very many Pods two may be equal. */
  static String ofPod(String uid) {
    int digits = uid.hashCode();
    return "100.%d.%d.%d"
        .formatted(64 | ((digits >> 16) & 0x3f), (digits >> 8) & 0xff, digits & 0xff);
  }
}
