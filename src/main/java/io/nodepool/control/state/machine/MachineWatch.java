package io.nodepool.control.state.machine;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostPhase;
import io.nodepool.model.Observation;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Member;
import io.nodepool.model.node.Node;
import io.nodepool.model.repair.VerificationJob;
import io.nodepool.model.snapshot.MachineSnapshot;
import io.nodepool.plan.disruption.cause.RebootRequest;
import io.nodepool.vocabulary.EventReason;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Instant;
import java.util.EnumMap;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Since when this operator has observed each awaited step of one machine. */
public final class MachineWatch {
  private record Since<T>(T what, Instant at) {}

  /**
   * A step that is awaited.
   *
   * @param begun how often the fleet reported the start of the delivery, while the machine boots
   */
  private record Wait(Member.Awaited awaited, int tenancy, int begun) {}

  /**
   * The fleet's report since when it delivers a machine.
   *
   * @param count how many different instants it reported in this tenancy
   */
  private record Begun(int tenancy, Instant since, int count) {
    /** The start, and the start after a wait in the queue; further reports are ignored. */
    static final int MOST = 2;
  }

  private record Admission(String nodeUid, int sequence) {}

  private record Boot(String operation, int attempt) {}

  /** The step that is awaited of the machine. */
  private Optional<Since<Wait>> awaited = Optional.empty();

  /** The last start of a delivery that the fleet reported. */
  private Optional<Begun> begun = Optional.empty();

  /** The Host as it was last observed. */
  private Optional<Host> last = Optional.empty();

  /** The disruption admitted on the Node, while it is cordoned. */
  private Optional<Since<Admission>> admission = Optional.empty();

  /** The last decision or request to boot the machine anew. */
  private Optional<Since<Boot>> boot = Optional.empty();

  /** The last Job that verifies the machine. */
  private Optional<MachineSnapshot.SeenJob> job = Optional.empty();

  /** The configuration to boot next; since {@link Instant#MIN} if it is the first observed one. */
  private @Nullable Since<String> staged;

  /** UID of the Node that was observed before it was registered; empty text if there is none. */
  private String unregistered = "";

  /** The occasions of the last Events about a Node, by reason. */
  private Map<EventReason, String> announced = Map.of();

  /** UID of that Event's Node. */
  private String announcedOf = "";

  private static <T> Optional<Since<T>> since(
      Optional<Since<T>> last, Optional<T> what, Instant now) {
    return what.map(each ->
        last.filter(before -> before.what().equals(each)).orElseGet(() -> new Since<>(each, now)));
  }

  /** Observes a change of the machine with this Host. */
  public void changed(Host host, @Nullable Node node, Instant now) {
    begun = begun(begun, host);
    int count = begun.filter(each -> each.tenancy() == host.tenancy()).map(Begun::count).orElse(0);
    awaited = since(awaited, awaited(host, node).map(s -> new Wait(s, host.tenancy(), count)), now);
    boot = since(isResumed(host, now) ? Optional.empty() : boot, boot(host, node), now);
    last = Optional.of(host);
    String next = host.configuration();
    if (staged == null || !staged.what().equals(next)) {
      staged = new Since<>(next, staged == null ? Instant.MIN : now);
    }
  }

  /**
   * The delivery's deadline counts from the start that the fleet reports, and once more from when
   * the machine leaves the queue of the fleet's engine.
   */
  private static Optional<Begun> begun(Optional<Begun> last, Host host) {
    if (!host.is(HostPhase.BOOTING)) {
      return last;
    }
    Instant since = host.report().since();
    int before = last.filter(each -> each.tenancy() == host.tenancy()).map(Begun::count).orElse(0);
    return last.filter(each -> before > 0 && (before == Begun.MOST || each.since().equals(since)))
        .or(() -> Optional.of(new Begun(host.tenancy(), since, before + 1)));
  }

  /** Whether the hold of the machine has ended: the time of a boot counts from then on. */
  private boolean isResumed(Host host, Instant now) {
    return host.hold(now).isEmpty() && last.filter(each -> each.hold(now).isPresent()).isPresent();
  }

  /** Observes a change of the Node. */
  public void changed(@Nullable Node node, Instant now) {
    if (node != null && !node.registered()) {
      unregistered = node.uid();
    }
    Optional<Admission> next =
        node != null
                && node.cordoned()
                && node.disruption().orElse(null) instanceof Disruption.Admitted admitted
            ? Optional.of(new Admission(node.uid(), admitted.sequence()))
            : Optional.empty();
    admission = since(admission, next, now);
  }

