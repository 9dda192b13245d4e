package io.nodepool.receiver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import io.nodepool.fleet.HostId;
import io.nodepool.health.Signal;
import io.nodepool.health.SignalKey;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class SignalStoreTest {
  private static final Duration LONG = Duration.ofMinutes(1);
  private static final HostId FIRST = new HostId("g1", "uid-1");
  private static final HostId SECOND = new HostId("g2", "uid-2");
  private static final Instant SINCE = Instant.parse("2026-11-26T18:00:00Z");

  /** A write that was begun and is answered by the test. */
  private record Begun(
      HostId host, Map<SignalKey, Signal> signals, CompletableFuture<WriteOutcome> answer) {}

  private final BlockingQueue<Begun> begun = new LinkedBlockingQueue<>();
  private final List<Begun> all = new CopyOnWriteArrayList<>();
  private final List<SignalStore> stores = new CopyOnWriteArrayList<>();

  private SignalStore store(int atOnce, Duration longestWait) {
    SignalStore store =
        new SignalStore(
            (host, signals) -> {
              Begun next = new Begun(host, Map.copyOf(signals), new CompletableFuture<>());
              all.add(next);
              begun.add(next);
              return next.answer().join();
            },
            atOnce,
            longestWait);
    stores.add(store);
    return store;
  }

  @AfterEach
  void close() {
    all.forEach(each -> each.answer().complete(WriteOutcome.STORED));
    stores.forEach(SignalStore::close);
  }

  private Begun next() throws InterruptedException {
    Begun next = begun.poll(30, TimeUnit.SECONDS);
    assertThat(next).as("a write").isNotNull();
    return next;
  }

  private static Map<SignalKey, Signal> signal(String name) {
    Signal signal = Signal.standing(new SignalKey("alertmanager", "host", name), SINCE);
    return Map.of(signal.key(), signal);
  }

  private static Map<SignalKey, Signal> over(String name) {
    Signal signal = Signal.standing(new SignalKey("alertmanager", "host", name), SINCE);
    return Map.of(signal.key(), signal.endedAt(SINCE.plusSeconds(60)));
  }

  @Test
  void whatArrivesDuringAWriteOfAHostIsWrittenTogetherAfterIt() throws Exception {
    SignalStore store = store(8, LONG);
    var one = store.store(FIRST, signal("A"));
    Begun first = next();
    var two = store.store(FIRST, signal("B"));
    var three = store.store(FIRST, signal("C"));
    var four = store.store(FIRST, over("C"));
    assertThat(begun).isEmpty();

    first.answer().complete(WriteOutcome.STORED);
    assertThat(one.get()).isEqualTo(WriteOutcome.STORED);
    Begun second = next();
    assertThat(second.signals().values())
        .extracting(Signal::name, Signal::stands)
        .containsExactlyInAnyOrder(tuple("B", true), tuple("C", false));
    WriteOutcome no = WriteOutcome.failed(second.signals().keySet(), "no");
    second.answer().complete(no);

    assertThat(List.of(two.get(), three.get(), four.get())).containsOnly(no);
  }

  @Test
  void hostsAreWrittenBesideEachOther() throws Exception {
    SignalStore store = store(8, LONG);
    var _ = store.store(FIRST, signal("A"));
    var _ = store.store(SECOND, signal("A"));

    assertThat(List.of(next().host(), next().host())).containsExactlyInAnyOrder(FIRST, SECOND);
  }

  @Test
  void aWriteThatGetsNoPlaceInTimeIsNotBegun() throws Exception {
    SignalStore store = store(1, Duration.ZERO);
    var first = store.store(FIRST, signal("A"));
    Begun only = next();

    assertThat(store.store(SECOND, signal("A")).get().why())
        .isEqualTo("too many other signals are being stored");
    assertThat(begun).isEmpty();

    only.answer().complete(WriteOutcome.STORED);
    assertThat(first.get()).isEqualTo(WriteOutcome.STORED);
    var later = store.store(SECOND, signal("A"));
    next().answer().complete(WriteOutcome.STORED);
    assertThat(later.get()).isEqualTo(WriteOutcome.STORED);
  }

  @Test
  void aWriteThatThrowsIsNoneAndTheNextOneIsMade() throws Exception {
    SignalStore store = store(1, LONG);
    var failing = store.store(FIRST, signal("A"));
    next().answer().completeExceptionally(new IllegalStateException("broken"));
    assertThat(failing.get().others()).containsValue(AlertOutcome.FAILED);

    var later = store.store(FIRST, signal("A"));
    next().answer().complete(WriteOutcome.STORED);
    assertThat(later.get()).isEqualTo(WriteOutcome.STORED);
  }
}
