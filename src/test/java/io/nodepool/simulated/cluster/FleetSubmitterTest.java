package io.nodepool.simulated.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Node;
import io.nodepool.fleet.Answer;
import io.nodepool.kubernetes.thread.Timers;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** When the data centre's writes are sent, delayed and read back, on the test's clock. */
class FleetSubmitterTest {
  private static final Instant START = Instant.parse("2026-01-01T10:00:00Z");
  private static final Duration STEP = Duration.ofMillis(250);
  private static final FleetKey MACHINE = new FleetKey.OfMachine("g1");
  private static final ApiRequest JOIN =
      new ApiRequest(ApiRequest.Verb.POST, "/api/v1/nodes", "{}", "/api/v1/nodes/g1", Node.class);
  private static final Map<String, Object> JOINED = Map.of("Node", "h-1/1");
  private static final Answer<String> DONE = new Answer.Done<>("{}");
  private static final Answer<String> LOST = new Answer.Unknown<>("HTTP 500");

  private static final List<Double> GROWING =
      List.of(0.0, 0.25, 0.75, 1.75, 3.75, 7.75, 15.75, 31.75, 61.75, 91.75);

  private Instant now = START;
  private final Map<FleetKey, Instant> timers = new HashMap<>();
  private final List<Double> writes = new ArrayList<>();
  private final List<Double> reads = new ArrayList<>();
  private Map<String, Object> wanted = Map.of();
  private Answer<String> written = DONE;
  private Answer<String> found = new Answer.Missing<>();
  private final FleetSubmitter submitter =
      new FleetSubmitter(this::send, new FakeTimers(), () -> now, new Scheduling());

  private final class FakeTimers implements Timers<FleetKey> {
    @Override
    public void at(FleetKey key, Instant time) {
      timers.put(key, time);
    }

    @Override
    public void cancel(FleetKey key) {
      timers.remove(key);
    }
  }

  private final class Scheduling implements FleetSubmitter.Outcomes {
    @Override
    public void found(FleetKey key, ApiRequest request, String object) {}

    @Override
    public void missing(FleetKey key, ApiRequest request) {}

    @Override
    public void denied(FleetKey key, ApiRequest request, String why) {}

    @Override
    public void free(FleetKey key) {
      runDue();
    }
  }

  private void send(ApiRequest request, Consumer<Answer<String>> answer) {
    boolean read = request.verb() == ApiRequest.Verb.GET;
    (read ? reads : writes).add(Duration.between(START, now).toMillis() / 1000.0);
    answer.accept(read ? found : written);
  }

  /** Makes the loop want these effects and reconcile the key continuously. */
  private void want(Map<String, Object> effects, Duration time) {
    wanted = effects;
    for (Instant end = now.plus(time); now.isBefore(end); now = now.plus(STEP)) {
      upkeep();
      runDue();
    }
    wanted = Map.of();
  }

  private void runDue() {
    if (!wanted.isEmpty() && submitter.isFree(MACHINE)) {
      submitter.submit(MACHINE, JOIN, wanted);
    }
  }

  private void upkeep() {
    Instant at = timers.get(FleetKey.Upkeep.WRITES);
    if (at != null && !at.isAfter(now)) {
      timers.remove(FleetKey.Upkeep.WRITES);
      submitter.runDue();
    }
  }

  private void pass(Duration time) {
    for (Instant end = now.plus(time); now.isBefore(end); now = now.plus(STEP)) {
      upkeep();
    }
  }

  static Stream<Arguments> endings() {
    return Stream.of(
        Arguments.of("denied", new Answer.Denied<String>("HTTP 403")),
        Arguments.of("refused", new Answer.Refused<String>("HTTP 422")),
        Arguments.of("rejected for load", new Answer.Unavailable<String>("HTTP 429")),
        Arguments.of("unknown and not observed to have taken effect", LOST),
        Arguments.of("done, and the Node is deleted each time", DONE));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("endings")
  void theSameWriteIsRepeatedAtGrowingIntervals(String ending, Answer<String> answer) {
    written = answer;
    want(JOINED, Duration.ofSeconds(100));

    assertThat(writes).isEqualTo(GROWING);
    FleetKey next = answer.equals(LOST) ? FleetKey.Upkeep.WRITES : MACHINE;
    assertThat(timers.get(next)).as("the key is woken when it is free").isAfter(now);
  }

  @Test
  void aLiveReadBetweenTwoFailuresIsNotASuccess() {
    written = LOST;
    want(JOINED, Duration.ofSeconds(100));

    assertThat(reads).isEqualTo(writes.subList(1, writes.size()));
  }

  @Test
  void aSuccessEndsTheFailures() {
    written = LOST;
    want(JOINED, Duration.ofSeconds(10));
    written = DONE;
    want(Map.of("status of a Host", "Running"), Duration.ofSeconds(10));
    writes.clear();
    written = LOST;
    want(JOINED, Duration.ofMillis(750));

    assertThat(writes).hasSize(2);
  }

  @Test
  void aWriteWithoutEffectsDoesNotWait() {
    for (int i = 0; i < 100; i++) {
      submitter.submit(MACHINE, JOIN, Map.of());
    }
    assertThat(writes).hasSize(100);
    assertThat(submitter.sizes().values()).containsOnly(0);
  }

  @Test
  void pastWritesAreForgotten() {
    submitter.submit(MACHINE, JOIN, JOINED);
    written = new Answer.Denied<>("HTTP 403");
    submitter.submit(new FleetKey.OfMachine("g2"), JOIN, JOINED);
    assertThat(submitter.sizes())
        .isEqualTo(
            Map.of(
                "writes under way", 0,
                "writes in doubt", 0,
                "writes that failed", 1,
                "objects written lately", 1));

    pass(Duration.ofMinutes(5));

    assertThat(submitter.sizes().values()).containsOnly(0);
    assertThat(timers).doesNotContainKey(FleetKey.Upkeep.WRITES);
  }
}
