package io.nodepool.local.programs;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** Reads files that are packaged with the program. */
public final class Packaged {
  private Packaged() {}

  /** The text of a file, by its path from the root of the program. */
  public static String text(String path) {
    try (InputStream content = Packaged.class.getResourceAsStream(path)) {
      if (content == null) {
        throw new IllegalStateException(path + " is not packaged");
      }
      return new String(content.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException("cannot read " + path, e);
    }
  }
}
