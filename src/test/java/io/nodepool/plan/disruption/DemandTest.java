package io.nodepool.plan.disruption;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.Disruption;
import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.vocabulary.BootKind;
import io.nodepool.vocabulary.DisruptionCause;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.function.BiConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/**
 * The laws of the merge, over random demands: the order in which causes arrive, and how often, does
 * not matter, and no cause makes a disruption gentler.
 */
class DemandTest {
  private static final int CASES = 5_000;
  private static final Instant NOTICE = Instant.parse("2026-01-01T10:00:00Z");

  /** Few different values, so that demands often agree in one. */
  private static final List<Instant> INSTANTS =
      Stream.concat(
              Stream.of(Instant.MIN, Instant.MAX),
              IntStream.range(0, 5).mapToObj(minutes -> NOTICE.plusSeconds(60L * minutes)))
          .toList();

  /** From the weakest to the strongest. */
  private static final List<DisruptionEnding> ENDINGS =
      List.of(
          new DisruptionEnding.None(),
          new DisruptionEnding.Reboot(BootKind.VERIFICATION),
          new DisruptionEnding.Reboot(BootKind.REBOOT),
          new DisruptionEnding.Reboot(BootKind.POWER_RESET),
          new DisruptionEnding.Reboot(BootKind.HOST_RESET),
          new DisruptionEnding.Reboot(BootKind.HOST_AND_DPU_RESET),
          new DisruptionEnding.Leave());

  private static final List<String> REFERENCES = List.of("", "Idle", "2026-01-01T10:00:00Z");

  /** Demands of one run, made of its seed. */
  private record Demands(Random random) {
    private <T> T any(List<T> of) {
      return of.get(random.nextInt(of.size()));
    }

    private Disruption.Cause cause() {
      return new Disruption.Cause(
          any(List.of(DisruptionCause.values())), any(REFERENCES), any(INSTANTS));
    }

    Demand next() {
      return new Demand(
          IntStream.rangeClosed(0, random.nextInt(3)).mapToObj(_ -> cause()).toList(),
          new Demand.Window(any(INSTANTS), any(INSTANTS), any(INSTANTS), any(INSTANTS)),
          any(ENDINGS));
    }

    List<Demand> list() {
      return IntStream.rangeClosed(0, random.nextInt(6)).mapToObj(_ -> next()).toList();
    }
  }

  /** Checks a law for many seeds; a failure names its seed. */
  private static void holds(BiConsumer<Demands, String> law) {
    for (int seed = 0; seed < CASES; seed++) {
      law.accept(new Demands(new Random(seed)), "seed " + seed);
    }
  }

  @Test
  void theOrderOfTwoDemandsDoesNotMatter() {
    holds((demands, seed) -> {
      Demand one = demands.next();
      Demand other = demands.next();
      assertThat(one.and(other)).as(seed).isEqualTo(other.and(one));
    });
  }

  @Test
  void theGroupingOfThreeDemandsDoesNotMatter() {
    holds((demands, seed) -> {
      Demand one = demands.next();
      Demand second = demands.next();
      Demand third = demands.next();
      assertThat(one.and(second).and(third)).as(seed).isEqualTo(one.and(second.and(third)));
    });
  }

  @Test
  void aDemandThatIsMadeAgainChangesNothing() {
    holds((demands, seed) -> {
      Demand one = demands.next();
      Demand both = one.and(demands.next());
      assertThat(one.and(one)).as(seed).isEqualTo(one);
      assertThat(both.and(one)).as(seed).isEqualTo(both);
    });
  }

  @Test
  void anotherDemandNeverLoosensAnInstant() {
    holds((demands, seed) -> {
      Demand one = demands.next();
      Demand other = demands.next();
      assertThat(isAsTight(one.and(other).window(), one.window())).as(seed).isTrue();
      assertThat(isAsTight(one.and(other).window(), other.window())).as(seed).isTrue();
    });
  }

  private static boolean isAsTight(Demand.Window window, Demand.Window than) {
    return !window.notBefore().isAfter(than.notBefore())
        && !window.interruptAt().isAfter(than.interruptAt())
        && !window.forceAt().isAfter(than.forceAt())
        && !window.stopAt().isAfter(than.stopAt());
  }

  @Test
  void anInstantOfTheMergeIsAlwaysOneThatWasDemanded() {
    holds((demands, seed) -> {
      Demand one = demands.next();
      Demand other = demands.next();
      Demand.Window both = one.and(other).window();
      assertThat(both.notBefore())
          .as(seed)
          .isIn(one.window().notBefore(), other.window().notBefore());
      assertThat(both.interruptAt())
          .as(seed)
          .isIn(one.window().interruptAt(), other.window().interruptAt());
      assertThat(both.forceAt()).as(seed).isIn(one.window().forceAt(), other.window().forceAt());
      assertThat(both.stopAt()).as(seed).isIn(one.window().stopAt(), other.window().stopAt());
    });
  }

  @Test
  void anotherDemandNeverWeakensTheEnding() {
    holds((demands, seed) -> {
      Demand one = demands.next();
      Demand other = demands.next();
      assertThat(one.and(other).ending())
          .as(seed)
          .isEqualTo(
              ENDINGS.get(
                  Math.max(ENDINGS.indexOf(one.ending()), ENDINGS.indexOf(other.ending()))));
    });
  }

  @Test
  void noCauseIsLostAndNoneIsAdded() {
    holds((demands, seed) -> {
      Demand one = demands.next();
      Demand other = demands.next();
      List<Disruption.Cause> demanded =
          Stream.concat(one.causes().stream(), other.causes().stream()).distinct().toList();
      assertThat(one.and(other).causes())
          .as(seed)
          .containsExactlyInAnyOrderElementsOf(demanded)
          .isSortedAccordingTo((left, right) -> left.what().compareTo(right.what()));
    });
  }

  @Test
  void neitherTheOrderNorTheRepetitionOfManyDemandsMatters() {
    holds((demands, seed) -> {
      List<Demand> all = demands.list();
      List<Demand> again = new ArrayList<>(all);
      IntStream.range(0, demands.random().nextInt(4)).forEach(_ -> again.add(demands.any(all)));
      Collections.shuffle(again, demands.random());
      assertThat(Demand.merged(again)).as(seed).isEqualTo(Demand.merged(all));
    });
  }

  @Test
  void noDemandsMergeIntoNone() {
    assertThat(Demand.merged(List.of())).isEmpty();
  }
}
