package io.nodepool.world.check.truth;

import static io.nodepool.world.check.text.Untruth.Kind.CAUSE;
import static io.nodepool.world.check.text.Untruth.Kind.COUNT;
import static io.nodepool.world.check.text.Untruth.Kind.STATE;

import io.nodepool.fleet.BootRequest;
import io.nodepool.fleet.Host;
import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.Node;
import io.nodepool.model.pool.RolloutSettings;
import io.nodepool.model.pool.RolloutState;
import io.nodepool.vocabulary.metadata.NodeLabels;
import io.nodepool.world.check.chronicle.Chronicle;
import io.nodepool.world.check.chronicle.RolloutHistory;
import io.nodepool.world.check.text.Range;
import io.nodepool.world.check.text.TextForm;
import io.nodepool.world.check.text.Untruth;
import io.nodepool.world.check.truth.Wording.Check;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;
import java.util.function.Function;
import java.util.regex.Pattern;

/** How far a rollout is, in the text about which Nodes have booted the active configuration. */
final class RolloutProgress {
  private RolloutProgress() {}

  private static final String ROLLOUT =
      "[Rollout of {profile}: {done#} of {all#} nodes up to date, {state*}.]";

  private static final String SKEW =
      "[ {named}, which the spec names, is disabled in NodePool {in}.][ {disabled} is not chosen, since it is disabled in NodePool {there}; {instead*}. To boot it nevertheless, name it in spec.image.][ Kubelets are up to {skew*}.][ The version of the API server cannot be read; no other configuration becomes active until it is known.]";

  private static final List<Wording> PROGRESS =
      List.of(Wording.ofPool(ROLLOUT + SKEW, RolloutProgress::progress));

  /** What follows is how far a rollout is, and how far kubelets are behind. */
  static void check(TextForm.Statement read, Moment moment) {
    if (read.has("rest")) {
      String rest = read.word("rest");
      isOneOf(PROGRESS, rest.startsWith("Rollout") ? rest : " " + rest, moment);
    }
  }

  private static void isOneOf(List<Wording> wordings, String text, Moment moment) {
    moment.require(
        Untruth.Kind.FORM,
        Wording.check(wordings, text, moment),
        "the text has a registered form",
        text);
  }

  private static void progress(TextForm.Statement part, Moment moment) {
    if (!part.has("done")) {
      return;
    }
    String profile = part.word("profile");
    moment.require(
        STATE,
        moment.pool(pool -> pool.status().nodeProfile().equals(profile)),
        "it is the rollout of the active configuration");
    counts(part, moment);
    state(part, moment);
  }

  /** So many of all Nodes have booted the configuration. */
  static void counts(TextForm.Statement part, Moment moment) {
    String profile = part.word("profile");
    int done = part.number("done");
    Range upToDate =
        ReconfigurationWordings.standing(
            moment, host -> ReconfigurationWordings.hasBooted(host, profile));
    int unread = unread(moment);
    moment.require(
        COUNT, upToDate.butFor(unread).has(done), "so many Nodes are up to date", upToDate);
    int all = part.number("all");
    Range standing = ReconfigurationWordings.standing(moment, _ -> true);
    moment.require(
        COUNT,
        standing.least() - unread <= all && all <= standing.most() + unread,
        "it has so many Nodes",
        standing);
    moment.require(COUNT, done <= all, "the numbers add up");
  }

  private static void state(TextForm.Statement part, Moment moment) {
    String state = part.word("state");
    if (state.startsWith("stopped")) {
      isIn(RolloutState.Phase.STOPPED, moment);
      moment.require(CAUSE, mayBeStopped(moment), "it was stopped");
    } else if (state.startsWith("paused. ")) {
      isIn(RolloutState.Phase.PAUSED, moment);
      mayBePaused(state, part.word("profile"), moment);
    } else {
      isIn(RolloutState.Phase.RUNNING, moment);
      WAS_STARTED.check(part, moment);
      if (state.startsWith("waiting. ")) {
        moment.require(
            CAUSE,
            moment.pool(each ->
                each.spec().configuration().rollout().problem().stream()
                    .anyMatch(why -> state.equals("waiting. " + why))),
            "its settings have this problem");
      } else {
        PART.splitAsStream(state).forEach(wait -> isOneOf(WAITS, wait, moment));
      }
    }
  }

  /** A user started a rollout of the pool. */
  static final Check WAS_STARTED =
      Check.that(
          CAUSE,
          (_, moment) -> moment.chronicle().rollouts().wasStarted(moment.name()),
          "a user started it");

  /** Whether a user stopped the rollout, or what was commanded was lost. */
  static boolean mayBeStopped(Moment moment) {
    return moment.chronicle().rollouts().mayBeStopped(moment.name(), moment.since());
  }

