package io.nodepool.kubernetes.client;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.ref.Cleaner;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.UUID;

/**
 * Reads the events of watches from the bytes of the response, and gives the client a short line for
 * each event, by which the serialization finds the event. The client (fabric8 7.8, {@code
 * WatchHTTPManager}) would decode each chunk of an event separately and count its bytes as
 * characters: an umlaut in any Pod would make it list all Pods anew, and an umlaut in a NodePool
 * would end the operator. It would also copy each character separately, which adds two thirds to
 * the time of an event.
 *
 * <p>The client may read a line at any time and on any thread, or not at all: unread events of a
 * watch are dropped when the client no longer holds the watch.
 */
record WatchEventReader(ApiSerialization serialization) implements Interceptor {
  private static final int LAST_ASCII = 0x7f;
  private static final Cleaner CLEANER = Cleaner.create();

  @Override
  public AsyncBody.Consumer<List<ByteBuffer>> consumer(
      AsyncBody.Consumer<List<ByteBuffer>> consumer, HttpRequest request) {
    if (!isWatch(request)) {
      return consumer;
    }
    UUID watch = UUID.randomUUID();
    Lines lines = new Lines();
    AsyncBody.Consumer<List<ByteBuffer>> reader =
        (pieces, body) -> {
          List<ByteBuffer> passed = new ArrayList<>();
          for (ByteBuffer piece : pieces) {
            lines.next(piece).forEach(line -> passed.add(read(line, watch)));
          }
          consumer.consume(passed, body);
        };
    CLEANER.register(reader, () -> serialization.drop(watch));
    return reader;
  }

  /** Whether the response to a request is a stream of changes. */
  static boolean isWatch(HttpRequest request) {
    String query = request.uri().getRawQuery();
    return query != null && List.of(query.split("&")).contains("watch=true");
  }

  /** The line that the client gets: the event's text only if it cannot be read. */
  private ByteBuffer read(byte[] line, UUID watch) {
    String passed =
        event(line)
            .map(event -> serialization.keep(event, watch))
            .orElseGet(() -> ascii(new String(line, StandardCharsets.UTF_8)));
    return ByteBuffer.wrap((passed + '\n').getBytes(StandardCharsets.US_ASCII));
  }

  /**
   * The event in a line. Empty if it cannot be read, or has no object that the client can use: the
   * client gets the text, and reads it in another way or reports the error.
   */
  private Optional<WatchEvent> event(byte[] line) {
    try {
      return Optional.ofNullable(serialization.readEvent(line))
          .filter(event ->
              event.getObject() instanceof HasMetadata || event.getObject() instanceof Status);
    } catch (IOException | RuntimeException _) {
      return Optional.empty();
    }
  }

  /** A line with a JSON escape for every character beyond ASCII. */
  private static String ascii(String line) {
    StringBuilder ascii = new StringBuilder(line.length());
    line.chars()
        .mapToObj(each ->
            each <= LAST_ASCII
                ? Character.toString(each)
                : String.format(Locale.ROOT, "\\u%04x", each))
        .forEach(ascii::append);
    return ascii.toString();
  }

  /** Divides one stream into lines; a line may begin in one chunk and end in the next. */
  private static final class Lines {
    private final ByteArrayOutputStream incomplete = new ByteArrayOutputStream();

    /** The lines that end in this chunk, each without its end; empty lines are left out. */
    List<byte[]> next(ByteBuffer piece) {
      byte[] bytes = new byte[piece.remaining()];
      piece.get(bytes);
      List<byte[]> lines = new ArrayList<>();
      int from = 0;
      for (int at = 0; at < bytes.length; at++) {
        if (bytes[at] == '\n') {
          incomplete.write(bytes, from, at - from);
          if (incomplete.size() > 0) {
            lines.add(incomplete.toByteArray());
          }
          incomplete.reset();
          from = at + 1;
        }
      }
      incomplete.write(bytes, from, bytes.length - from);
      return lines;
    }
  }
}
