package io.nodepool.kubernetes.operator;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.client.KubernetesClientException;
import io.javaoperatorsdk.operator.api.reconciler.Context;
import io.javaoperatorsdk.operator.api.reconciler.DeleteControl;
import io.javaoperatorsdk.operator.api.reconciler.UpdateControl;
import io.javaoperatorsdk.operator.processing.event.EventProcessor;
import io.nodepool.control.PoolLoop;
import io.nodepool.kubernetes.api.NodePool;
import io.nodepool.kubernetes.thread.Timers;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.slf4j.LoggerFactory;

/** The waits of the pools' loop do not use the runtime's timers, which use the wall clock. */
class PoolReconcilerTest {
  private static final Instant NOW = Instant.parse("2026-11-21T05:02:00Z");

  private final Map<String, Instant> pending = new TreeMap<>();
  private PoolLoop.Outcome outcome = new PoolLoop.Outcome(Optional.empty(), false);

  private final Timers<String> timers =
      new Timers<>() {
        @Override
        public void at(String key, Instant time) {
          pending.put(key, time);
        }

        @Override
        public void cancel(String key) {
          pending.remove(key);
        }
      };

  private final PoolReconciler reconciler =
      new PoolReconciler(
          name -> outcome, new PoolEventSource(seen -> {}), timers, InstantSource.fixed(NOW));

  private static NodePool pool() {
    NodePool pool = new NodePool();
    pool.setMetadata(new ObjectMetaBuilder().withName("a").build());
    return pool;
  }

  /** A context that must not be used. */
  @SuppressWarnings("unchecked")
  private static Context<NodePool> context() {
    return (Context<NodePool>)
        Proxy.newProxyInstance(
            Context.class.getClassLoader(),
            new Class<?>[] {Context.class},
            (proxy, method, arguments) -> {
              throw new UnsupportedOperationException(method.getName());
            });
  }

  @Test
  void theLoopIsRunAgainByItsOwnTimer() {
    outcome = new PoolLoop.Outcome(Optional.of(NOW.plusSeconds(9)), false);
    UpdateControl<NodePool> control = reconciler.reconcile(pool(), context());

    assertThat(control.getScheduleDelay()).isEmpty();
    assertThat(pending).containsExactly(Map.entry("a", NOW.plusSeconds(9)));

    outcome = new PoolLoop.Outcome(Optional.empty(), false);
    reconciler.reconcile(pool(), context());
    assertThat(pending).isEmpty();
  }

  @Test
  void aPoolThatIsBeingDeletedAlsoWaitsByItsOwnTimerUntilReleased() {
    outcome = new PoolLoop.Outcome(Optional.of(NOW.plusSeconds(9)), false);
    DeleteControl waiting = reconciler.cleanup(pool(), context());
    assertThat(waiting.isRemoveFinalizer()).isFalse();
    assertThat(waiting.getScheduleDelay()).isEmpty();
    assertThat(pending).containsExactly(Map.entry("a", NOW.plusSeconds(9)));

    outcome = new PoolLoop.Outcome(Optional.empty(), true);
    assertThat(reconciler.cleanup(pool(), context()).isRemoveFinalizer()).isTrue();
    assertThat(pending).isEmpty();
  }

  @Test
  void aFailureOfTheRuntimeIsRetriedWithoutItsTimers() {
    reconciler.failedReconciliation(pool(), new IllegalStateException("on purpose"), Map.of());

    assertThat(pending).containsExactly(Map.entry("a", NOW.plusSeconds(30)));
  }

  /** The runtime would log its trace. A pool may be gone before its finalizer is removed. */
  @ParameterizedTest
  @CsvSource({"403, 1", "404, 0"})
  void aFinalizerThatCannotBeWrittenIsOneLineUnlessItsPoolIsGone(int code, int lines)
      throws IOException {
    ListAppender<ILoggingEvent> log = new ListAppender<>();
    log.start();
    Logger logger = (Logger) LoggerFactory.getLogger(PoolReconciler.class);
    logger.addAppender(log);
    reconciler.failedReconciliation(
        pool(), new KubernetesClientException("on purpose", code, null), Map.of());
    logger.detachAppender(log);

    assertThat(log.list)
        .hasSize(lines)
        .allSatisfy(line -> {
          assertThat(line.getFormattedMessage())
              .isEqualTo(
                  "pool a: its finalizer could not be written, which is retried: on purpose");
          assertThat(line.getThrowableProxy()).isNull();
        });
    assertThat(Files.readString(Path.of("src/main/resources/logback.xml")))
        .contains("\"%s\" level=\"OFF\"".formatted(EventProcessor.class.getName()));
  }
}
