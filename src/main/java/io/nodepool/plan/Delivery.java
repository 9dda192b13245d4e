package io.nodepool.plan;

import io.nodepool.fleet.Deliveries;
import io.nodepool.fleet.Host;
import io.nodepool.fleet.HostOperation;
import io.nodepool.model.Member;
import io.nodepool.model.Node;
import io.nodepool.model.PoolSnapshot;
import io.nodepool.vocabulary.EventReason;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * Do the assigned machines come up and register in time? One that does not is given back, with a
 * note on its Host; another one is taken in its place.
 */
final class Delivery {
  private static final int NAMED = 5;

  private final PoolSnapshot seen;
  private final Instant now;
  private final Rules rules;

  private Delivery(PoolSnapshot seen, Instant now, Rules rules) {
    this.seen = seen;
    this.now = now;
    this.rules = rules;
  }

  /**
   * @param steps what gives back the machines that are late
   * @param wakeup when the next one is late
   */
  record Late(List<Step> steps, Optional<Instant> wakeup) {}

  /** The machines that are late now. While the fleet cannot be reached, none is (D13). */
  static Late check(PoolSnapshot seen, Instant now, Rules rules) {
    return switch (seen.offer()) {
      case PoolSnapshot.Offer.Lost _ -> new Late(List.of(), Optional.empty());
      case PoolSnapshot.Offer.Known _ -> new Delivery(seen, now, rules).check();
    };
  }

  private Late check() {
    List<Member> late = new ArrayList<>();
    Optional<Instant> wakeup = Optional.empty();
    for (Member member : seen.members()) {
      Optional<Duration> left = member.waiting().map(this::left);
      if (left.isEmpty() || member.underWay().isPresent()) {
        continue;
      }
      if (left.get().isPositive()) {
        Instant at = now.plus(left.get());
        wakeup = wakeup.filter(earlier -> earlier.isBefore(at)).or(() -> Optional.of(at));
      } else {
        late.add(member);
      }
    }
    List<Step> steps = new ArrayList<>();
    for (Member member : late) {
      List<Notice> notices = new ArrayList<>();
      if (steps.isEmpty()) {
        notices.add(ofPool(late));
      }
      steps.add(giveBack(member, member.waiting().orElseThrow().stage(), notices));
    }
    return new Late(steps, wakeup);
  }

  private Duration left(Member.Waiting waiting) {
    return deadline(waiting.stage()).minus(waiting.watched());
  }

  private Duration deadline(Member.Stage stage) {
    return switch (stage) {
      case DELIVERY -> rules.deliveryDeadline();
      case REGISTRATION -> rules.registrationDeadline();
    };
  }

  private Step giveBack(Member member, Member.Stage stage, List<Notice> notices) {
    Host host = member.host();
    String cause = cause(stage);
    Optional<Deliveries> failed = Optional.of(failed(host, cause));
    return switch (stage) {
      case DELIVERY ->
          new Step(
              notices,
              new Action.OnHost(
                  new HostOperation.Cancel(host.id(), host.tenancy(), seen.pool().id(), failed)),
              cause);
      case REGISTRATION -> {
        notices.add(ofNode(member, cause));
        yield new Step(
            notices,
            new Action.OnHost(
                new HostOperation.Stop(host.id(), host.tenancy(), seen.pool().id(), failed)),
            cause);
      }
    };
  }

  private String cause(Member.Stage stage) {
    return switch (stage) {
      case DELIVERY -> "it did not come up within " + Texts.duration(deadline(stage));
      case REGISTRATION ->
          "it came up and did not register within " + Texts.duration(deadline(stage));
    };
  }

  private Deliveries failed(Host host, String cause) {
    int count = host.deliveries().failure().map(Deliveries.Failure::count).orElse(0) + 1;
    Deliveries.Failure failure =
        new Deliveries.Failure(count, now, cause, now.plus(rules.backOff(count)));
    String setAside =
        host.deliveries().isSetAside() || count < rules.failuresBeforeSetAside()
            ? host.deliveries().setAside()
            : "%s to pools failed in a row; the last time %s"
                .formatted(count == 1 ? "1 delivery" : count + " deliveries", cause);
    return new Deliveries(Optional.of(failure), setAside);
  }

  private Notice ofPool(List<Member> late) {
    List<String> names = late.stream().map(member -> member.host().id().name()).sorted().toList();
    Stream<String> causes =
        late.stream()
            .map(member -> cause(member.waiting().orElseThrow().stage()))
            .distinct()
            .sorted();
    return new Notice(
        EventReason.NODE_DELIVER_FAIL,
        new Notice.Regarding(
            Notice.Kind.NODE_POOL, seen.pool().id().name(), seen.pool().id().uid()),
        occasion(late.getFirst().host()),
        "%s given back, others are taken: %s (%s)."
            .formatted(
                Texts.count(names.size(), "Host"),
                Texts.list(names, NAMED),
                String.join("; ", causes.toList())),
        names.size());
  }

  /** Without a Node object, the event names the Node that the machine was to be. */
  private Notice ofNode(Member member, String cause) {
    Host host = member.host();
    return new Notice(
        EventReason.NODE_REGISTRATION_FAILED,
        new Notice.Regarding(
            Notice.Kind.NODE, host.id().name(), member.node().map(Node::uid).orElse("")),
        occasion(host),
        "Machine %s of NodePool %s is given back: %s."
            .formatted(host.id().name(), seen.pool().id().name(), cause),
        1);
  }

  private static String occasion(Host host) {
    return host.id().uid() + "/" + host.tenancy();
  }
}
