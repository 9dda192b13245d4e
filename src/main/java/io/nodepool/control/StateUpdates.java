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

/** Keeps index and inventory informed of writes in flight. */
record StateUpdates(Index index, Inventory inventory) implements WriteListener {
  @Override
  public void submitted(HostOperation operation) {
    inventory.underWay(operation);
  }

  @Override
  public Set<Key> settled(HostOperation operation) {
    return inventory.answered(operation);
  }

  @Override
  public Set<Key> answered(Observation object) {
    return index.fold(object, Index.Source.ANSWER);
  }

  @Override
  public Set<Key> refused(HostId host, Instant until) {
    return inventory.refused(host, until);
  }

  @Override
  public Set<Key> troubled(String machine, Action action, Optional<String> why, boolean denied) {
    return inventory.writeTrouble(machine, action, why, denied);
  }

  @Override
  public void emitted(List<Notice> notices) {
    inventory.unread.told(notices);
  }
}
