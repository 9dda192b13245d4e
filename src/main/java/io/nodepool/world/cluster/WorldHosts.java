package io.nodepool.world.cluster;

import io.nodepool.fleet.Answer;
import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.ComponentRepair;
import io.nodepool.fleet.DeliveryHistory;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.Observation;
import java.util.Optional;

/** Operations on the virtual world's Hosts, as compare-and-set. */
final class WorldHosts {
  private final WorldStore store;

  WorldHosts(WorldStore store) {
    this.store = store;
  }

  /** Carries out an operation, or refuses it. */
  Answer<Observation> apply(HostOperation operation) {
    Host host = store.hosts.get(operation.host().name());
    if (host == null || !host.id().equals(operation.host())) {
      return new Answer.Missing<>();
    }
    return tookEffect(host, operation)
        ? new Answer.Done<>(store.seen(host))
        : carryOut(host, operation);
  }

  /** Whether an operation was done before: repeating it changes nothing. */
  private static boolean tookEffect(Host host, HostOperation operation) {
    boolean same = host.tenancy() == operation.tenancy();
    boolean held = same && host.isHeldBy(operation.pool().uid());
    return switch (operation) {
      case HostOperation.Assign assign ->
          host.assignment().filter(each -> each.operation().equals(assign.id())).isPresent();
      case HostOperation.Stop _ -> held && host.power() == Host.Power.OFF;
      case HostOperation.Preserve _ -> held && host.preserved().isPresent();
      case HostOperation.Cancel _, HostOperation.Release _ -> same && host.assignment().isEmpty();
      case HostOperation.Delivered _, HostOperation.ClearFailures _ ->
          same && host.deliveries().failure().isEmpty();
      case HostOperation.Boot boot -> same && host.boot().equals(Optional.of(boot.request()));
      case HostOperation.DropBoot drop ->
          same && host.boot().equals(Optional.of(drop.request().takenBack()));
      case HostOperation.Stage stage -> held && host.configuration().equals(stage.configuration());
      case HostOperation.RepairComponent repair ->
          held && host.occupancy().repairs().contains(repair.request());
      case HostOperation.Note note -> held && host.past().equals(note.next());
    };
  }

  private Answer<Observation> carryOut(Host host, HostOperation operation) {
    if (operation instanceof HostOperation.Assign assign) {
      return assign(host, assign);
    }
    Optional<String> refusal = refusal(host, operation);
    return refusal.isPresent()
        ? new Answer.Refused<>(refusal.get())
        : done(host, operation, changed(host, operation));
  }

  /** Why the tests of an operation's patch fail; empty if they pass. */
  private static Optional<String> refusal(Host host, HostOperation operation) {
    boolean held = host.tenancy() == operation.tenancy() && host.isHeldBy(operation.pool().uid());
    boolean isOn = host.power() == Host.Power.ON;
    return switch (operation) {
      case HostOperation.Assign _ -> Optional.empty();
      case HostOperation.Cancel cancel ->
          unless(
              held && host.report().phase() == cancel.phase(),
              "not held, or in another phase by now");
      case HostOperation.Stop _, HostOperation.Preserve _ ->
          unless(held && isOn, "not held, or off already");
      case HostOperation.Release _ -> unless(held && !isOn, "not held, or not stopped");
      case HostOperation.Delivered _ -> unless(held, "not held");
      case HostOperation.ClearFailures clear ->
          unless(clear.isOf(host), "held, or something else is recorded by now");
      case HostOperation.Boot boot ->
          unless(
              held
                  && isOn
                  && host.report().bootId().equals(boot.request().from())
                  && !isOvertaken(host, boot.request())
                  && boot.stage().filter(stage -> !isBefore(host, stage)).isEmpty(),
              "not held, off, on another boot, asked again since, or staged anew");
      case HostOperation.DropBoot drop ->
          unless(
              held
                  && host.boot().equals(Optional.of(drop.request()))
                  && host.report().boot().cycle().isEmpty(),
              "not held, begun, or asked again since");
      case HostOperation.Stage stage ->
          unless(
              held && isBefore(host, stage), "not held, or another configuration is wanted by now");
      case HostOperation.RepairComponent repair ->
          unless(held && isOn && isNext(host, repair), "not held, off, or asked again since");
      case HostOperation.Note note ->
          unless(
              held && host.past().equals(note.before()),
              "not held, or something else is recorded by now");
    };
  }

  private static boolean isBefore(Host host, HostOperation.Stage stage) {
    return host.configuration().equals(stage.before());
  }

  private static Optional<String> unless(boolean holds, String refusal) {
    return holds ? Optional.empty() : Optional.of(refusal);
  }