  /** Machines failed to boot, or could not be asked to. */
  static void mayBePaused(String why, String profile, Moment moment) {
    moment.require(
        CAUSE,
        moment.chronicle().rollouts().mayBePaused(moment.name())
            || (why.contains(" could not be asked to boot into it: ")
                && ReconfigurationWordings.outdated(profile, moment).most() > 0),
        "machines failed to boot");
  }

  private static void isIn(RolloutState.Phase phase, Moment moment) {
    moment.require(
        STATE,
        moment.pool(pool -> RolloutHistory.isIn(phase, pool)),
        "the rollout is " + phase.word());
  }

  /** Separates what a rollout waits for; an instant belongs to the part before it. */
  private static final Pattern PART = Pattern.compile(", (?!until )");

  private static final Pattern UNREAD = Pattern.compile("(\\d+) that cannot be read");
  private static final Pattern PROFILE = Pattern.compile("Rollout of (\\S+): ");

  /** What a rollout that goes on may wait for. */
  private static final List<Wording> WAITS =
      List.of(
          Wording.ofPool(
              "{unavailable#} unavailable of at most {most#}",
              (read, moment) -> limit(read, host -> host.id().name(), moment)),
          Wording.ofPool(
              "{unavailable#} racks unavailable of at most {most#}",
              (read, moment) -> limit(read, host -> host.machine().rack(), moment)),
          Wording.ofPool(
              "{nodes#} gone and not replaced yet",
              (read, moment) ->
                  moment.require(
                      COUNT,
                      moment.highestTarget() - moment.held().least() >= read.number("nodes"),
                      "the pool holds so many machines fewer than it wants",
                      moment.held())),
          counted(
              "{nodes#} cordoned by others",
              RolloutProgress::cordoned,
              "so many are cordoned by others"),
          Wording.ofPool(
              "{nodes#} with machines that are held",
              (read, moment) ->
                  moment.require(
                      COUNT,
                      moment.chronicle().hostNames().stream().filter(moment::isHeld).count()
                          >= read.number("nodes"),
                      "so many machines are held")),
          counted("{nodes#} busy", RolloutProgress::busy, "so many are busy"),
          outdated("{nodes#} passed over"),
          outdated("{nodes#} in another configuration after repeated boots"),
          outdated("{nodes#} that could not be asked to boot"),
          Wording.ofPool(
              "waiting for {nodes#} of a canary of {canary#}", RolloutProgress::canaryMisses),
          Wording.ofPool(
              "the canary of {canary#} soaks for {soak}, until {until}",
              Check.that(
                  COUNT,
                  (read, moment) -> available(moment).most() >= canary(read, moment),
                  "the canary is complete")),
          Wording.ofPool("{nodes#} that cannot be read", PoolConditionWordings::holdsSoMany),
          Wording.ofPool(
              "the fleet cannot be reached",
              Check.that(STATE, (_, moment) -> moment.noOffer(), "the fleet cannot be reached")),
          Wording.ofPool(
              "the fleet does not offer the active configuration",
              Check.that(
                  STATE,
                  (_, moment) ->
                      moment.pool(pool ->
                          ConfigurationWordings.isNotOffered(pool.status().nodeProfile(), moment)),
                  "the fleet does not offer it")),
          Wording.ofPool("the fleet does not offer {kind}", RebootWordings.NOT_OFFERED),
          Wording.ofPool(
              "the pool is paused[ (annotation {key}: {value} is neither true nor false and counts as true)]",
              Check.pool(pool -> pool.spec().pause().isSet(), "a user paused the pool")));

  /** A wait for so many Nodes that are such ones. */
  private static Wording counted(String form, Function<Moment, Range> are, String what) {
    return Wording.ofPool(
        form,
        (read, moment) -> {
          Range range = are.apply(moment);
          moment.require(COUNT, range.has(read.number("nodes")), what, range);
        });
  }

  /** A wait for some of those that have not booted the configuration. */
  private static Wording outdated(String form) {
    return Wording.ofPool(
        form,
        Check.that(
            COUNT,
            (read, moment) ->
                ReconfigurationWordings.outdated(profile(moment), moment).most()
                    >= read.number("nodes"),
            "so many have not booted it"));
  }

  /** The configuration that is rolled out, as the text says. */
  private static String profile(Moment moment) {
    return PROFILE
        .matcher(moment.text().text())
        .results()
        .findFirst()
        .map(found -> found.group(1))
        .orElseThrow();
  }

