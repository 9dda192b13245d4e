package io.nodepool.kubernetes;

import io.nodepool.control.Writer;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Host;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.plan.Notice;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The way out to an API server. Requests run beside the decision thread, a bounded number at once
 * and pools taking turns; their answers come back on it.
 */
public final class KubernetesWriter implements Writer, AutoCloseable {
  /** The owner of the fields that we apply. */
  public static final String FIELD_MANAGER = "nodepool-operator";

  private static final Logger log = LoggerFactory.getLogger(KubernetesWriter.class);
  private static final int AT_ONCE = 16;
  private static final Duration DRAIN = Duration.ofSeconds(10);

  private final HostRequests hosts;
  private final NodeRequests nodes;
  private final PoolRequests pools;
  private final EventTeller events;
  private final Executor decisions;
  private final Function<Action.Subject, String> poolOf;
  private final FairLanes lanes = new FairLanes(AT_ONCE, DRAIN);

  /**
   * A writer.
   *
   * @param decisions the decision thread, which gets the answers
   * @param poolOf the UID of the pool that an object belongs to, or empty text; asked on the
   *     caller's thread
   */
  public KubernetesWriter(
      ApiRequests requests,
      InstantSource clock,
      Executor decisions,
      Function<Action.Subject, String> poolOf) {
    this.hosts = new HostRequests(requests);
    this.nodes = new NodeRequests(requests, clock);
    this.pools = new PoolRequests(requests);
    this.events = new EventTeller(requests, clock);
    this.decisions = decisions;
    this.poolOf = poolOf;
  }

  @Override
  public void submit(List<Notice> notices, Action action, Consumer<Answer<Observation>> answer) {
    String share =
        action instanceof Action.OnHost onHost
            ? onHost.operation().pool().uid()
            : poolOf.apply(action.subject());
    run(share, () -> tellAndPerform(notices, action), answer);
  }

  @Override
  public void read(Action.Subject subject, Consumer<Answer<Observation>> answer) {
    run(poolOf.apply(subject), () -> read(subject), answer);
  }

  /** Writes and reads that are not answered yet. */
  public int pending() {
    return lanes.pending();
  }

  private void run(
      String share, Supplier<Answer<Observation>> work, Consumer<Answer<Observation>> answer) {
    lanes.execute(
        share,
        () -> post(answer, guarded(work)),
        () -> post(answer, new Answer.Unavailable<>("the operator is stopping")));
  }

  /** Whatever goes wrong, there is an answer; after a surprise nobody knows what took effect. */
  private static Answer<Observation> guarded(Supplier<Answer<Observation>> work) {
    try {
      return work.get();
    } catch (RuntimeException e) {
      log.error("a write met what it did not expect", e);
      return new Answer.Unknown<>(e.toString());
    }
  }

  private void post(Consumer<Answer<Observation>> answer, Answer<Observation> what) {
    try {
      decisions.execute(() -> answer.accept(what));
    } catch (RejectedExecutionException e) {
      log.debug("nobody waits for the answer {} any more", what);
    }
  }

  private Answer<Observation> tellAndPerform(List<Notice> notices, Action action) {
    for (Notice notice : notices) {
      Optional<Answer<Observation>> failure = events.tell(notice);
      if (failure.isPresent()) {
        return failure.get();
      }
    }
    return perform(action);
  }

  private Answer<Observation> perform(Action action) {
    return switch (action) {
      case Action.OnHost onHost -> observed(hosts.perform(onHost.operation()));
      case Action.ReportNode report -> nodes.report(report);
      case Action.Cordon cordon -> nodes.cordon(cordon);
      case Action.DeleteNode delete -> nodes.delete(delete);
      case Action.PublishStatus publish -> pools.publish(publish);
      case Action.ConfirmEmpty confirm -> pools.confirmEmpty(confirm.pool());
    };
  }

  private Answer<Observation> read(Action.Subject subject) {
    return switch (subject) {
      case Action.Subject.OfHost(var host) -> {
        Answer<Host> answer = hosts.read(host);
        yield answer instanceof Answer.Missing<Host>
            ? new Answer.Done<>(new Observation.HostGone(host, 0))
            : observed(answer);
      }
      case Action.Subject.OfNode(String name, String uid) -> nodes.read(name, uid);
      case Action.Subject.OfPool(var pool) -> pools.read(pool);
    };
  }

  private static Answer<Observation> observed(Answer<Host> answer) {
    return switch (answer) {
      case Answer.Done<Host>(Host host) -> new Answer.Done<>(new Observation.HostSeen(host));
      case Answer.Refused<Host>(String why) -> new Answer.Refused<>(why);
      case Answer.Missing<Host> _ -> new Answer.Missing<>();
      case Answer.Unavailable<Host>(String why) -> new Answer.Unavailable<>(why);
      case Answer.Unknown<Host>(String why) -> new Answer.Unknown<>(why);
    };
  }

  /** Sends nothing further, and waits up to 10 s for what is under way. */
  @Override
  public void close() {
    lanes.close();
  }
}
