package io.nodepool.plan.disruption;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.model.node.DisruptionEnding;
import io.nodepool.vocabulary.BootKind;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
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
          new DisruptionEnding.Reboot(BootKind.VERIFICATION),
          new DisruptionEnding.Reboot(BootKind.REBOOT),
          new DisruptionEnding.Reboot(BootKind.POWER_RESET),
          new DisruptionEnding.Reboot(BootKind.HOST_RESET),
          new DisruptionEnding.Reboot(BootKind.HOST_AND_DPU_RESET),
          new DisruptionEnding.Leave());

  /** Demands of one run, made of its seed. */
  private record Demands(Random random) {
    private <T> T any(List<T> of) {
      return of.get(random.nextInt(of.size()));
    }

    Demand next() {
      return new Demand(IntStream.rangeClosed(0, random.nextInt(3)).mapToObj(_ -> part()).toList());
    }

    private Demand.Part part() {
      return new Demand.Part(
          any(ENDINGS),
          new Demand.Window(any(INSTANTS), any(INSTANTS), any(INSTANTS), any(INSTANTS)));
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
      assertThat(isAsTight(one.and(other), one)).as(seed).isTrue();
      assertThat(isAsTight(one.and(other), other)).as(seed).isTrue();
    });
  }

  /** Whether each class of ending is in the merge, with no later instant. */
  private static boolean isAsTight(Demand merged, Demand than) {
    return than.parts().stream()
        .allMatch(part ->
            ofClass(merged, part).filter(m -> isAsTight(m.window(), part.window())).isPresent());
  }

  private static Optional<Demand.Part> ofClass(Demand demand, Demand.Part part) {
    return demand.parts().stream()
        .filter(each -> each.ending().strength() == part.ending().strength())
        .findFirst();
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
      for (Demand.Part both : one.and(other).parts()) {
        List<Demand.Window> demanded =
            Stream.of(one, other)
                .flatMap(demand -> ofClass(demand, both).stream())
                .map(Demand.Part::window)
                .toList();
        assertThat(demanded)
            .as(seed)
            .extracting(Demand.Window::notBefore)
            .contains(both.window().notBefore());
        assertThat(demanded)
            .as(seed)
            .extracting(Demand.Window::interruptAt)
            .contains(both.window().interruptAt());
        assertThat(demanded)
            .as(seed)
            .extracting(Demand.Window::forceAt)
            .contains(both.window().forceAt());
        assertThat(demanded)
            .as(seed)
            .extracting(Demand.Window::stopAt)
            .contains(both.window().stopAt());
      }
    });
  }

  @Test
  void aDemandThatWaitsForAnIdleNodeHidesNoneThatInterruptsWork() {
    holds((demands, seed) -> {
      Demand demand = demands.next();
      Demand.Part busy = demand.carriedOut(true);
      boolean any =
          demand.parts().stream().anyMatch(p -> p.window().interruptAt().isBefore(Instant.MAX));
      assertThat(busy.window().interruptAt().isBefore(Instant.MAX)).as(seed).isEqualTo(any);
      assertThat(demand.carriedOut(false)).as(seed).isEqualTo(demand.parts().getLast());
    });
  }

  @Test
  void anotherDemandNeverWeakensTheEnding() {
    holds((demands, seed) -> {
      Demand one = demands.next();
      Demand other = demands.next();
      assertThat(strongest(one.and(other)))
          .as(seed)
          .isEqualTo(Math.max(strongest(one), strongest(other)));
    });
  }

  private static int strongest(Demand demand) {
    return ENDINGS.indexOf(demand.carriedOut(false).ending());
  }

  @Test
  void neitherTheOrderNorTheRepetitionOfManyDemandsMatters() {
    holds((demands, seed) -> {
      List<Demand> all = demands.list();
      List<Demand> again = new ArrayList<>(all);
      IntStream.range(0, demands.random().nextInt(4)).forEach(_ -> again.add(demands.any(all)));
      Collections.shuffle(again, demands.random());
      assertThat(again.stream().reduce(Demand::and))
          .as(seed)
          .isEqualTo(all.stream().reduce(Demand::and));
    });
  }
}
