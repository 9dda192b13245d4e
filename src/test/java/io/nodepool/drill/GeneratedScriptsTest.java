package io.nodepool.drill;

import static org.assertj.core.api.Assertions.assertThat;

import io.nodepool.control.LoopSettings;
import io.nodepool.drill.document.ScenarioDocument;
import io.nodepool.drill.script.Deed;
import io.nodepool.drill.script.Deed.Fault;
import io.nodepool.drill.script.MachineSelection;
import io.nodepool.drill.script.ScriptEntry;
import io.nodepool.drill.script.When;
import io.nodepool.drill.workload.WorkloadManifest;
import io.nodepool.health.catalogue.Alert;
import io.nodepool.health.catalogue.AlertCatalogue;
import io.nodepool.model.pool.PoolSpec;
import io.nodepool.vocabulary.LifecycleState;
import io.nodepool.whatif.AskedChange;
import io.nodepool.whatif.Question;
import io.nodepool.world.check.Checks;
import io.nodepool.world.operator.Faults;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The ready-made data centres, pools and workloads, with scripts that are generated, watched by the
 * oracles of the virtual world. {@code -Ddrill.scripts=N} sets the number, {@code -Ddrill.first=N}
 * the first seed.
 */
@Tag("world")
class GeneratedScriptsTest {
  private static final long RUNS = Long.getLong("drill.scripts", 10);
  private static final long FIRST = Long.getLong("drill.first", 1);

  /** A longer one only repeats. */
  private static final Duration LONGEST = Duration.ofDays(2);

  private static final int AUDIT_EVERY = 2000;

  /** Later ones that found something, in the operator or in an oracle; played with the first. */
  private static final long[] FOUND = {5965, 6845, 12430};

  @Test
  void whateverHappensWhatIsSaidIsTrue() throws IOException {
    List<Path> files = ReadyMadeDrills.files().toList();
    AtomicLong steps = new AtomicLong();
    AtomicLong hours = new AtomicLong();
    long begin = System.nanoTime();
    LongStream asked = LongStream.range(FIRST, FIRST + RUNS);
    long[] seeds = (FIRST == 1 ? LongStream.concat(asked, LongStream.of(FOUND)) : asked).toArray();
    List<String> violations =
        LongStream.of(seeds)
            .parallel()
            .mapToObj(seed -> violation(files, seed, steps, hours))
            .flatMap(Optional::stream)
            .toList();
    double seconds = (System.nanoTime() - begin) / 1e9;
    System.out.printf(
        "generated scripts: %d runs, %d steps, %d virtual hours, %.0f a second, %d violations%n",
        seeds.length, steps.get(), hours.get(), hours.get() / seconds, violations.size());
    assertThat(violations).isEmpty();
  }

  private static Optional<String> violation(
      List<Path> files, long seed, AtomicLong steps, AtomicLong hours) {
    Path file = files.get((int) (seed % files.size()));
    Scenario scenario = generated(ScenarioDocument.read(file), new SplittableRandom(seed));
    try {
      DrillResult result =
          DrillRun.watched(
              scenario,
              seed,
              world -> Checks.watch(world, LoopSettings.DEFAULTS, Faults.NONE, AUDIT_EVERY));
      steps.addAndGet(result.steps());
      hours.addAndGet(scenario.lasts().toHours());
      return counted(result).map(what -> "seed %d, %s: %s".formatted(seed, file, what));
    } catch (IllegalStateException untrue) {
      return Optional.of(
          "seed %d, %s: %s; %s"
              .formatted(
                  seed,
                  file.getFileName(),
                  untrue.getMessage(),
                  scenario.script().stream().map(ScriptEntry::text).sorted().toList()));
    }
  }

  /** What does not add up at the end; Pods that are being made are neither running nor pending. */
  private static Optional<String> counted(DrillResult result) {
    return result.workloads().entrySet().stream()
        .filter(each -> {
          var figures = each.getValue();
          return figures.running() + figures.pending() > figures.wanted()
              || figures.share() > 1
              || figures.lost().isNegative();
        })
        .map(each -> each.getKey() + " " + each.getValue())
        .findFirst();
  }

  private static Scenario generated(Scenario of, SplittableRandom random) {
    Duration lasts = of.lasts().compareTo(LONGEST) > 0 ? LONGEST : of.lasts();
    List<ScriptEntry> script = new ArrayList<>();
    for (int i = 3 + random.nextInt(12); i > 0; i--) {
      Deed deed = deed(of, random);
      Duration at = Duration.ofSeconds(600 + random.nextLong(lasts.toSeconds() - 600));
      script.add(new ScriptEntry(new When.At(at), deed, "%s %s".formatted(at, words(deed))));
    }
    return new Scenario(
        of.name(), lasts, of.site(), of.objects(), script, List.of(), of.warnings());
  }