  /** The step that is awaited of the machine. */
  public Optional<Member.Waiting> waiting() {
    return awaited.map(each -> new Member.Waiting(each.what().awaited(), each.at()));
  }

  /** Since when both the admission on the Node and its cordon have been observed. */
  public Optional<Instant> cordonSeen() {
    return admission.map(Since::at);
  }

  /**
   * The boot of the machine: since when the last decision or request to boot it anew has been
   * observed, and the state of the Job that verifies it.
   *
   * @param refused why the request was refused
   */
  public MachineSnapshot.Booting booting(Optional<String> refused) {
    return new MachineSnapshot.Booting(boot.map(Since::at), refused, job);
  }

  /** An Event about the state of the Node was emitted. */
  public void announced(Observation.Announced last) {
    Map<EventReason, String> next = new EnumMap<>(EventReason.class);
    if (announcedOf.equals(last.nodeUid())) {
      next.putAll(announced);
    }
    next.put(last.reason(), last.occasion());
    announced = Map.copyOf(next);
    announcedOf = last.nodeUid();
  }

  /**
   * The Events emitted about this Node, and since when its next configuration has been observed.
   */
  public MachineSnapshot.Announcements announcements(@Nullable Node node) {
    return new MachineSnapshot.Announcements(
        node != null && node.uid().equals(announcedOf) ? announced : Map.of(),
        staged == null ? Instant.MIN : staged.at(),
        node != null && node.uid().equals(unregistered));
  }

  /** A Job that verifies the machine was read. */
  public void jobSeen(VerificationJob seen, Instant now) {
    Optional<MachineSnapshot.SeenJob> same =
        job.filter(last -> last.job().name().equals(seen.name()));
    Instant since =
        same.filter(last -> last.job().state() == seen.state())
            .map(MachineSnapshot.SeenJob::since)
            .orElse(now);
    int gone =
        same.map(MachineSnapshot.SeenJob::gone).orElse(0)
            + (seen.state() == VerificationJob.State.GONE ? 1 : 0);
    job = Optional.of(new MachineSnapshot.SeenJob(seen, since, now, gone));
  }

  /**
   * The last request to boot the machine anew, or the decision before it: the Node's label shows
   * the reboot. So the time counts even if the request cannot be written.
   */
  private static Optional<Boot> boot(Host host, @Nullable Node node) {
    Optional<BootRequest> request = host.boot();
    return decidedBoot(node)
        .filter(operation -> request.filter(asked -> asked.isOf(operation)).isEmpty())
        .map(operation -> new Boot(operation, 0))
        .or(() -> request.map(asked -> new Boot(asked.operation(), asked.attempt())));
  }

  /** The operation of the decided reboot: the Node is drained, and its label shows the reboot. */
  private static Optional<String> decidedBoot(@Nullable Node node) {
    return node != null
            && node.disruption().orElse(null) instanceof Disruption.Committed reboot
            && !reboot.isLeaving()
            && node.metadata()
                .label(NodeLabels.STATE)
                .equals(RebootRequest.stateOf(reboot.causes()).word())
        ? Optional.of(node.operation(reboot))
        : Optional.empty();
  }

  private static Optional<Member.Awaited> awaited(Host host, @Nullable Node node) {
    Optional<Node> joined = Optional.ofNullable(node).filter(each -> each.isOf(host));
    if (host.assignment().isEmpty()
        || host.power() == Host.Power.OFF
        || joined.filter(Node::isDraining).isPresent()) {
      return Optional.empty();
    }
    boolean runs = host.is(HostPhase.RUNNING);
    if (joined.filter(Node::isCommitted).isPresent()) {
      // A failed reboot is known at once.
      return Optional.of(Member.Awaited.OUTAGE).filter(_ -> !runs && !host.is(HostPhase.FAILED));
    }
    if (runs) {
      return Optional.of(Member.Awaited.REGISTRATION)
          .filter(_ -> joined.filter(Node::registered).isEmpty());
    }
    return Optional.of(joined.isEmpty() ? Member.Awaited.DELIVERY : Member.Awaited.OUTAGE);
  }
}
