package io.nodepool.local.programs;

import io.nodepool.local.programs.Transfer.Cut;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse.ResponseInfo;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.List;
import java.util.OptionalLong;
import java.util.concurrent.ExecutionException;
import java.util.function.LongConsumer;

/**
 * Downloads files over HTTP. An interrupted download is continued where it ended, now or at the
 * next start, and only a file with the right SHA-256 gets its final name.
 */
final class Download {
  /** A file is not available; the message is the reason, without a full stop. */
  static class Unavailable extends Exception {
    private static final long serialVersionUID = 1L;

    Unavailable(String why) {
      super(why);
    }
  }

  /** The limits for a text, and for the next bytes of a file. */
  private static final Duration ANSWER = Duration.ofSeconds(10);

  private static final Duration SILENCE = Duration.ofSeconds(30);

  /** The waits between retries without progress; after the last one the download fails. */
  private static final List<Duration> PAUSES =
      List.of(
          Duration.ofSeconds(1),
          Duration.ofSeconds(2),
          Duration.ofSeconds(4),
          Duration.ofSeconds(8),
          Duration.ofSeconds(16));

  private static final int LONGEST_TEXT = 1 << 16;
  private static final int PARTIAL = 206;
  private static final int RANGE_NOT_SATISFIABLE = 416;

  private final HttpClient client;
  private final Transfer.Waiting waiting;

  Download(HttpClient client, Transfer.Waiting waiting) {
    this.client = client;
    this.waiting = waiting;
  }

  /** Downloads a short text, without retries. */
  String text(URI source) throws Unavailable {
    HttpRequest request = HttpRequest.newBuilder(source).build();
    try (Transfer transfer = new Transfer(client, request, waiting, ANSWER)) {
      require(source, transfer.head(), 200);
      StringBuilder text = new StringBuilder();
      for (var next = transfer.bytes(); !next.isEmpty(); next = transfer.bytes()) {
        next.forEach(buffer -> text.append(StandardCharsets.ISO_8859_1.decode(buffer)));
        if (text.length() > LONGEST_TEXT) {
          throw new Unavailable(source + " is not a list of checksums");
        }
      }
      return text.toString();
    }
  }

  /** Requires that a site can be reached and has a file, without a retry. */
  void require(URI source) throws Unavailable {
    HttpRequest request = HttpRequest.newBuilder(source).HEAD().build();
    try (Transfer transfer = new Transfer(client, request, waiting, ANSWER)) {
      require(source, transfer.head(), 200);
    }
  }

  /**
   * Downloads a file.
   *
   * @param sha256 the expected SHA-256 of the content
   * @param file the target, whose name is unique for the content; it exists only once it is
   *     complete
   * @param progress receives the number of downloaded bytes, and the total if it is known
   * @throws LocalClusterException if the content differs; it is removed
   */
  void file(URI source, String sha256, Path file, Amounts progress)
      throws Unavailable, IOException {
    Path part = file.resolveSibling(file.getFileName() + ".part");
    int fruitless = 0;
    while (true) {
      long before = size(part);
      try {
        transfer(source, part, progress);
        break;
      } catch (Cut e) {
        fruitless = size(part) > before ? 0 : fruitless + 1;
        if (fruitless > PAUSES.size()) {
          throw new Unavailable("%s after %d tries".formatted(e.getMessage(), fruitless));
        }
        pause(PAUSES.get(Math.max(0, fruitless - 1)));
      }
    }
    String found = sha256(part);
    if (!found.equals(sha256)) {
      Files.delete(part);
      throw new LocalClusterException(
          ("The SHA-256 of %s is %s, but the published one is %s; the file was removed."
                  + " Start again; if the error persists, do not trust the server.")
              .formatted(source, found, sha256));
    }
    Files.move(part, file, StandardCopyOption.ATOMIC_MOVE);
  }

  /** Receives the progress of a file. */
  @FunctionalInterface
  interface Amounts {
    /** This number of bytes is downloaded. */
    void at(long bytes, OptionalLong total);
  }

  private void transfer(URI source, Path part, Amounts progress) throws Unavailable, IOException {
    long there = size(part);
    HttpRequest.Builder request = HttpRequest.newBuilder(source);
    if (there > 0) {
      request.header("Range", "bytes=" + there + "-");
    }
    try (Transfer transfer = new Transfer(client, request.build(), waiting, SILENCE)) {
      ResponseInfo head = transfer.head();
      if (there > 0 && head.statusCode() == RANGE_NOT_SATISFIABLE) {
        return; // The file is complete; its checksum decides whether it is right.
      }
      boolean goesOn = there > 0 && goesOnAt(head, there);
      if (!goesOn) {
        require(source, head, 200);
      }
      long begin = goesOn ? there : 0;
      OptionalLong length = head.headers().firstValueAsLong("Content-Length");
      OptionalLong total =
          length.isPresent() ? OptionalLong.of(begin + length.getAsLong()) : length;
      store(transfer, part, begin, bytes -> progress.at(bytes, total));
    }
  }

  private static boolean goesOnAt(ResponseInfo head, long offset) {
    return head.statusCode() == PARTIAL
        && head.headers()
            .firstValue("Content-Range")
            .filter(range -> range.startsWith("bytes " + offset + "-"))
            .isPresent();
  }

  private static void store(Transfer transfer, Path part, long begin, LongConsumer progress)
      throws Cut, IOException {
    try (FileChannel out =
        FileChannel.open(part, StandardOpenOption.CREATE, StandardOpenOption.WRITE)) {
      out.truncate(begin);
      out.position(begin);
      for (var next = transfer.bytes(); !next.isEmpty(); next = transfer.bytes()) {
        for (ByteBuffer buffer : next) {
          while (buffer.hasRemaining()) {
            out.write(buffer);
          }
        }
        progress.accept(out.position());
      }
    }
  }

  /** Rejects any other status; a status that may be temporary is retried. */
  private static void require(URI source, ResponseInfo head, int status) throws Unavailable {
    int found = head.statusCode();
    if (found != status) {
      String why = "%s answered %d".formatted(source, found);
      if (found == 408 || found == 429 || found >= 500) {
        throw new Cut(why);
      }
      throw new Unavailable(why);
    }
  }

  private void pause(Duration time) {
    try {
      waiting.timer(time).get();
    } catch (InterruptedException e) {
      throw Transfer.interrupted(e);
    } catch (ExecutionException e) {
      throw new IllegalStateException("a timer cannot fail", e);
    }
  }

  private static long size(Path part) throws IOException {
    return Files.exists(part) ? Files.size(part) : 0;
  }

  private static String sha256(Path file) throws IOException {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException("every JDK supports SHA-256", e);
    }
    try (InputStream in = new DigestInputStream(Files.newInputStream(file), digest)) {
      in.transferTo(OutputStream.nullOutputStream());
    }
    return HexFormat.of().formatHex(digest.digest());
  }
}
