package io.nodepool.control;

import io.nodepool.fleet.HostId;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.Observation;
import io.nodepool.plan.Action;
import io.nodepool.plan.Notice;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * What the state of the cluster is told of writes in flight. Each method returns the keys whose
 * loops have to run for it, if any can.
 */
interface WriteListener {
  /** A Host is being written; until {@link #settled} the state counts on it. */
  void submitted(HostOperation operation);

  /** It is known whether the write took effect; the answer's object follows. */
  Set<Key> settled(HostOperation operation);

  /** An answer brought an object. */
  Set<Key> answered(Observation object);

  /** A Host must not be assigned until this time; another one may do as well. */
  Set<Key> refused(HostId host, Instant until);

  /**
   * A write on a machine's Host, Node or Pods keeps failing, or does so no more.
   *
   * @param why why it failed last; empty if it does no more
   * @param denied whether the server does not allow it
   */
  Set<Key> troubled(String machine, Action action, Optional<String> why, boolean denied);

  /** These Events were emitted. */
  void emitted(List<Notice> notices);
}
