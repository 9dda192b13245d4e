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
 * The content of files that are replaced while the process runs, such as the files of a mounted
 * Secret. The files are read again when one of them has changed. While the new content cannot be
 * used, the last usable content stays. Safe for any thread.
 */
final class FileContent<T> implements Supplier<T> {
  private static final Logger log = LoggerFactory.getLogger(FileContent.class);
  private static final long MOST_BYTES = 1 << 20;

  /** Converts the files' bytes to the content. */
  @FunctionalInterface
  interface Reader<T> {
    /**
     * The content.
     *
     * @throws IOException if the bytes cannot be used; the message states what is required
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
        // Stored first, so that unusable content is read only once.
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
      // A file that replaces another file has another key.
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
