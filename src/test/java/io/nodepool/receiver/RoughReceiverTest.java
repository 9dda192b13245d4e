package io.nodepool.receiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.fabric8.kubernetes.client.KubernetesClient;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.nodepool.fleet.HostId;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.http.BearerToken;
import io.nodepool.http.Endpoint;
import io.nodepool.kubernetes.api.HostSignalsResource;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.client.Clients;
import io.nodepool.kubernetes.client.RequestMeter;
import io.nodepool.kubernetes.client.WriteGate;
import io.nodepool.kubernetes.convert.SignalConversion;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Two replicas receive the alerts of a few groups in turn, on an API server that refuses requests
 * and loses answers, and their watches lag. What was answered 200 is stored, as it was sent.
 */
@Timeout(300)
@Tag("slow")
class RoughReceiverTest {
  private static final String TOKEN = "the-token-of-the-test";
  private static final Instant BEGUN = Instant.parse("2026-11-27T08:00:00Z");
  private static final int HOSTS = 3;
  private static final int GROUPS = 4;
  private static final int STEPS = 120;
  private static final long SEED = Long.getLong("receiver.seed", 1);

  @TempDir private Path folder;

  /** An alert of a group: that of its GPU on one Host. */
  private static final class Alert {
    private final String host;
    private final int gpu;
    private Instant since = BEGUN;
    private Optional<Instant> ended = Optional.empty();

    Alert(String host, int gpu) {
      this.host = host;
      this.gpu = gpu;
    }

    void turn(Instant now) {
      if (ended.isEmpty()) {
        ended = Optional.of(now);
      } else {
        since = now;
        ended = Optional.empty();
      }
    }

    String text() {
      String[] labels = {"alertname=GPUFallenOffBus", "node=" + host, "gpu=" + gpu};
      return ended
          .map(end -> Bodies.resolved(since.toString(), end.toString(), labels))
          .orElseGet(() -> Bodies.firing(since.toString(), labels));
    }

    String key() {
      return "alertmanager.gpu%d.GPUFallenOffBus".formatted(gpu);
    }
  }

  /** A fault in how signals are written. */
  enum Fault {
    LOST_AFTER_200 {
      @Override
      SignalStore.Write in(SignalStore.Write write) {
        AtomicInteger writes = new AtomicInteger();
        return (host, signals) ->
            writes.incrementAndGet() % 10 == 0 ? WriteOutcome.STORED : write.write(host, signals);
      }
    },
    FAILURE_TAKEN_FOR_SUCCESS {
      @Override
      SignalStore.Write in(SignalStore.Write write) {
        return (host, signals) -> {
          var _ = write.write(host, signals);
          return WriteOutcome.STORED;
        };
      }
    },
    WRITTEN_ABOUT_ANOTHER_HOST {
      @Override
      SignalStore.Write in(SignalStore.Write write) {
        return (host, signals) ->
            write.write(host.name().equals("g1") ? new HostId("g2", "uid-2") : host, signals);
      }
    },
    ONE_OF_SEVERAL_WRITTEN {
      @Override
      SignalStore.Write in(SignalStore.Write write) {
        return (host, signals) ->
            write.write(host, java.util.Map.ofEntries(signals.entrySet().iterator().next()));
      }
    };

    abstract SignalStore.Write in(SignalStore.Write write);
  }

  /** A replica: its receiver, and what it knows. */
  private final class Replica implements AutoCloseable {
    private final StoredSignals stored = new StoredSignals();
    private final KubernetesClient client;
    private final SignalStore store;
    private final AlertReceiver receiver;

    Replica(SignalsServer server, Instants now, UnaryOperator<SignalStore.Write> fault)
        throws IOException {
      HostNames names = new HostNames();
      for (int host = 0; host < HOSTS; host++) {
        names.seen(new HostId("g" + host, "uid-" + host), "");
      }
      ReceiverMeters meters = new ReceiverMeters(new SimpleMeterRegistry(), System::nanoTime);
      client = Clients.forRequests(server.config(), new RequestMeter(new SimpleMeterRegistry()));
      SignalWriter writer =
          new SignalWriter(
              new ApiRequests(client, WriteGate.ALWAYS_OPEN),
              stored,
              AlertCatalogue::shipped,
              meters);
      store = new SignalStore(fault.apply(writer::write), 4, Duration.ofSeconds(60));
      receiver =
          new AlertReceiver(
              new BearerToken(Files.writeString(folder.resolve("token"), TOKEN)),
              () -> true,
              names,
              stored,
              store,
              () -> {},
              now::now,
              AlertReceiver.Limits.DEFAULTS,
              meters);
    }