  /** The Host after an operation whose patch passes its tests. */
  private static Host changed(Host host, HostOperation operation) {
    Host.Occupancy now = host.occupancy();
    return switch (operation) {
      case HostOperation.Assign _ -> host;
      case HostOperation.Cancel cancel ->
          host.withOccupancy(now.released())
              .withDeliveries(cancel.failed().orElse(host.deliveries()));
      case HostOperation.Stop stop ->
          host.withOccupancy(now.withPower(Host.Power.OFF))
              .withDeliveries(stop.failed().orElse(host.deliveries()));
      case HostOperation.Preserve preserve -> preserved(host, preserve);
      case HostOperation.Release _ -> host.withOccupancy(now.released());
      case HostOperation.Delivered _ -> delivered(host);
      case HostOperation.ClearFailures _ ->
          host.withDeliveries(
              new DeliveryHistory(Optional.empty(), "", host.deliveries().released()));
      case HostOperation.Boot boot ->
          host.withOccupancy(
              now.withBoot(Optional.of(boot.request()))
                  .withConfiguration(boot.configuration(now.configuration())));
      case HostOperation.DropBoot drop ->
          host.withOccupancy(now.withBoot(Optional.of(drop.request().takenBack())));
      case HostOperation.Stage stage ->
          host.withOccupancy(now.withConfiguration(stage.configuration()));
      case HostOperation.RepairComponent repair ->
          host.withOccupancy(now.withRepairs(repair.request().amid(now.repairs())));
      case HostOperation.Note note -> host.withOccupancy(now.withPast(note.next()));
    };
  }

  private static Host preserved(Host host, HostOperation.Preserve preserve) {
    return host.withOccupancy(
            host.occupancy()
                .withAssignment(
                    host.assignment()
                        .map(held -> held.withPreserved(Optional.of(preserve.preserved())))))
        .withDeliveries(preserve.failed().orElse(host.deliveries()));
  }

  /** Whether the last request for the alert is still the one that the repair was decided on. */
  private static boolean isNext(Host host, HostOperation.RepairComponent repair) {
    return host.occupancy().repairs().isEmpty() == repair.before().isEmpty()
        && host.repair(repair.request().alert())
            .map(ComponentRepair::attempt)
            .equals(repair.last().map(ComponentRepair::attempt));
  }

  private static Host delivered(Host host) {
    DeliveryHistory last = host.deliveries();
    return host.withDeliveries(
        new DeliveryHistory(Optional.empty(), last.setAside(), last.released()));
  }

  /** Whether a later attempt to leave the same boot was requested, as a rule of the Host tests. */
  private static boolean isOvertaken(Host host, BootRequest request) {
    return host.boot()
        .filter(last ->
            last.isOf(request.operation())
                && last.from().equals(request.from())
                && last.attempt() > request.attempt())
        .isPresent();
  }

  private Answer<Observation> assign(Host host, HostOperation.Assign assign) {
    boolean free = host.isFree() || store.secondHoldersAreAdmitted;
    if (!free || host.tenancy() != assign.tenancy()) {
      return new Answer.Refused<>("it is not free in tenancy " + assign.tenancy());
    }
    return done(
        host,
        assign,
        host.withOccupancy(
            new Host.Occupancy(
                host.tenancy() + 1,
                Optional.of(assign.assignment()),
                assign.configuration(),
                Host.Power.ON,
                host.boot(),
                host.occupancy().repairs(),
                host.past(),
                host.occupancy().fenced())));
  }

  /** Stores the Host, if the patch of the operation applies and its definition admits it. */
  private Answer<Observation> done(Host host, HostOperation operation, Host next) {
    if (store.secondHoldersAreAdmitted) {
      return stored(next);
    }
    Optional<String> mismatch = store.validation.patch(host, operation, next);
    if (mismatch.isPresent()) {
      return new Answer.Refused<>(mismatch.get());
    }
    return HostRules.violated(host, next)
        .or(() -> store.validation.host(host, next))
        .map(why -> invalid(operation, why))
        .orElseGet(() -> stored(next));
  }

  /**
   * The answer to a write that the definition of Hosts does not admit. The operator treats it as a
   * later change of the Host, except when it assigns a free Host (decision D185).
   */
  private static Answer<Observation> invalid(HostOperation operation, String why) {
    Answer<Observation> invalid = ObjectValidation.invalid(why);
    return operation instanceof HostOperation.Assign ? invalid : new Answer.Refused<>(why);
  }

  private Answer<Observation> stored(Host next) {
    return new Answer.Done<>(store.seen(store.put(next.withVersion(store.next()))));
  }
}
