package io.nodepool.world.check.cause;

import static io.nodepool.world.check.text.Untruth.Kind.STATE;
import static io.nodepool.world.check.truth.Wording.Check.FORM;

import io.nodepool.vocabulary.EventReason;
import io.nodepool.world.check.truth.Causes;
import io.nodepool.world.check.truth.Moment;
import io.nodepool.world.check.truth.Wording;
import java.time.Instant;
import java.util.List;
import java.util.Map;

/** What is said of a Node whose machine is kept for inspection. */
final class PreservedTexts {
  private static final String TEXT =
      "Node {node} has left NodePool {pool}. Kept for inspection until {at}, since its machine has the alert {alert}.";

  static final Map<EventReason, List<Wording>> EVENTS =
      Map.of(
          EventReason.NODE_PRESERVED,
          List.of(
              Wording.ofNode(
                  TEXT,
                  (read, moment) -> {
                    moment.require(
                        STATE, moment.work().livePods(moment.name()).has(0), "no Pods are left");
                    moment.require(
                        STATE, wasReported(read.word("alert"), moment), "the alert was reported");
                    moment.require(
                        STATE,
                        Causes.is(
                            read.word("pool"), moment, pool -> pool.spec().repair().isPreserving()),
                        "its pool keeps such machines");
                  }),
              Wording.ofPool(TEXT, FORM)));

  private PreservedTexts() {}

  private static boolean wasReported(String alert, Moment moment) {
    return moment
        .chronicle()
        .wasReported(moment.name(), Instant.MIN, each -> each.name().equals(alert));
  }
}
