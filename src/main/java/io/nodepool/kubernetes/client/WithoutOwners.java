package io.nodepool.kubernetes.client;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Empties {@code metadata.managedFields} in the events of one watch, chunk by chunk. Managed fields
 * are half of what a server sends and are not read here, and the client (fabric8 7.7, {@code
 * WatchHTTPManager}) copies each character of an event separately. JSON in another form than an API
 * server's, such as with blanks, is passed on unchanged.
 */
final class WithoutOwners {
  private static final byte[] KEY = "\"managedFields\":[".getBytes(StandardCharsets.US_ASCII);

  /**
   * Depth of an object's metadata in an event; spec and status, at the same depth, have no such
   * list.
   */
  private static final int METADATA = 3;

  private boolean inString;
  private boolean escaped;
  private int depth;

  /** How many bytes of the key were matched. */
  private int matched;

  /** The number of open brackets in the omitted list; 0 outside of it. */
  private int omitted;

  /** The next chunk of the stream, without the omitted lists. */
  ByteBuffer next(ByteBuffer piece) {
    byte[] bytes = new byte[piece.remaining()];
    piece.get(bytes);
    int kept = 0;
    int at = 0;
    while (at < bytes.length) {
      int from = at;
      // The closing bracket of the list is kept, as the opening one is.
      boolean isKept = omitted == 0;
      at = inString && !escaped && matched == 0 ? endOfText(bytes, from) : from;
      if (at == from) {
        follow(bytes[at++]);
      }
      if (isKept || omitted == 0) {
        System.arraycopy(bytes, from, bytes, kept, at - from);
        kept += at - from;
      }
    }
    return ByteBuffer.wrap(kept == bytes.length ? bytes : Arrays.copyOf(bytes, kept));
  }

  /** The index of the next quotation mark or backslash from this index on, or the length. */
  private static int endOfText(byte[] bytes, int from) {
    int at = from;
    while (at < bytes.length && bytes[at] != '"' && bytes[at] != '\\') {
      at++;
    }
    return at;
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
