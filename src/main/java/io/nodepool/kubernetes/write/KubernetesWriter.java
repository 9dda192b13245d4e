package io.nodepool.kubernetes.write;

import io.nodepool.control.Writer;
import io.nodepool.fleet.Answer;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostAccess;
import io.nodepool.kubernetes.client.ApiRequests;
import io.nodepool.kubernetes.thread.FairLanes;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.plan.EventDraft;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Executor;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The writer to an API server. Requests run on threads other than the decision thread, a bounded
 * number at once, and pools take turns; answers are delivered on the decision thread.
 */
public final class KubernetesWriter implements Writer {
  /** The field manager of applied fields. */
  public static final String FIELD_MANAGER = "nodepool-operator";

  private final HostAccess fleet;
  private final NodeRequests nodes;
  private final PodRequests pods;
  private final PoolRequests pools;
  private final NamespaceRequests namespaces;
  private final JobRequests jobs;
  private final EventWriter events;
  private final FairLanes lanes;
  private final Executor decisions;
  private final Function<Action.Subject, String> poolOf;

  /**
   * A writer.
   *
   * @param fleet receives operations on Hosts
   * @param lanes run the requests
   * @param decisions the decision thread, on which answers are delivered
   * @param poolOf returns the UID of the pool that an object belongs to, or empty text; called on
   *     the caller's thread
   * @param lost receives, on any thread, each Event that is given up
   */
  public KubernetesWriter(
      ApiRequests requests,
      HostAccess fleet,
      InstantSource clock,
      FairLanes lanes,
      Executor decisions,
      Function<Action.Subject, String> poolOf,
      Consumer<EventDraft> lost) {
    this.fleet = fleet;
    this.nodes = new NodeRequests(requests, clock);
    this.pods = new PodRequests(requests, clock);
    this.pools = new PoolRequests(requests);
    this.namespaces = new NamespaceRequests(requests);
    this.jobs = new JobRequests(requests);
    this.events = new EventWriter(requests, clock, lost);
    this.lanes = lanes;
    this.decisions = decisions;
    this.poolOf = poolOf;
  }

  @Override
  public void submit(
      List<EventDraft> eventDrafts, Action action, Consumer<Answer<Observation>> answer) {
    String pool =
        action instanceof Action.OnHost onHost
            ? onHost.operation().pool().uid()
            : poolOf.apply(action.subject());
    if (eventDrafts.isEmpty()) {
      perform(action, request -> run(pool, request, answer), answer);
      return;
    }
    // The action is sent on the same lane: queued again, it would wait behind all later tasks. Only
    // an operation on a Host is queued again, by the fleet.
    lanes.execute(
        pool,
        () ->
            emit(eventDrafts)
                .ifPresentOrElse(
                    failure -> post(answer, failure),
                    () ->
                        perform(
                            action, request -> post(answer, FairLanes.answered(request)), answer)),
        () -> post(answer, FairLanes.stopping()));
  }

  @Override
  public void read(Action.Subject subject, Consumer<Answer<Observation>> answer) {
    switch (subject) {
      case Action.Subject.OfHost(var host) ->
          fleet.read(
              host,
              found ->
                  post(
                      answer,
                      found instanceof Answer.Missing<Host>
                          ? new Answer.Done<>(new Observation.HostGone(host, 0))
                          : observed(found)));
      case Action.Subject.OfNode(String name, String uid) ->
          run(poolOf.apply(subject), () -> nodes.read(name, uid), answer);
      case Action.Subject.OfPod pod -> run(poolOf.apply(subject), () -> pods.read(pod), answer);
      case Action.Subject.OfNamespace(String name, String uid) ->
          run(poolOf.apply(subject), () -> namespaces.read(name, uid), answer);
      case Action.Subject.OfPool(var pool) -> run(pool.uid(), () -> pools.read(pool), answer);
    }
  }

  /**
   * Emits the Events in order. Returns the first failure, after which the Event and the action must
   * be retried.
   */
  private Optional<Answer<Observation>> emit(List<EventDraft> eventDrafts) {
    // Each is attempted, even after a failure, so that their attempts are used up at the same time.
    List<Answer<Observation>> failures =
        eventDrafts.stream().map(events::emit).flatMap(Optional::stream).toList();
    return failures.stream().findFirst();
  }

  /**
   * Performs an action.
   *
   * @param sent sends the request, if this writer sends it itself
   */
  private void perform(
      Action action,
      Consumer<Supplier<Answer<Observation>>> sent,
      Consumer<Answer<Observation>> answer) {
    switch (action) {
      case Action.OnHost onHost ->
          fleet.perform(onHost.operation(), host -> post(answer, observed(host)));
      case Action.WriteNode write -> sent.accept(() -> nodes.write(write));
      case Action.ListPods list -> sent.accept(() -> pods.list(list));
      case Action.ReadMachine read ->
          sent.accept(() -> nodes.readMachine(read).orElseGet(() -> pods.readMachine(read)));
      case Action.EvictPod evict -> sent.accept(() -> pods.evict(evict));
      case Action.DeletePod delete -> sent.accept(() -> pods.delete(delete));
      case Action.DeleteNode delete -> sent.accept(() -> nodes.delete(delete));
      case Action.LabelNamespace label -> sent.accept(() -> namespaces.label(label));
      case Action.RelabelNamespace relabel -> sent.accept(() -> namespaces.relabel(relabel));
      case Action.AskLabelAuthor ask -> sent.accept(() -> namespaces.author(ask));
      case Action.AskRequestTimes ask -> sent.accept(() -> nodes.times(ask));
      case Action.RunJob run -> sent.accept(() -> jobs.run(run));
      case Action.ReadJob read -> sent.accept(() -> jobs.read(read));
      case Action.Announce announced -> post(answer, announced.answer());
      case Action.PublishStatus publish -> sent.accept(() -> pools.publish(publish));
      case Action.AcceptCommand accept -> sent.accept(() -> pools.accept(accept));
      case Action.Confirm(Action.Subject subject) -> read(subject, answer);
      case Action.ConfirmEmpty confirm -> sent.accept(() -> pools.confirmEmpty(confirm.pool()));
    }
  }

  private void run(
      String share, Supplier<Answer<Observation>> work, Consumer<Answer<Observation>> answer) {
    lanes.answer(share, work, what -> post(answer, what));
  }

  private void post(Consumer<Answer<Observation>> answer, Answer<Observation> what) {
    decisions.execute(() -> answer.accept(what));
  }

  private static Answer<Observation> observed(Answer<Host> answer) {
    return answer.map(Observation.HostSeen::new);
  }
}
