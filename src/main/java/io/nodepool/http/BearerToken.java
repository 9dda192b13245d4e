package io.nodepool.http;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.List;

/** The token that clients must present, in a file that may be replaced. Safe for any thread. */
public final class BearerToken {
  private static final String SCHEME = "Bearer ";
  private static final int SHORTEST = 16;

  private final FileContent<byte[]> token;

  /**
   * Reads the token.
   *
   * @throws IOException if the file contains no valid token; the message states the required format
   */
  public BearerToken(Path file) throws IOException {
    this.token = new FileContent<>(List.of(file), contents -> token(file, contents.getFirst()));
  }

  private static byte[] token(Path file, byte[] content) throws IOException {
    String text = new String(content, StandardCharsets.UTF_8).strip();
    if (!text.matches("[\\x21-\\x7e]{%d,4096}".formatted(SHORTEST))) {
      throw new IOException(
          "%s must hold a token of %d to 4096 visible ASCII characters, without blanks"
              .formatted(file, SHORTEST));
    }
    return text.getBytes(StandardCharsets.UTF_8);
  }

  /** Whether a request with this header presents the token; takes equally long for every header. */
  public boolean isIn(String authorization) {
    return MessageDigest.isEqual(
        token.get(), presented(authorization).getBytes(StandardCharsets.UTF_8));
  }

  /** The token that a request with this header presents; empty text if there is none. */
  static String presented(String authorization) {
    boolean bearer = authorization.regionMatches(true, 0, SCHEME, 0, SCHEME.length());
    return bearer ? authorization.substring(SCHEME.length()).strip() : "";
  }
}
