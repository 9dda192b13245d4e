package io.nodepool.http;

import io.nodepool.kubernetes.client.OutageLog;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What files contain that are replaced while the process runs, as those of a mounted Secret are.
 * They are read again when one of them has changed; while what is there cannot be used, the last
 * usable content stays. Safe for any thread.
 */
final class FileContent<T> implements Supplier<T> {
  private static final Logger log = LoggerFactory.getLogger(FileContent.class);
  private static final long MOST_BYTES = 1 << 20;

  /** Makes the content of the files' bytes. */
  @FunctionalInterface
  interface Reader<T> {
    /**
     * The content.
     *
     * @throws IOException if it cannot be used; the message says what would be right
     */
    T read(List<byte[]> files) throws IOException;
  }

  private record State<T>(List<Stamp> stamps, T content) {}

  private record Stamp(FileTime modified, long size, String key) {}

  private final List<Path> files;
  private final Reader<T> reader;
  private final OutageLog outage;
  private volatile State<T> state;

  /**
   * Reads the files.
   *
   * @throws IOException if they cannot be used now
   */
  FileContent(List<Path> files, Reader<T> reader) throws IOException {
    this.files = List.copyOf(files);
    this.reader = reader;
    this.outage =
        OutageLog.of(files.getFirst() + " cannot be used, so its last content stays", log);
    List<Stamp> stamps = stamps();
    this.state = new State<>(stamps, read());
  }

  @Override
  public T get() {
    State<T> last = state;
    try {
      List<Stamp> stamps = stamps();
      if (!stamps.equals(last.stamps())) {
        // Remembered first, so that what cannot be used is read once.
        state = new State<>(stamps, last.content());
        state = new State<>(stamps, read());
        log.info("{} changed and was read again", files.getFirst());
        outage.worked();
      }
    } catch (IOException e) {
      outage.failed(String.valueOf(e.getMessage()));
    }
    return state.content();
  }

  private List<Stamp> stamps() throws IOException {
    List<Stamp> stamps = new ArrayList<>();
    for (Path file : files) {
      BasicFileAttributes now = Files.readAttributes(file, BasicFileAttributes.class);
      // The key is another one for a file that was put in the place of another.
      stamps.add(new Stamp(now.lastModifiedTime(), now.size(), String.valueOf(now.fileKey())));
    }
    return stamps;
  }

  private T read() throws IOException {
    List<byte[]> contents = new ArrayList<>();
    for (Path file : files) {
      if (Files.size(file) > MOST_BYTES) {
        throw new IOException("%s is longer than %d bytes".formatted(file, MOST_BYTES));
      }
      contents.add(Files.readAllBytes(file));
    }
    return reader.read(contents);
  }
}
