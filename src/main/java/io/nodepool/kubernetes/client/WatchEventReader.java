package io.nodepool.kubernetes.client;

import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Queue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Reads the events of watches from the bytes of the response, and hands each to the client with an
 * empty line in its place. The client (fabric8 7.7, {@code WatchHTTPManager}) would decode each
 * chunk of an event separately and count its bytes as characters: an umlaut in any Pod would make
 * it list all Pods anew, and one in a NodePool would end the operator. It would also copy each
 * character separately, which takes three times as long as reading the event.
 *
 * <p>A client that takes none of the events of a stream reads watches in another way than this
 * reader expects. Its objects would be out of date without a sign of it, so the stream fails.
 */
final class WatchEventReader implements Interceptor {
  private static final int LAST_ASCII = 0x7f;
  private static final byte[] EMPTY_LINE = {'\n'};

  private static final Logger log = LoggerFactory.getLogger(WatchEventReader.class);

  private final ApiSerialization serialization;

  /** A reader for clients that use this serialization. */
  WatchEventReader(ApiSerialization serialization) {
    this.serialization = serialization;
  }

  @Override
  public AsyncBody.Consumer<List<ByteBuffer>> consumer(
      AsyncBody.Consumer<List<ByteBuffer>> consumer, HttpRequest request) {
    if (!isWatch(request)) {
      return consumer;
    }
    Lines lines = new Lines();
    return (pieces, body) -> {
      List<ByteBuffer> passed = new ArrayList<>();
      Queue<WatchEvent> events = new ArrayDeque<>();
      for (ByteBuffer piece : pieces) {
        lines.next(piece).forEach(line -> passed.add(read(line, events)));
      }
      int given = events.size();
      serialization.handOver(events, () -> consumer.consume(passed, body));
      lines.requireTaken(given, events.size());
    };
  }

  /** Whether the response to a request is a stream of changes. */
  static boolean isWatch(HttpRequest request) {
    String query = request.uri().getRawQuery();
    return query != null && List.of(query.split("&")).contains("watch=true");
  }

  /** The line that the client gets: an empty one for an event that could be read. */
  private ByteBuffer read(byte[] line, Queue<WatchEvent> events) {
    Optional<WatchEvent> event = event(line);
    event.ifPresent(events::add);
    return ByteBuffer.wrap(
        event.isPresent() ? EMPTY_LINE : ascii(new String(line, StandardCharsets.UTF_8)));
  }

  /**
   * The event in a line. Empty if it cannot be read, or has no object that the client can use: the
   * client gets the text, and reads it in another way or reports what is wrong with it.
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
  private static byte[] ascii(String line) {
    StringBuilder ascii = new StringBuilder(line.length() + 1);
    line.chars()
        .mapToObj(each ->
            each <= LAST_ASCII
                ? Character.toString(each)
                : String.format(Locale.ROOT, "\\u%04x", each))
        .forEach(ascii::append);
    return ascii.append('\n').toString().getBytes(StandardCharsets.US_ASCII);
  }

  /** Divides one stream into lines; a line may begin in one chunk and end in the next. */
  private static final class Lines {
    private final ByteArrayOutputStream incomplete = new ByteArrayOutputStream();

    /** Whether the client took an event; a client that did so may end with events left. */
    private boolean taken;

    /** Fails if the client took none of the events so far. */
    void requireTaken(int given, int left) {
      taken |= left < given;
      if (given > 0 && !taken) {
        log.error("a watch handed over {} events, and the client took none of them", given);
        throw new IllegalStateException("no event of a watch was taken");
      }
    }

    /** The lines that end in this chunk, each without its end; empty ones are left out. */
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
