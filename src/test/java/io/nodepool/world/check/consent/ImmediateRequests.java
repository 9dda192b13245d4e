package io.nodepool.world.check.consent;

import io.nodepool.model.node.Node;
import io.nodepool.plan.PlanSettings;
import io.nodepool.vocabulary.metadata.NodeAnnotations;
import io.nodepool.vocabulary.metadata.NodeLabels;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * Which requests for reboots are immediate (decision D164), by when clients set and removed the
 * label and the annotation: the annotation belongs to the request beside which it is set, or to the
 * one that is made within two minutes after it, and to no other.
 */
public final class ImmediateRequests {
  /** How long before its request the annotation may be set; managed fields count whole seconds. */
  private static final Duration VALID = PlanSettings.DEFAULTS.reboot().unfinished().plusSeconds(1);

  /** What clients wrote on one Node. */
  private static final class Facts {
    private String word = "";
    private Instant askedAt = Instant.MIN;
    private Optional<Instant> policyAt = Optional.empty();

    /** When the request ended that the annotation belonged to. */
    private Optional<Instant> endedAt = Optional.empty();

    /** Whether the annotation belonged to a request that ended, and an operator could see that. */
    private boolean spent;
  }

  /** By the UID of the Node. */
  private final Map<String, Facts> nodes = new HashMap<>();

  /**
   * Records what a Node is now.
   *
   * @param rebooting whether its reboot is carried out: an annotation that is set meanwhile belongs
   *     to the next request
   * @param calm since when an operator can observe everything
   */
  public void see(Node node, boolean rebooting, Instant now, Instant calm) {
    Facts facts = nodes.computeIfAbsent(node.uid(), _ -> new Facts());
    boolean stood = facts.policyAt.isPresent();
    if (!isPolicySet(node)) {
      facts.policyAt = Optional.empty();
      facts.endedAt = Optional.empty();
      facts.spent = false;
    } else if (!stood) {
      facts.policyAt = Optional.of(now);
    }
    String word = node.metadata().label(NodeLabels.PENDING_STATE);
    if (!word.equals(facts.word)) {
      if (stood && facts.policyAt.isPresent()) {
        follow(facts, word, rebooting, now, calm);
      }
      facts.word = word;
      facts.askedAt = now;
    }
  }

  /** The request changes while the annotation stands. */
  private static void follow(
      Facts facts, String word, boolean rebooting, Instant now, Instant calm) {
    boolean ends = !facts.word.isEmpty() && !rebooting;
    boolean replaced = ends && !word.isEmpty() && !facts.askedAt.isBefore(policyAt(facts));
    if (ends && word.isEmpty()) {
      facts.endedAt = Optional.of(now);
    } else if (replaced) {
      facts.spent |= Consent.isSeen(facts.askedAt, now, calm);
    } else if (facts.word.isEmpty()) {
      facts.spent |= facts.endedAt.filter(ended -> Consent.isSeen(ended, now, calm)).isPresent();
      facts.endedAt = Optional.empty();
    }
  }

  private static Instant policyAt(Facts facts) {
    return facts.policyAt.orElse(Instant.MAX);
  }

  private static boolean isPolicySet(Node node) {
    return NodeAnnotations.IMMEDIATE.equals(
        node.metadata().annotations().get(NodeAnnotations.REBOOT_POLICY.key()));
  }

  public void forget(String nodeUid) {
    nodes.remove(nodeUid);
  }

  /** Whether a client requests a reboot of the Node. */
  public boolean isRequested(Node node) {
    return Optional.ofNullable(nodes.get(node.uid())).filter(f -> !f.word.isEmpty()).isPresent();
  }

  /** The consent that the request on a Node gives, if it is immediate: budgets are not asked. */
  public Optional<Consent> consent(Node node) {
    return Optional.ofNullable(nodes.get(node.uid()))
        .filter(facts -> !facts.word.isEmpty() && !facts.spent)
        .flatMap(facts ->
            facts
                .policyAt
                .filter(set -> !facts.askedAt.isAfter(set.plus(VALID)))
                .map(set -> set.isAfter(facts.askedAt) ? set : facts.askedAt)
                .map(given -> new Consent(Consent.Term.LASTS, given)));
  }

  /** What of the annotation on a Node is of interest when a request is not immediate. */
  public String text(Node node) {
    return Optional.ofNullable(nodes.get(node.uid()))
        .map(facts ->
            "the request %s was made at %s, the annotation set at %s%s"
                .formatted(
                    facts.word.isEmpty() ? "(none)" : facts.word,
                    facts.askedAt,
                    facts.policyAt.map(Instant::toString).orElse("(never)"),
                    facts.spent ? ", for an earlier request" : ""))
        .orElse("no request");
  }
}
