package io.nodepool.health;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.health.NeededRepairs.Needed;
import io.nodepool.health.catalogue.Grade;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Which of several alerts about one machine decides what is done to it. */
class NeededRepairsTest {
  private static final Instant NOW = Instant.parse("2026-01-01T10:00:00Z");

  private static Needed needed(String alert, Grade grade, boolean ending) {
    return new Needed(
        alert,
        grade,
        false,
        new SignalKey("dcgm", "host", alert),
        NOW,
        ending ? StandingAlert.State.ENDING : StandingAlert.State.STANDS);
  }

  private static Needed needed(String alert, Grade grade) {
    return needed(alert, grade, false);
  }

  private static NeededRepairs of(Needed... all) {
    return new NeededRepairs(List.of(all), Set.of());
  }

  private static List<String> names(List<Needed> of) {
    return of.stream().map(Needed::alert).toList();
  }

  private static Optional<String> name(Optional<Needed> of) {
    return of.map(Needed::alert);
  }

  @Test
  void theStrongestOfEachWayDecides() {
    NeededRepairs needed =
        of(
            needed("Reset", Grade.RESET_HOST_WHEN_IDLE),
            needed("Boot", Grade.REBOOT_NOW),
            needed("Out", Grade.OUT_WHEN_IDLE),
            needed("Dpu", Grade.REPAIR_DPU));
    assertThat(name(needed.boot())).contains("Boot");
    assertThat(names(needed.disruptive())).containsExactly("Out", "Boot");
    assertThat(name(needed.first())).contains("Out");
    assertThat(name(needed.component())).contains("Dpu");
    assertThat(needed.find("Reset")).isPresent();
  }

  @Test
  void oneThatIsOverSoonGivesWay() {
    NeededRepairs needed =
        of(needed("Boot", Grade.REBOOT_NOW, true), needed("Reset", Grade.RESET_HOST_WHEN_IDLE));
    assertThat(name(needed.boot())).contains("Reset");
    assertThat(needed.stands("Boot")).isFalse();
  }

  @Test
  void oneThatThePoolHoldsGivesWayToWhatItActsOn() {
    Needed out = needed("Out", Grade.OUT_NOW);
    Needed weaker = needed("Weaker", Grade.OUT_WHEN_IDLE);
    Needed boot = needed("Boot", Grade.REBOOT_NOW);
    Set<String> held = Set.of("Out", "Elsewhere");

    assertThat(name(of(out, weaker).holding(held).out())).contains("Weaker");
    assertThat(names(of(out, boot).holding(held).disruptive())).containsExactly("Boot");
    assertThat(names(of(out).holding(held).disruptive())).containsExactly("Out");
    assertThat(of(out).holding(held).held()).containsExactly("Out");
    assertThat(of(out).holding(held).disrupts()).isFalse();
    assertThat(of(out, boot).holding(held).disrupts()).isTrue();
  }

  /** Nothing is done for either: the Node stays cordoned for the one that stands. */
  @Test
  void oneThatThePoolHoldsStaysBesideOneThatIsOverSoon() {
    NeededRepairs needed =
        of(needed("Out", Grade.OUT_NOW), needed("Weaker", Grade.OUT_WHEN_IDLE, true))
            .holding(Set.of("Out"));
    assertThat(name(needed.out())).contains("Out");
  }

  @Test
  void bootsThatDoNotHelpBecomeReplacements() {
    NeededRepairs needed =
        of(needed("Out", Grade.OUT_NOW), needed("Boot", Grade.RESET_HOST_WHEN_IDLE))
            .holding(Set.of("Out"))
            .escalated();
    assertThat(needed.boot()).isEmpty();
    assertThat(needed.out().map(Needed::grade)).contains(Grade.OUT_WHEN_IDLE);
    assertThat(name(needed.out())).contains("Boot");
    assertThat(of(needed("Boot", Grade.REBOOT_NOW)).escalated().out().map(Needed::grade))
        .contains(Grade.OUT_NOW);
  }

  @Test
  void aComponentWhoseRepairsDoNotHelpBecomesAReplacement() {
    NeededRepairs needed =
        of(needed("A", Grade.REPAIR_DPU), needed("B", Grade.REPAIR_DPU)).componentEscalated();
    assertThat(name(needed.out())).contains("A");
    assertThat(name(needed.component())).contains("B");
  }

  @Test
  void withoutAnAlertNothingIsLeftOfIt() {
    NeededRepairs needed =
        of(needed("Out", Grade.OUT_NOW)).holding(Set.of("Out")).without("Out"::equals);
    assertThat(needed).isEqualTo(NeededRepairs.NONE);
    assertThat(needed.isAny()).isFalse();
  }
}