  /** So many Nodes are missing in the canary. */
  private static void canaryMisses(TextForm.Statement read, Moment moment) {
    int canary = canary(read, moment);
    int missing = read.number("nodes");
    Range available = available(moment);
    moment.require(
        COUNT,
        missing > 0 && available.butFor(unread(moment)).has(canary - missing),
        "so many are missing in the canary",
        available);
  }

  /** So many machines, or racks, are unavailable, and may be. */
  private static void limit(TextForm.Statement read, Function<Host, String> unit, Moment moment) {
    String pool = moment.text().uid();
    BiPredicate<Host, Optional<Node>> held = (host, _) -> host.serves(pool);
    Range unavailable =
        moment.units(unit, held.and(Chronicle::isOutOfUse), held.and(Chronicle::isUnavailable));
    // Those that it is about to take or to cordon count too, and those that it cannot read.
    int others = Math.max(0, moment.highestTarget() - moment.held().least()) + unread(moment);
    int many = read.number("unavailable");
    int most = read.number("most");
    moment.require(
        COUNT,
        unavailable.least() <= many && many <= moment.held().most() + others,
        "so many are unavailable",
        unavailable);
    BiPredicate<Host, Optional<Node>> counts =
        (host, node) -> ReconfigurationWordings.isRegistered(host, node, moment);
    Range size = moment.units(unit, counts, counts);
    moment.require(
        COUNT,
        moment.pool(each -> {
          RolloutSettings.Limit limit = each.spec().configuration().rollout().maxUnavailable();
          int unread = unread(moment);
          return limit.of(Math.max(0, size.least() - unread)) <= most
              && most <= limit.of(size.most() + unread);
        }),
        "so many may be unavailable",
        size);
  }

  /** How many machines cannot be read, as the text says, or as it is. */
  private static int unread(Moment moment) {
    int read =
        UNREAD
            .matcher(moment.text().text())
            .results()
            .mapToInt(found -> Integer.parseInt(found.group(1)))
            .sum();
    return Math.max(read, moment.unreadable());
  }

  /** How many Nodes the canary has, which the text says. */
  private static int canary(TextForm.Statement read, Moment moment) {
    int canary = read.number("canary");
    Range registered = moment.registered();
    moment.require(
        COUNT,
        moment.pool(pool -> {
          int wanted = pool.spec().configuration().rollout().canary();
          return Math.min(wanted, registered.least() - unread(moment)) <= canary
              && canary <= Math.min(wanted, registered.most());
        }),
        "the canary has so many Nodes",
        registered);
    return canary;
  }

  private static Range available(Moment moment) {
    String profile = profile(moment);
    BiPredicate<Host, Optional<Node>> booted =
        (host, node) ->
            ReconfigurationWordings.isRegistered(host, node, moment)
                && ReconfigurationWordings.hasBooted(host, profile);
    return moment.machines(
        booted.and((host, node) ->
            !Chronicle.isUnavailable(host, node)
                && !isAsked(node)
                && host.boot().filter(BootRequest::isRepair).isEmpty()),
        booted.and((host, node) -> !Chronicle.isOutOfUse(host, node)));
  }

  /** Whether a client asks for a state, for which the Node may be about to be cordoned. */
  private static boolean isAsked(Optional<Node> node) {
    return node.filter(each -> !each.metadata().label(NodeLabels.PENDING_STATE).isEmpty())
        .isPresent();
  }

  /** How many of those that have booted another configuration have work. */
  private static Range busy(Moment moment) {
    String profile = profile(moment);
    return moment.machines(
        (host, node) ->
            ReconfigurationWordings.isStanding(host, node, moment)
                && !ReconfigurationWordings.hasBooted(host, profile)
                && node.filter(each -> each.isReportedActive() && !each.cordoned()).isPresent()
                && !moment.idle(host.id().name()),
        (host, node) ->
            ReconfigurationWordings.isRegistered(host, node, moment)
                && !ReconfigurationWordings.hasBooted(host, profile)
                && (node.filter(Node::isReportedActive).isPresent()
                    || moment.busy(host.id().name())));
  }

  /** How many of those that have booted another configuration are cordoned, and not disrupted. */
  private static Range cordoned(Moment moment) {
    String profile = profile(moment);
    BiPredicate<Host, Optional<Node>> is =
        (host, node) ->
            !ReconfigurationWordings.hasBooted(host, profile)
                && node.filter(Node::cordoned)
                    .filter(each -> each.disruption().flatMap(Disruption::active).isEmpty())
                    .isPresent();
    return moment.machines(
        is.and((host, node) ->
            ReconfigurationWordings.isStanding(host, node, moment) && !isAsked(node)),
        is.and((host, node) -> ReconfigurationWordings.isRegistered(host, node, moment)));
  }
}
