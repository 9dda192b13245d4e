package io.nodepool.control;

import io.nodepool.fleet.Host;
import io.nodepool.fleet.Reclaim;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Logs each notice with which the fleet wants a machine back from an on-demand pool, once. The
 * notices change nothing (decision D70). Confined to the decision thread.
 */
final class IgnoredReclaims {
  private static final Logger log = LoggerFactory.getLogger(IgnoredReclaims.class);

  /** Notices by machine name. */
  private final Map<String, Reclaim> logged = new HashMap<>();

  /**
   * Observes a machine.
   *
   * @param host its Host; empty if nothing can be planned for it
   */
  void observe(String machineName, Optional<Host> host) {
    Optional<Reclaim> reclaim = host.filter(IgnoredReclaims::isIgnored).flatMap(Host::reclaim);
    if (reclaim.isEmpty()) {
      logged.remove(machineName);
    } else if (!reclaim.get().equals(logged.put(machineName, reclaim.get()))) {
      log.warn(
          "Host {}: the fleet's notice of {} that it wants the machine back is ignored, because the on-demand pool {} holds it.",
          machineName,
          reclaim.get().announcedAt(),
          host.flatMap(Host::assignment).orElseThrow().pool().name());
    }
  }

  /**
   * Whether the notice was announced while an on-demand pool held the machine. An older notice has
   * served its purpose, and the fleet is about to withdraw it.
   */
  static boolean isIgnored(Host host) {
    return host.reclaim().isPresent()
        && host.assignment()
            .filter(assignment -> !assignment.isSpot())
            .filter(assignment -> assignment.at().isBefore(host.reclaim().get().announcedAt()))
            .isPresent();
  }
}