    int post(List<Alert> alerts) throws IOException {
      byte[] body =
          Bodies.of(alerts.stream().map(Alert::text).toList()).getBytes(StandardCharsets.UTF_8);
      Endpoint.Page page =
          receiver.receive("Bearer " + TOKEN, body.length, new ByteArrayInputStream(body));
      return page.code();
    }

    /** Its watch shows all that is stored. */
    void watch(SignalsServer server) {
      server
          .objects()
          .values()
          .forEach(object ->
              stored.observed(
                  SignalConversion.signals(
                      new ObjectMapper().convertValue(object, HostSignalsResource.class))));
    }

    @Override
    public void close() {
      store.close();
      client.close();
    }
  }

  /** The wall clock of a play. */
  private static final class Instants {
    private Instant now = BEGUN;

    Instant now() {
      return now;
    }
  }

  private static SignalsServer.Fate fate(SplittableRandom random) {
    int throwOf = random.nextInt(10);
    return throwOf < 7
        ? SignalsServer.Fate.ANSWERED
        : throwOf < 9 ? SignalsServer.Fate.REFUSED : SignalsServer.Fate.ANSWER_LOST;
  }

  private void play(long seed, UnaryOperator<SignalStore.Write> fault) throws IOException {
    SplittableRandom random = new SplittableRandom(seed);
    SplittableRandom fates = random.split();
    Instants now = new Instants();
    List<List<Alert>> groups = new ArrayList<>();
    for (int gpu = 0; gpu < GROUPS; gpu++) {
      List<Alert> alerts = new ArrayList<>();
      // Two GPUs of each Host are in one group, so that one notification changes a Host twice.
      for (int host = 0; host < HOSTS; host++) {
        alerts.add(new Alert("g" + host, 2 * gpu));
        alerts.add(new Alert("g" + host, 2 * gpu + 1));
      }
      groups.add(alerts);
    }
    try (SignalsServer server = new SignalsServer(() -> fate(fates));
        Replica one = new Replica(server, now, fault);
        Replica two = new Replica(server, now, fault)) {
      List<Replica> replicas = List.of(one, two);
      for (int step = 0; step < STEPS; step++) {
        now.now = now.now.plusSeconds(1 + random.nextInt(30));
        List<Alert> group = groups.get(random.nextInt(GROUPS));
        group.stream().filter(_ -> random.nextInt(3) == 0).forEach(alert -> alert.turn(now.now));
        post(server, replicas.get(random.nextInt(2)), group);
        replicas.stream().filter(_ -> random.nextInt(3) > 0).forEach(each -> each.watch(server));
      }
      for (List<Alert> group : groups) {
        int attempts = 0;
        while (!post(server, replicas.get(random.nextInt(2)), group)) {
          assertThat(attempts++).as("attempts").isLessThan(100);
        }
      }
    }
  }

  /** Posts the newest state of a group; returns whether it was answered 200, and then checks. */
  private static boolean post(SignalsServer server, Replica replica, List<Alert> group)
      throws IOException {
    int code = replica.post(group);
    assertThat(code).isIn(200, 503);
    if (code == 200) {
      for (Alert alert : group) {
        Optional<JsonNode> entry = server.entry(alert.host, alert.key());
        assertThat(entry).as("%s of %s", alert.key(), alert.host).isPresent();
        assertThat(entry.get().path("since").asText())
            .as("since of %s of %s", alert.key(), alert.host)
            .isEqualTo(alert.since.toString());
        assertThat(Optional.ofNullable(entry.get().get("endedAt")).map(JsonNode::asText))
            .as("end of %s of %s", alert.key(), alert.host)
            .isEqualTo(alert.ended.map(Instant::toString));
      }
    }
    return code == 200;
  }

  @ParameterizedTest
  @ValueSource(longs = {0, 1, 2, 3, 4, 5, 6, 7})
  void whatWasAnswered200IsStored(long seed) throws IOException {
    play(SEED + seed, UnaryOperator.identity());
  }

  @ParameterizedTest
  @EnumSource(Fault.class)
  void aFaultInTheWritesIsFound(Fault fault) {
    assertThatThrownBy(() -> play(SEED, fault::in)).isInstanceOf(AssertionError.class);
  }
}
