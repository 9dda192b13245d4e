package io.nodepool.control;

import io.nodepool.control.state.ClusterState;
import io.nodepool.control.write.WriteCounts;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.plan.ControlPlaneNamespaces;
import io.nodepool.vocabulary.ReferenceGeneration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.function.Supplier;

/**
 * The core of the operator: its state, its loops and its writes in flight. All of it is confined to
 * one decision thread. Losing it costs time, and never changes the end state.
 */
public final class Control {
  private final ClusterState state;
  private final Waker waker;
  private final ActionSubmitter submitter;
  private final PoolLoop pools;
  private final MachineLoop machines;
  private final NamespaceLoop namespaces;
  private final Supplier<Optional<Instant>> resumed;

  /**
   * Creates an operator that has observed nothing and plans its pools and machines with these
   * planners.
   *
   * @param clock the operator's only clock; it must not jump, since waits and deadlines depend on
   *     it
   * @param generation whether the Events of the oldest reference are emitted too
   * @param resumed when an operator led again after a long time without a leader, by this clock;
   *     the present during such a time; read before each plan, so that the first plan after a pause
   *     includes it
   */
  public Control(
      PoolPlanning planner,
      MachinePlanning machinePlanner,
      ControlPlaneNamespaces controlPlane,
      Writer writer,
      Waker waker,
      InstantSource clock,
      LoopSettings timings,
      ReferenceGeneration generation,
      Supplier<Optional<Instant>> resumed) {
    this.resumed = resumed;
    this.state = new ClusterState(controlPlane, timings.health(), timings.exceptions(), clock);
    this.waker = waker;
    this.submitter =
        new ActionSubmitter(writer, state, waker, clock, timings.backOff(), generation);
    this.pools = new PoolLoop(state, planner, submitter, waker, clock, timings);
    this.machines =
        new MachineLoop(state, machinePlanner, submitter, clock, generation, new IgnoredReclaims());
    this.namespaces = new NamespaceLoop(state, controlPlane, submitter);
  }

  /** Folds an observation of a list or watch, and wakes the loops that it concerns. */
  public void observe(Observation seen) {
    state.fold(seen, ClusterState.Source.WATCH).forEach(waker::wake);
  }

  /** Records that every kind was listed once; planning begins. */
  public void listed() {
    state.completed().forEach(waker::wake);
  }

  /** Records the same for an operator that has observed the cluster since this instant. */
  public void listed(Instant since) {
    state.completed(since).forEach(waker::wake);
  }

  /** Records that no operator led for long: the plans of all pools may change. */
  public void resumed() {
    state.known().forEach(waker::wake);
  }

  /** Runs a pool's loop. */
  public PoolLoop.Outcome reconcilePool(String name) {
    resumed.get().ifPresent(state::resumed);
    state.advance().forEach(waker::wake);
    return pools.reconcile(name);
  }

  /** Runs a machine's loop; returns when to run it again even if nothing changes. */
  public Optional<Instant> reconcileMachine(String name) {
    state.advance().forEach(waker::wake);
    return machines.reconcile(name);
  }

  /** Runs a Namespace's loop; returns when to run it again even if nothing changes. */
  public Optional<Instant> reconcileNamespace(String name) {
    return namespaces.reconcile(name);
  }

  /** Resolves writes in doubt and discards expired entries; returns when to run again. */
  public Optional<Instant> reconcileWrites() {
    return submitter.runDue();
  }

  /**
   * The UID of the pool that an object belongs to, or the empty string: a write on the object
   * counts towards this pool's share of requests.
   */
  public String poolOf(Action.Subject subject) {
    return state.poolOf(subject);
  }

  /** The number of objects that cannot be written to now, by cause. */
  public WriteCounts writes() {
    return submitter.counts();
  }

  /** The disruptions that ended since this process started. */
  public DisruptionCounts disruptions() {
    return submitter.disruptions();
  }

  /**
   * The number of entries by collection, for leak checks; at rest, the numbers about writes are
   * zero.
   */
  public SortedMap<String, Integer> sizes() {
    SortedMap<String, Integer> sizes = new TreeMap<>(submitter.sizes());
    sizes.putAll(state.sizes());
    return sizes;
  }

  /** The state of the cluster, for checks and metrics. */
  public ClusterState state() {
    return state;
  }
}
