package io.nodepool.kubernetes.client;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Empties {@code metadata.managedFields} in the events of one watch, piece by piece. Who owns which
 * field is half of what a server sends; nobody here reads it, and the client (fabric8 7.7, {@code
 * WatchHTTPManager}) copies each character of an event by itself. What is not written as an API
 * server writes it, without blanks, is handed on as it is.
 */
final class WithoutOwners {
  private static final byte[] KEY = "\"managedFields\":[".getBytes(StandardCharsets.US_ASCII);

  /**
   * Nesting of an object's metadata in an event, and of spec and status, which have no such list.
   */
  private static final int METADATA = 3;

  private boolean inString;
  private boolean escaped;
  private int depth;

  /** How much of the key was just seen. */
  private int matched;

  /** Brackets open in the list that is left out; 0 outside of it. */
  private int omitted;

  /** The next piece of the stream, without what is left out. */
  ByteBuffer next(ByteBuffer piece) {
    byte[] bytes = new byte[piece.remaining()];
    piece.get(bytes);
    int kept = 0;
    for (byte each : bytes) {
      // The bracket that ends the list is kept as the one that begins it is.
      boolean isKept = omitted == 0;
      follow(each);
      if (isKept || omitted == 0) {
        bytes[kept++] = each;
      }
    }
    return ByteBuffer.wrap(kept == bytes.length ? bytes : Arrays.copyOf(bytes, kept));
  }

  private void follow(byte each) {
    matched = matched > 0 && each == KEY[matched] ? matched + 1 : 0;
    if (inString) {
      if (escaped) {
        escaped = false;
      } else if (each == '\\') {
        escaped = true;
      } else if (each == '"') {
        inString = false;
      }
      return;
    }
    switch (each) {
      case '"' -> {
        inString = true;
        matched = depth == METADATA && omitted == 0 ? 1 : 0;
      }
      case '{' -> depth++;
      case '}' -> depth--;
      case '[' -> {
        depth++;
        if (omitted > 0) {
          omitted++;
        } else if (matched == KEY.length) {
          omitted = 1;
          matched = 0;
        }
      }
      case ']' -> {
        depth--;
        if (omitted > 0) {
          omitted--;
        }
      }
      default -> {}
    }
  }
}
