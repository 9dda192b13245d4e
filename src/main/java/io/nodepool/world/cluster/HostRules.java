package io.nodepool.world.cluster;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.fleet.PoolId;
import io.nodepool.fleet.Taint;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

/** The validation rules of the Host's definition, which compare a write with the stored Host. */
final class HostRules {
  private static final Set<String> AUTOSCALERS =
      Set.of("ToBeDeletedByClusterAutoscaler", "DeletionCandidateOfClusterAutoscaler");

  private static final Pattern PLATFORM =
      Pattern.compile(
          "^([^/]*[.])?(kubernetes[.]io|k8s[.]io|coreweave[.]cloud|coreweave[.]com|nodepool[.]io)/");

  private static final Pattern KEY =
      Pattern.compile(
          "([a-z0-9]([-a-z0-9]*[a-z0-9])?([.][a-z0-9]([-a-z0-9]*[a-z0-9])?)*/)?"
              + "([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9]");

  private static final int LONGEST_DOMAIN = 253;

  private static final Pattern VALUE =
      Pattern.compile("(([A-Za-z0-9][-A-Za-z0-9_.]{0,61})?[A-Za-z0-9])?");

  private HostRules() {}

  /** The rule that a change of a Host violates. */
  static Optional<String> violated(Host before, Host next) {
    boolean assigned = next.assignment().isPresent();
    boolean wasAssigned = before.assignment().isPresent();
    if (!next.machine().equals(before.machine())) {
      return Optional.of("spec.machine cannot be changed");
    }
    if (wasAssigned && assigned && !holder(before).equals(holder(next))) {
      return Optional.of("the Host is assigned to another pool");
    }
    if (!wasAssigned && assigned && next.report().phase() != HostPhase.FREE) {
      return Optional.of("only a Host whose status.phase is Free can be assigned");
    }
    if (next.tenancy() != before.tenancy() + (!wasAssigned && assigned ? 1 : 0)) {
      return Optional.of("spec.tenancy counts assignments");
    }
    if (wasAssigned
        && !assigned
        && before.power() != Host.Power.OFF
        && next.report().phase() != HostPhase.FREE
        && next.report().phase() != HostPhase.BOOTING) {
      return Optional.of("the machine runs for its pool");
    }
    if (next.occupancy().fenced().filter(said -> said.tenancy() > next.tenancy()).isPresent()) {
      return Optional.of("spec.fenced.tenancy is later than spec.tenancy");
    }
    if (!assigned && !next.boot().equals(before.boot())) {
      return Optional.of("spec.boot can be changed only while the Host is assigned");
    }
    Optional<String> back =
        next.boot().isPresent() && before.boot().isPresent()
            ? countedDown(before.boot().get(), next.boot().get())
            : Optional.empty();
    return next.assignment().equals(before.assignment())
        ? back
        : back.or(() ->
            next.assignment().stream()
                .flatMap(assignment -> assignment.node().taints().stream())
                .flatMap(taint -> violated(taint).stream())
                .findFirst());
  }

  private static Optional<String> violated(Taint taint) {
    String key = taint.key();
    if (AUTOSCALERS.contains(key) || PLATFORM.matcher(key.toLowerCase(Locale.ROOT)).find()) {
      return Optional.of("the key " + key + " is set and removed by Kubernetes or the platform");
    }
    if (!KEY.matcher(key).matches() || key.indexOf('/') > LONGEST_DOMAIN) {
      return Optional.of("the key " + key + " is invalid");
    }
    return VALUE.matcher(taint.value()).matches()
        ? Optional.empty()
        : Optional.of("the value of " + key + " is invalid");
  }

  private static Optional<PoolId> holder(Host host) {
    return host.assignment().map(assignment -> assignment.pool());
  }

  private static Optional<String> countedDown(BootRequest before, BootRequest next) {
    return next.from().equals(before.from())
            && next.isOf(before.operation())
            && next.attempt() < before.attempt()
        ? Optional.of("spec.boot.try counts the tries of one operation")
        : Optional.empty();
  }
}
