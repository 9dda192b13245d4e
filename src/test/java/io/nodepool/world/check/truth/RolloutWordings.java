package io.nodepool.world.check.truth;

import static io.nodepool.world.check.text.Untruth.Kind.CAUSE;
import static io.nodepool.world.check.text.Untruth.Kind.COUNT;
import static io.nodepool.world.check.text.Untruth.Kind.STATE;

import io.nodepool.model.pool.RolloutState;
import io.nodepool.world.check.text.Range;
import io.nodepool.world.check.text.TextForm;
import io.nodepool.world.check.truth.Wording.Check;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;

/** The texts about the beginning, the interruptions and the end of a rollout. */
final class RolloutWordings {
  private RolloutWordings() {}

  static final Wording STARTED =
      Wording.ofPool(
          "A user started the rollout of {profile}: {out#} of {all#node} to reboot, busy ones {how*}.",
          RolloutProgress.WAS_STARTED.and(RolloutWordings::outdated));

  static final List<Wording> CONTINUED =
      List.of(
          Wording.ofPool(
              "A user continued the rollout of {profile}[ ({phase} since {since})]: {out#} of {all#node} to reboot, busy ones {how*}.",
              RolloutProgress.WAS_STARTED
                  .and(RolloutWordings::lasted)
                  .and(RolloutWordings::outdated)),
          Wording.ofPool(
              "The rollout goes on with {profile}, which became active[ ({phase} since {since})]: {out#} of {all#node} to reboot, busy ones {how*}.",
              Check.pool(
                      (read, pool) -> !pool.status().nodeProfile().equals(read.word("profile")),
                      "it becomes active now")
                  .and(RolloutWordings::lasted)
                  .and(RolloutWordings::outdated)));

  static final Wording PAUSED =
      Wording.ofPool(
          "The rollout of {profile} is paused with {done#} of {all#node} up to date. {why*}",
          Check.of(RolloutProgress::counts)
              .and((read, moment) ->
                  RolloutProgress.mayBePaused(read.word("why"), read.word("profile"), moment)));

  static final Wording STOPPED =
      Wording.ofPool(
          "A user stopped the rollout of {profile}[ ({phase} since {since})] with {done#} of {all#node} up to date.",
          Check.of(RolloutWordings::lasted)
              .and(
                  Check.that(
                      CAUSE,
                      (_, moment) -> RolloutProgress.mayBeStopped(moment),
                      "a user stopped it"))
              .and(RolloutProgress::counts));

  static final Wording COMPLETE =
      Wording.ofPool(
          "The rollout of {profile}[ ({phase} since {since})] is complete with {done#} of {all#node} up to date.",
          RolloutProgress.WAS_STARTED
              .and(RolloutWordings::lasted)
              .and(RolloutProgress::counts)
              .and(
                  Check.that(
                      COUNT,
                      (read, _) -> read.number("done") == read.number("all"),
                      "all are up to date"))
              .and(
                  Check.that(
                      STATE,
                      (read, moment) ->
                          ReconfigurationWordings.outdated(read.word("profile"), moment).least()
                              == 0,
                      "every machine has booted it")));

  /** So many of all Nodes have not booted the configuration. */
  private static void outdated(TextForm.Statement read, Moment moment) {
    Range outdated = ReconfigurationWordings.outdated(read.word("profile"), moment);
    int out = read.number("out");
    moment.require(
        COUNT,
        outdated.butFor(moment.unreadable()).has(out) && out <= read.number("all"),
        "so many have not booted it",
        outdated);
  }

  /** It was in this phase, and was not before that. */
  private static void lasted(TextForm.Statement read, Moment moment) {
    if (!read.has("since")) {
      return;
    }
    Instant since = Instant.parse(read.word("since"));
    moment.require(
        STATE,
        moment.pool(pool ->
            isInPhaseSince(pool.status().configuration().rollout(), read.word("phase"), since)),
        "it was in this phase since then");
    moment.require(
        CAUSE,
        !wasInPhaseBefore(read.word("phase"), since, moment),
        "it was in another phase before");
  }

  /**
   * Whether it was in this phase already just before it was said to be in it since this instant.
   */
  private static boolean wasInPhaseBefore(String phase, Instant since, Moment moment) {
    List<RolloutState> states =
        moment
            .pool()
            .all(Instant.MIN)
            .map(pool -> pool.status().configuration().rollout())
            .toList();
    int first = 0;
    while (first < states.size() && !isInPhaseSince(states.get(first), phase, since)) {
      first++;
    }
    return first > 0
        && first < states.size()
        && states.get(first - 1).phase() == states.get(first).phase();
  }

  private static boolean isInPhaseSince(RolloutState rollout, String phase, Instant since) {
    return rollout.phase().word().equalsIgnoreCase(phase)
        && rollout
            .since()
            .filter(at -> at.truncatedTo(ChronoUnit.SECONDS).equals(since))
            .isPresent();
  }
}
