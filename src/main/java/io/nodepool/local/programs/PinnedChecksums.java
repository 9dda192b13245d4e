package io.nodepool.local.programs;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The checksums of released files that this repository itself lists. An attacker who controls a
 * download site cannot replace a file in this list.
 *
 * @param byFile the SHA-256 by version and name of the file
 */
record PinnedChecksums(Map<String, String> byFile) {
  private static final String LIST = "/control-plane-checksums.txt";
  private static final Pattern LINE = Pattern.compile("([0-9a-f]{64})\\s+(\\S+)");

  PinnedChecksums {
    byFile = Map.copyOf(byFile);
  }

  /** The packaged list. */
  static PinnedChecksums packaged() {
    return read(Packaged.text(LIST));
  }

  /**
   * Reads a list; lines that begin with a number sign are comments.
   *
   * @throws IllegalArgumentException if a line is neither a checksum nor a comment
   */
  static PinnedChecksums read(String text) {
    Map<String, String> byFile = new TreeMap<>();
    text.lines()
        .map(String::strip)
        .filter(line -> !line.isEmpty() && !line.startsWith("#"))
        .forEach(line -> {
          Matcher found = LINE.matcher(line);
          if (!found.matches()) {
            throw new IllegalArgumentException("not a checksum and a file: " + line);
          }
          byFile.put(found.group(2), found.group(1));
        });
    return new PinnedChecksums(byFile);
  }

  /** The checksum of a file, if the list has it. */
  Optional<String> of(ControlPlaneReleases.Published published) {
    return Optional.ofNullable(byFile.get(published.pinned()));
  }
}
