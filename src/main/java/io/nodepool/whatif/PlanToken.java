package io.nodepool.whatif;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;

/**
 * Identifies the decisions of a forecast: the fate of each Node, Pods that end, and holds.
 * Instants, ages and versions are no part of it. 48 bits, written as {@code 918233-4c1f07}.
 */
public record PlanToken(String text) {
  private static final int BYTES = 6;

  /** The token of these decisions. */
  public static PlanToken of(List<String> decisions) {
    try {
      byte[] digest =
          MessageDigest.getInstance("SHA-256")
              .digest(String.join("\n", decisions).getBytes(StandardCharsets.UTF_8));
      String hex = HexFormat.of().formatHex(digest, 0, BYTES);
      return new PlanToken(hex.substring(0, BYTES) + "-" + hex.substring(BYTES));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK has SHA-256", e);
    }
  }
}
