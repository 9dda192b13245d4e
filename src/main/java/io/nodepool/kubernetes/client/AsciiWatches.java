package io.nodepool.kubernetes.client;

import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.Interceptor;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.CharBuffer;
import java.nio.charset.CharsetDecoder;
import java.nio.charset.CodingErrorAction;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/**
 * Passes the events of watches to the client without managed fields and in ASCII, with every other
 * character as a JSON escape. The client decodes each chunk of an event separately and counts its
 * bytes as characters (fabric8 7.7, {@code WatchHTTPManager}): one umlaut in an annotation of any
 * Pod would end the watch of all Pods, and with it the operator.
 */
final class AsciiWatches implements Interceptor {
  private static final int LAST_ASCII = 0x7f;

  @Override
  public AsyncBody.Consumer<List<ByteBuffer>> consumer(
      AsyncBody.Consumer<List<ByteBuffer>> consumer, HttpRequest request) {
    if (!isWatch(request)) {
      return consumer;
    }
    WithoutOwners without = new WithoutOwners();
    Escaper escaper = new Escaper();
    return (pieces, body) ->
        consumer.consume(pieces.stream().map(without::next).map(escaper::escape).toList(), body);
  }

  /** Whether the answer to a request is a stream of changes. */
  static boolean isWatch(HttpRequest request) {
    String query = request.uri().getRawQuery();
    return query != null && List.of(query.split("&")).contains("watch=true");
  }

  /** Escapes one stream of UTF-8; a character may begin in one chunk and end in the next. */
  static final class Escaper {
    private final CharsetDecoder decoder =
        StandardCharsets.UTF_8
            .newDecoder()
            .onMalformedInput(CodingErrorAction.REPLACE)
            .onUnmappableCharacter(CodingErrorAction.REPLACE);
    private ByteBuffer incomplete = ByteBuffer.allocate(0);

    /** The next chunk of the stream, up to its last complete character. */
    ByteBuffer escape(ByteBuffer piece) {
      return !incomplete.hasRemaining() && isAscii(piece) ? piece : escaped(piece);
    }

    private static boolean isAscii(ByteBuffer piece) {
      for (int i = piece.position(); i < piece.limit(); i++) {
        if (piece.get(i) < 0) {
          return false;
        }
      }
      return true;
    }

    private ByteBuffer escaped(ByteBuffer piece) {
      ByteBuffer bytes = ByteBuffer.allocate(incomplete.remaining() + piece.remaining());
      bytes.put(incomplete).put(piece).flip();
      CharBuffer text = CharBuffer.allocate(bytes.remaining());
      decoder.decode(bytes, text, false);
      incomplete = bytes.slice();
      ByteArrayOutputStream ascii = new ByteArrayOutputStream(text.position());
      for (char character : text.flip().toString().toCharArray()) {
        if (character <= LAST_ASCII) {
          ascii.write(character);
        } else {
          ascii.writeBytes(
              String.format(Locale.ROOT, "\\u%04x", (int) character)
                  .getBytes(StandardCharsets.US_ASCII));
        }
      }
      return ByteBuffer.wrap(ascii.toByteArray());
    }
  }
}
