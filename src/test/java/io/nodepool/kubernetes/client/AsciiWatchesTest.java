package io.nodepool.kubernetes.client;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.http.StandardHttpRequest;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class AsciiWatchesTest {
  private static final String EVENT = "{\"note\":\"ü € 😀 \\n \u2028 plain\"}\n{\"next\":\"é\"}\n";

  /** The text as the client reads it: it treats the bytes of each chunk as characters. */
  private static String asTheClientReads(List<ByteBuffer> pieces) {
    AsciiWatches.Escaper escaper = new AsciiWatches.Escaper();
    StringBuilder text = new StringBuilder();
    pieces.forEach(
        piece -> text.append(StandardCharsets.UTF_8.decode(escaper.escape(piece)).array()));
    return text.toString();
  }

  @Test
  void anEventIsReadWhereverItIsCut() throws IOException {
    byte[] bytes = EVENT.getBytes(StandardCharsets.UTF_8);
    for (int cut = 0; cut <= bytes.length; cut++) {
      String read =
          asTheClientReads(
              List.of(
                  ByteBuffer.wrap(bytes, 0, cut), ByteBuffer.wrap(bytes, cut, bytes.length - cut)));

      assertThat(read).as("cut at %s", cut).doesNotContain("\0").endsWith("}\n");
      String[] lines = read.split("\n", -1);
      assertThat(new ObjectMapper().readTree(lines[0]).path("note").asText())
          .isEqualTo("ü € 😀 \n \u2028 plain");
      assertThat(new ObjectMapper().readTree(lines[1]).path("next").asText()).isEqualTo("é");
    }
  }

  @Test
  void asciiIsPassedOnUnchanged() {
    ByteBuffer piece = ByteBuffer.wrap("{}\n".getBytes(StandardCharsets.UTF_8));

    assertThat(new AsciiWatches.Escaper().escape(piece)).isSameAs(piece);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://x/api/v1/pods", "http://x/api/v1/pods?limit=500&notwatch=true"})
  void otherAnswersAreUnchanged(String uri) {
    io.fabric8.kubernetes.client.http.AsyncBody.Consumer<List<ByteBuffer>> consumer =
        (pieces, body) -> {};

    assertThat(
            new AsciiWatches()
                .consumer(consumer, new StandardHttpRequest.Builder().uri(uri).build()))
        .isSameAs(consumer);
  }
}
