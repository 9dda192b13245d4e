package io.nodepool.plan.configuration;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.fleet.configuration.ConfigurationRequest;
import io.nodepool.fleet.configuration.FleetRelease;
import io.nodepool.model.pool.ConfigurationVerdicts;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** What is selected where other pools of the same type report a configuration as disabled. */
class SelectionsTest {
  private static final ConfigurationRequest NAMED =
      ConfigurationRequest.NONE.withImage(
          Optional.of(new ConfigurationRequest.ImageRequest("image-3", "stable", "")));

  private static FleetRelease release(int number) {
    return new FleetRelease.Parts(
        String.valueOf(number),
        List.of(new FleetRelease.Image("image-" + number, "stable", List.of("6.8"))),
        List.of(),
        "v1.34.4");
  }

  private static String profile(int number) {
    return "image-%d_6.8_none_v1.34.4".formatted(number);
  }

  private static Selections selections(
      ConfigurationRequest request, List<Integer> disabled, List<Integer> proven) {
    TreeMap<String, String> disabledIn = new TreeMap<>();
    disabled.forEach(number -> disabledIn.put(profile(number), "a"));
    TreeSet<String> booted = new TreeSet<>();
    proven.forEach(number -> booted.add(profile(number)));
    return new Selections(
        request,
        false,
        List.of(release(1), release(2), release(3)),
        new ConfigurationVerdicts(disabledIn, booted));
  }

  private static Optional<String> newest(List<Integer> disabled, List<Integer> proven) {
    return selections(ConfigurationRequest.NONE, disabled, proven)
        .newest()
        .map(Selections.Selected::profile);
  }

  @Test
  void theNewestOneIsSelectedWhilePoolsDisabledAnother() {
    assertThat(newest(List.of(), List.of(1))).contains(profile(3));
    assertThat(newest(List.of(2), List.of(1))).contains(profile(3));
  }

  @Test
  void insteadOfOneThatAPoolDisabledTheNewestProvenOneIsSelected() {
    assertThat(newest(List.of(3), List.of(1))).contains(profile(1));
    assertThat(newest(List.of(3), List.of(1, 2, 3))).contains(profile(2));
    assertThat(newest(List.of(3), List.of())).contains(profile(2));
    assertThat(newest(List.of(1, 2, 3), List.of(1))).isEmpty();
  }

  @Test
  void oneThatTheSpecNamesIsSelectedAndItsVerdictSaid() {
    Selections selections = selections(NAMED, List.of(3), List.of(1));
    assertThat(selections.newest().map(Selections.Selected::profile)).contains(profile(3));
    assertThat(selections.verdict(profile(3)))
        .contains(profile(3) + ", which the spec names, is disabled in NodePool a.");
  }

  @Test
  void itIsSaidThatOneIsNotChosen() {
    assertThat(selections(ConfigurationRequest.NONE, List.of(3), List.of(1)).verdict(profile(1)))
        .contains(
            profile(3)
                + " is not chosen, since it is disabled in NodePool a; the newest other one is "
                + profile(1)
                + ". To boot it nevertheless, name it in spec.image.");
    assertThat(selections(ConfigurationRequest.NONE, List.of(2), List.of()).verdict(profile(3)))
        .isEmpty();
  }
}