  private static Deed deed(Scenario scenario, SplittableRandom random) {
    Question.Wanted pool =
        scenario.objects().pools().get(random.nextInt(scenario.objects().pools().size()));
    List<WorkloadManifest> workloads =
        scenario.objects().workloads().values().stream()
            .filter(each -> each.kind().isScaled())
            .toList();
    return switch (random.nextInt(12)) {
      case 0 -> new Deed.RestartOperator(time(random, 30));
      case 1 -> new Deed.PauseOperator(time(random, 20));
      case 2 -> new Deed.ApiOutage(time(random, 20));
      case 3 ->
          new Deed.Ask(new Question.Scale(pool.name(), random.nextInt(pool.spec().target() + 3)));
      case 4 -> new Deed.Ask(new Question.Upgrade(pool.name()));
      case 5 ->
          new Deed.Ask(
              new Question.RolloutStart(pool.name(), pool.spec().configuration().rollout()));
      case 6 ->
          new Deed.Ask(
              new Question.OtherQuota(
                  pool.spec().instanceType(), random.nextInt(pool.spec().target() + 8)));
      case 7 -> workloads.isEmpty() ? new Deed.DeletePool(pool.name()) : resized(workloads, random);
      case 8 -> new Deed.Ask(new Question.Apply(List.of(applied(pool, random))));
      default -> new Deed.ToMachines(machines(pool, random), fault(random));
    };
  }

  private static String words(Deed deed) {
    return switch (deed) {
      case Deed.ToMachines(MachineSelection machines, Fault fault) ->
          "%s of %s %s".formatted(fault, machines.count(), machines.state());
      case Deed.Ask(Question question) -> question.getClass().getSimpleName();
      default -> deed.getClass().getSimpleName();
    };
  }

  private static Deed resized(List<WorkloadManifest> workloads, SplittableRandom random) {
    WorkloadManifest workload = workloads.get(random.nextInt(workloads.size()));
    return new Deed.ScaleWorkload(workload, random.nextInt(workload.replicas() + 3));
  }

  private static Question.Wanted applied(Question.Wanted pool, SplittableRandom random) {
    PoolSpec spec = pool.spec();
    PoolSpec.ScaleDownStrategy strategy =
        random.nextBoolean()
            ? PoolSpec.ScaleDownStrategy.PREFER_IDLE
            : PoolSpec.ScaleDownStrategy.IDLE_ONLY;
    return new Question.Wanted(
        pool.name(),
        AskedChange.sized(
            spec.withLifecycle(spec.lifecycle().withScaleDownStrategy(strategy)),
            random.nextInt(spec.target() + 3)));
  }

  private static MachineSelection machines(Question.Wanted pool, SplittableRandom random) {
    List<MachineSelection.State> states = List.of(MachineSelection.State.values());
    MachineSelection.State state = states.get(random.nextInt(states.size()));
    return new MachineSelection(
        List.of(),
        random.nextInt(5) > 0 ? Optional.of(pool.name()) : Optional.empty(),
        Optional.empty(),
        Optional.empty(),
        state,
        OptionalInt.of(1 + random.nextInt(4)));
  }

  private static Fault fault(SplittableRandom random) {
    Optional<Duration> sometimes =
        random.nextBoolean() ? Optional.of(time(random, 300)) : Optional.empty();
    return switch (random.nextInt(11)) {
      case 0 -> new Fault.Cordon();
      case 1 -> new Fault.Uncordon();
      case 2 -> new Fault.DrainByHand();
      case 3 -> new Fault.Reboot(LifecycleState.REBOOT, random.nextBoolean());
      case 4 -> new Fault.Preempt(sometimes);
      case 5 -> new Fault.LosePower(sometimes);
      case 6 -> new Fault.Fail(sometimes);
      case 7 -> new Fault.Silence(time(random, 120));
      case 8 -> new Fault.Maintain(time(random, 120));
      case 9 -> new Fault.Release();
      default -> {
        List<Alert> alerts = List.copyOf(AlertCatalogue.shipped().all());
        yield new Fault.ReportAlert(
            alerts.get(random.nextInt(alerts.size())).name(), random.nextBoolean(), sometimes);
      }
    };
  }

  private static Duration time(SplittableRandom random, int minutes) {
    return Duration.ofMinutes(1 + random.nextInt(minutes));
  }
}
