package io.nodepool.kubernetes.write;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import io.fabric8.kubernetes.client.Config;
import io.fabric8.kubernetes.client.ConfigBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.Reply;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.client.WriteGate;
import io.nodepool.plan.EventDraft;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.EventTarget;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The outcome of an Event on a server that answers with a given code. */
class EventWriterTest {
  private static final InstantSource CLOCK =
      InstantSource.fixed(Instant.parse("2026-01-01T10:00:00Z"));

  private final HttpServer server;
  private final KubernetesClient client;
  private final List<EventDraft> lost = new CopyOnWriteArrayList<>();
  private volatile int code;

  EventWriterTest() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.createContext("/", this::answer);
    server.start();
    client =
        Clients.forRequests(
            new ConfigBuilder(Config.empty())
                .withMasterUrl("http://127.0.0.1:" + server.getAddress().getPort())
                .build(),
            new RequestMeter(new SimpleMeterRegistry()));
  }

  @AfterEach
  void stop() {
    server.stop(0);
    client.close();
  }

  private void answer(HttpExchange exchange) throws IOException {
    exchange.getRequestBody().readAllBytes();
    byte[] body = "{\"kind\":\"Status\",\"message\":\"so\"}".getBytes(StandardCharsets.UTF_8);
    exchange.sendResponseHeaders(code, body.length);
    exchange.getResponseBody().write(body);
    exchange.close();
  }

  private EventWriter eventWriter(WriteGate gate) {
    return new EventWriter(new ApiRequests(client, gate), CLOCK, lost::add);
  }

  private static EventDraft eventDraft(
      EventReason reason, String name, String uid, String occasion) {
    return new EventDraft(
        reason, new EventDraft.Regarding(EventTarget.NODE, name, uid), occasion, "message", 1);
  }

  private static final EventDraft CORDONED = eventDraft(EventReason.NODE_CORDONED, "n", "u", "o");

  @ParameterizedTest(name = "HTTP {0}: {1} attempts")
  @CsvSource({"200, 1", "403, 1", "422, 1", "404, 3", "429, 3", "500, 3", "503, 3"})
  void theAnnouncedWriteIsDelayedForAFewAttemptsAtMost(int answer, int tries) {
    EventWriter eventWriter = eventWriter(WriteGate.ALWAYS_OPEN);
    code = answer;
    for (int i = 1; i < tries; i++) {
      assertThat(eventWriter.emit(CORDONED)).get().isInstanceOf(Answer.Unavailable.class);
    }
    assertThat(eventWriter.emit(CORDONED)).isEmpty();
    assertThat(lost).hasSize(answer == 200 ? 0 : 1);
  }

  @Test
  void anEventThatIsFinallyAcceptedIsNotLost() {
    EventWriter eventWriter = eventWriter(WriteGate.ALWAYS_OPEN);
    for (int i = 0; i < 5; i++) {
      code = 429;
      assertThat(eventWriter.emit(CORDONED)).isPresent();
      assertThat(eventWriter.emit(CORDONED)).isPresent();
      code = 201;
      assertThat(eventWriter.emit(CORDONED)).isEmpty();
    }
    assertThat(lost).isEmpty();
  }

  @Test
  void anEventThatCouldNotBeSentIsNotLost() {
    EventWriter eventWriter = eventWriter(() -> false);
    for (int i = 0; i < 10; i++) {
      assertThat(eventWriter.emit(CORDONED)).isPresent();
    }
    assertThat(lost).isEmpty();
  }

  @Test
  void attemptsOfEventsThatAreNoLongerEmittedAreForgotten() {
    EventAttempts tries = new EventAttempts();
    for (int i = 0; i < 5000; i++) {
      tries.isGivenUp("event-" + i, new Reply.Rejected(Reply.TOO_MANY, "so"));
    }
    assertThat(tries.size()).isEqualTo(1000);
  }

  @Test
  void anEventsNameIsDerivedFromReasonUidAndOccasion() {
    String name = EventWriter.name(eventDraft(EventReason.NODE_CORDONED, "n", "u", "o"));

    assertThat(name)
        .matches("n\\.[0-9a-f]{16}")
        .isEqualTo(EventWriter.name(eventDraft(EventReason.NODE_CORDONED, "n", "u", "o")))
        .isNotEqualTo(EventWriter.name(eventDraft(EventReason.NODE_DRAINING, "n", "u", "o")))
        .isNotEqualTo(EventWriter.name(eventDraft(EventReason.NODE_CORDONED, "n", "v", "o")))
        .isNotEqualTo(EventWriter.name(eventDraft(EventReason.NODE_CORDONED, "n", "u", "p")));
  }

  @Test
  void aLongNameLeavesRoomForTheHash() {
    String name =
        EventWriter.name(eventDraft(EventReason.NODE_CORDONED, "x".repeat(253), "u", "o"));

    assertThat(name).hasSize(253).matches("x+\\.[0-9a-f]{16}");
  }
}
