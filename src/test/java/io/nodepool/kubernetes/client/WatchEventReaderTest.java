package io.nodepool.kubernetes.client;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import com.fasterxml.jackson.databind.JsonNode;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.KubernetesResource;
import io.fabric8.kubernetes.api.model.Status;
import io.fabric8.kubernetes.api.model.WatchEvent;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.fabric8.kubernetes.client.http.AsyncBody;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.StandardHttpRequest;
import java.lang.ref.Reference;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class WatchEventReaderTest {
  private static final String OWNERS =
      "[{\"manager\":\"a\\\"]\",\"fieldsV1\":{\"f:x\":{\"k:{\\\"t\\\":[1]}\":{}}}},{\"l\":[[]]}]";
  private static final String NODE =
      "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":{"
          + "\"annotations\":{\"note\":\"ü € 😀 \\n \u2028 plain\"},\"managedFields\":"
          + OWNERS
          + ",\"name\":\"n\"}}}\n";
  private static final String POD =
      "{\"type\":\"DELETED\",\"object\":{\"kind\":\"Pod\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"é\"}}}\n";

  private final ApiSerialization serialization = ApiSerialization.shared();
  private final FakeBody body = new FakeBody();
  private final List<String> texts = new ArrayList<>();
  private final List<WatchEvent> events = new ArrayList<>();

  /** Treats the bytes of each chunk as characters, as the client does. */
  private AsyncBody.Consumer<List<ByteBuffer>> client() {
    StringBuilder line = new StringBuilder();
    return (pieces, from) -> {
      for (ByteBuffer piece : pieces) {
        for (char character : StandardCharsets.UTF_8.decode(piece).array()) {
          if (character == '\n') {
            texts.add(line.toString());
            read(line.toString());
            line.setLength(0);
          } else {
            line.append(character);
          }
        }
      }
      from.consume();
    };
  }

  private static AsyncBody.Consumer<List<ByteBuffer>> collecting(StringBuilder lines) {
    return (pieces, from) -> pieces.forEach(piece -> lines.append(text(piece)));
  }

  private static String text(ByteBuffer piece) {
    return StandardCharsets.UTF_8.decode(piece).toString();
  }

  private void read(String line) {
    events.add(serialization.unmarshal(line, WatchEvent.class));
  }

  private static HttpRequest request(String uri) {
    return new StandardHttpRequest.Builder().uri(uri).build();
  }

  private AsyncBody.Consumer<List<ByteBuffer>> reader() {
    return reader(client());
  }

  private AsyncBody.Consumer<List<ByteBuffer>> reader(AsyncBody.Consumer<List<ByteBuffer>> client) {
    return new WatchEventReader(serialization)
        .consumer(client, request("http://x/api/v1/nodes?limit=1&watch=true"));
  }

  private List<String> types() {
    return events.stream().map(WatchEvent::getType).toList();
  }

  private static ByteBuffer bytes(String text) {
    return ByteBuffer.wrap(text.getBytes(StandardCharsets.UTF_8)).asReadOnlyBuffer();
  }

  private static HasMetadata object(WatchEvent event) {
    return (HasMetadata) event.getObject();
  }

  @Test
  void eventsAreReadWhereverTheyAreCut() throws Exception {
    byte[] stream = (NODE + POD).getBytes(StandardCharsets.UTF_8);
    for (int cut = 0; cut <= stream.length; cut++) {
      events.clear();
      AsyncBody.Consumer<List<ByteBuffer>> reader = reader();
      reader.consume(List.of(ByteBuffer.wrap(stream, 0, cut)), body);
      reader.consume(List.of(ByteBuffer.wrap(stream, cut, stream.length - cut)), body);

      assertThat(types()).as("cut at %s", cut).containsExactly("ADDED", "DELETED");
      assertThat(object(events.getFirst()).getMetadata().getAnnotations())
          .containsEntry("note", "ü € 😀 \n \u2028 plain");
      assertThat(object(events.getFirst()).getMetadata().getName()).isEqualTo("n");
      assertThat(object(events.getFirst()).getMetadata().getManagedFields()).isEmpty();
      assertThat(object(events.getLast()).getMetadata().getName()).isEqualTo("é");
    }
  }

  @Test
  void theClientGetsAShortLineForAnEvent() throws Exception {
    reader().consume(List.of(bytes(NODE + POD), bytes(POD)), body);

    assertThat(texts)
        .hasSize(3)
        .doesNotHaveDuplicates()
        .allSatisfy(text -> assertThat(text).hasSizeLessThan(60));
    assertThat(types()).containsExactly("ADDED", "DELETED", "DELETED");
  }

  @Test
  void linesMayBeReadLaterAndOnAnotherThread() throws Exception {
    StringBuilder lines = new StringBuilder();
    reader(collecting(lines)).consume(List.of(bytes(NODE + POD)), body);

    Thread.ofVirtual().start(() -> lines.toString().lines().forEach(this::read)).join();

    assertThat(types()).containsExactly("ADDED", "DELETED");
  }

  @Test
  void aLineThatIsReadInAnotherWayOrTwiceIsNoObject() throws Exception {
    StringBuilder lines = new StringBuilder();
    reader(collecting(lines)).consume(List.of(bytes(NODE)), body);
    String line = lines.toString().strip();

    assertThatThrownBy(() -> serialization.unmarshal(line, JsonNode.class))
        .isInstanceOf(KubernetesClientException.class);
    assertThatThrownBy(() -> serialization.unmarshal(line, KubernetesResource.class))
        .isInstanceOf(KubernetesClientException.class);
    read(line);
    assertThatThrownBy(() -> read(line)).isInstanceOf(KubernetesClientException.class);
  }

  @Test
  void anEventThatIsNotReadIsDroppedWithItsWatch() throws Exception {
    String line = lineOfAWatch();

    await()
        .untilAsserted(() -> {
          System.gc();
          assertThat(serialization.keeps(line)).isFalse();
        });
  }

  /** A line that is not read, of a watch that is held no longer when this returns. */
  private String lineOfAWatch() throws Exception {
    StringBuilder lines = new StringBuilder();
    AsyncBody.Consumer<List<ByteBuffer>> reader = reader(collecting(lines));
    try {
      reader.consume(List.of(bytes(NODE)), body);
      System.gc();
      assertThat(serialization.keeps(lines.toString().strip())).isTrue();
      return lines.toString().strip();
    } finally {
      Reference.reachabilityFence(reader);
    }
  }

  @Test
  void moreIsRequestedOncePerDelivery() throws Exception {
    AsyncBody.Consumer<List<ByteBuffer>> reader = reader();
    reader.consume(List.of(bytes(NODE + POD)), body);
    reader.consume(List.of(bytes("{\"type\"")), body);

    assertThat(body.requested).isEqualTo(2);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "null",
        "no event",
        "{\"type\":\"ADDED\",\"object\":null}",
        "{\"type\":\"ERROR\",\"object\":7}",
        "{\"type\":\"ADDED\",\"object\":{\"kind\":\"Node\",\"apiVersion\":\"v1\",\"metadata\":7}}"
      })
  void whatTheClientCannotUseIsPassedOnAsText(String line) throws Exception {
    List<String> seen = new ArrayList<>();
    reader((pieces, from) -> pieces.forEach(piece -> seen.add(text(piece))))
        .consume(List.of(bytes(NODE + line + "\n\n" + POD)), body);

    assertThat(seen).hasSize(3);
    assertThat(seen.get(1)).isEqualTo(line + "\n");
    read(seen.getFirst().strip());
    read(seen.getLast().strip());
    assertThat(types()).containsExactly("ADDED", "DELETED");
  }

  @Test
  void textAndEventsAreReadInTheirOrder() throws Exception {
    String text = "{\"type\":\"ü € 😀\",\"object\":null}\n";

    reader().consume(List.of(bytes(NODE + text), bytes(POD)), body);

    assertThat(texts.get(1))
        .isEqualTo("{\"type\":\"\\u00fc \\u20ac \\ud83d\\ude00\",\"object\":null}");
    assertThat(types()).containsExactly("ADDED", "ü € 😀", "DELETED");
  }

  @Test
  void aDeliveryThatEndsEarlyDoesNotAffectTheNextOne() throws Exception {
    AsyncBody.Consumer<List<ByteBuffer>> client = client();
    List<Integer> deliveries = new ArrayList<>();
    AsyncBody.Consumer<List<ByteBuffer>> reader =
        reader((pieces, from) -> {
          deliveries.add(pieces.size());
          switch (deliveries.size()) {
            case 2 -> from.consume();
            case 3 -> throw new IllegalStateException("the watch is closed");
            default -> client.consume(pieces, from);
          }
        });

    reader.consume(List.of(bytes(NODE)), body);
    reader.consume(List.of(bytes(NODE + NODE)), body);
    assertThatThrownBy(() -> reader.consume(List.of(bytes(NODE)), body))
        .isInstanceOf(IllegalStateException.class);
    reader.consume(List.of(bytes(POD)), body);

    assertThat(deliveries).containsExactly(1, 2, 1, 1);
    assertThat(types()).containsExactly("ADDED", "DELETED");
  }

  @Test
  void aDeliveryWithinAnotherHasItsOwnEvents() throws Exception {
    AsyncBody.Consumer<List<ByteBuffer>> client = client();
    AsyncBody.Consumer<List<ByteBuffer>> inner = reader();
    AsyncBody.Consumer<List<ByteBuffer>> outer =
        reader((pieces, from) -> {
          inner.consume(List.of(bytes(POD)), from);
          client.consume(pieces, from);
        });

    outer.consume(List.of(bytes(NODE)), body);

    assertThat(types()).containsExactly("DELETED", "ADDED");
  }

  @Test
  void anErrorIsReadAsAStatus() throws Exception {
    reader()
        .consume(
            List.of(
                bytes(
                    "{\"type\":\"ERROR\",\"object\":{\"kind\":\"Status\",\"apiVersion\":\"v1\",\"code\":410}}\n")),
            body);

    assertThat(events.getFirst().getObject())
        .isInstanceOfSatisfying(
            Status.class, status -> assertThat(status.getCode()).isEqualTo(410));
  }

  @Test
  void textsOutsideOfADeliveryAreReadAsUsual() throws Exception {
    reader().consume(List.of(bytes(NODE)), body);

    assertThat(serialization.unmarshal("{\"type\":\"ADDED\"}", WatchEvent.class).getType())
        .isEqualTo("ADDED");
    WatchEvent nothing = serialization.unmarshal("", WatchEvent.class);
    assertThat(nothing).isNull();
    assertThat(serialization.unmarshal("{\"a\":1}", JsonNode.class).path("a").asInt()).isEqualTo(1);
  }

  @ParameterizedTest
  @ValueSource(strings = {"http://x/api/v1/pods", "http://x/api/v1/pods?limit=500&notwatch=true"})
  void otherResponsesAreUnchanged(String uri) {
    AsyncBody.Consumer<List<ByteBuffer>> consumer = (pieces, from) -> {};

    assertThat(new WatchEventReader(serialization).consumer(consumer, request(uri)))
        .isSameAs(consumer);
  }
}
