package io.nodepool;

import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaAccess.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.belongToAnyOf;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.type;
import static com.tngtech.archunit.core.domain.properties.CanBeAnnotated.Predicates.annotatedWith;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.name;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static java.util.stream.Collectors.groupingBy;
import static java.util.stream.Collectors.mapping;
import static java.util.stream.Collectors.toSet;
import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.core.importer.Location;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTag;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import io.nodepool.model.node.DisruptionCause;
import io.nodepool.simulated.BrokenConfiguration;
import io.nodepool.simulated.MachineFault;
import io.soabase.recordbuilder.core.RecordBuilderGenerated;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.yaml.snakeyaml.LoaderOptions;

/** The dependencies between packages, their sizes and names (docs/architecture.md). */
@AnalyzeClasses(packages = "io.nodepool", importOptions = ArchitectureTest.Main.class)
@ArchTag("slow")
@Tag("slow")
class ArchitectureTest {
  /** Also in a build whose directory is not {@code target}. */
  static final class Main implements ImportOption {
    @Override
    public boolean includes(Location location) {
      return !location.contains("/test-classes/");
    }
  }

  private static final Path MAIN = Path.of("src/main/java");
  private static final Path TESTS = Path.of("src/test/java");
  private static final String CAUSES = "io.nodepool.plan.disruption.cause";

  @ArchTest
  static final ArchRule packagesDependInOneDirection =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .withOptionalLayers(true)
          .layer("vocabulary")
          .definedBy("io.nodepool.vocabulary..")
          .layer("fleet")
          .definedBy("io.nodepool.fleet..")
          .layer("health")
          .definedBy("io.nodepool.health..")
          .layer("model")
          .definedBy("io.nodepool.model..")
          .layer("plan")
          .definedBy("io.nodepool.plan..")
          .layer("control")
          .definedBy("io.nodepool.control..")
          .layer("simulated")
          .definedBy("io.nodepool.simulated")
          .layer("simulated.cluster")
          .definedBy("io.nodepool.simulated.cluster..")
          .layer("ironic")
          .definedBy("io.nodepool.ironic")
          .layer("ironic.cluster")
          .definedBy("io.nodepool.ironic.cluster..")
          .layer("kubernetes")
          .definedBy("io.nodepool.kubernetes..")
          .layer("world")
          .definedBy("io.nodepool.world..")
          .layer("local")
          .definedBy("io.nodepool.local..")
          .layer("http")
          .definedBy("io.nodepool.http..")
          .layer("receiver")
          .definedBy("io.nodepool.receiver..")
          .layer("bench")
          .definedBy("io.nodepool.bench..")
          .layer("conformance")
          .definedBy("io.nodepool.conformance..")
          .layer("drill")
          .definedBy("io.nodepool.drill..")
          .layer("cli")
          .definedBy("io.nodepool.cli..")
          .layer("explain")
          .definedBy("io.nodepool.explain..")
          .layer("whatif")
          .definedBy("io.nodepool.whatif..")
          .layer("plugin")
          .definedBy("io.nodepool.plugin..")
          .whereLayer("plugin")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("cli")
          .mayOnlyBeAccessedByLayers("plugin")
          .whereLayer("explain")
          .mayOnlyBeAccessedByLayers("plugin")
          .whereLayer("whatif")
          .mayOnlyBeAccessedByLayers("drill", "plugin")
          .whereLayer("drill")
          .mayOnlyBeAccessedByLayers("cli", "plugin")
          .whereLayer("bench")
          .mayOnlyBeAccessedByLayers("cli")
          .whereLayer("conformance")
          .mayOnlyBeAccessedByLayers("cli")
          .whereLayer("simulated.cluster")
          .mayOnlyBeAccessedByLayers("bench", "drill", "cli")
          .whereLayer("ironic.cluster")
          .mayOnlyBeAccessedByLayers("cli")
          .whereLayer("ironic")
          .mayOnlyBeAccessedByLayers("ironic.cluster")
          .whereLayer("receiver")
          .mayOnlyBeAccessedByLayers("bench", "cli")
          .whereLayer("http")
          .mayOnlyBeAccessedByLayers("receiver", "bench", "cli")
          .whereLayer("local")
          .mayOnlyBeAccessedByLayers("bench", "cli")
          .whereLayer("kubernetes")
          .mayOnlyBeAccessedByLayers(
              "simulated.cluster",
              "ironic.cluster",
              "http",
              "receiver",
              "bench",
              "conformance",
              "drill",
              "cli",
              "plugin")
          .whereLayer("world")
          .mayOnlyBeAccessedByLayers("http", "cli", "drill", "whatif")
          .whereLayer("control")
          .mayOnlyBeAccessedByLayers(
              "kubernetes",
              "simulated.cluster",
              "ironic.cluster",
              "world",
              "http",
              "bench",
              "drill",
              "cli",
              "explain")
          .whereLayer("plan")
          .mayOnlyBeAccessedByLayers(
              "control",
              "kubernetes",
              "simulated.cluster",
              "world",
              "http",
              "bench",
              "drill",
              "cli",
              "explain",
              "whatif")
          .whereLayer("model")
          .mayOnlyBeAccessedByLayers(
              "plan",
              "control",
              "simulated",
              "simulated.cluster",
              "kubernetes",
              "world",
              "http",
              "bench",
              "conformance",
              "drill",
              "cli",
              "explain",
              "whatif",
              "plugin")
          .whereLayer("health")
          .mayOnlyBeAccessedByLayers(
              "fleet",
              "model",
              "plan",
              "control",
              "simulated",
              "simulated.cluster",
              "ironic",
              "kubernetes",
              "world",
              "http",
              "receiver",
              "bench",
              "conformance",
              "drill",
              "cli",
              "explain",
              "whatif",
              "plugin")
          .whereLayer("simulated")
          .mayOnlyBeAccessedByLayers(
              "simulated.cluster", "kubernetes", "world", "bench", "drill", "cli", "whatif");

  /** The packages of the planner depend on each other in one direction. */
  @ArchTest
  static final ArchRule planningGoesFromDisruptionsToNodesToReportsToPools =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .layer("plan")
          .definedBy("io.nodepool.plan")
          .layer("plan.disruption")
          .definedBy("io.nodepool.plan.disruption..")
          .layer("plan.configuration")
          .definedBy("io.nodepool.plan.configuration")
          .layer("plan.metadata")
          .definedBy("io.nodepool.plan.metadata")
          .layer("plan.health")
          .definedBy("io.nodepool.plan.health")
          .layer("plan.node")
          .definedBy("io.nodepool.plan.node")
          .layer("plan.rollout")
          .definedBy("io.nodepool.plan.rollout")
          .layer("plan.repair")
          .definedBy("io.nodepool.plan.repair")
          .layer("plan.occurrence")
          .definedBy("io.nodepool.plan.occurrence")
          .layer("plan.report")
          .definedBy("io.nodepool.plan.report")
          .layer("plan.pool")
          .definedBy("io.nodepool.plan.pool")
          .whereLayer("plan.pool")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("plan.occurrence")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("plan.report")
          .mayOnlyBeAccessedByLayers("plan.pool")
          .whereLayer("plan.rollout")
          .mayOnlyBeAccessedByLayers("plan.pool")
          .whereLayer("plan.repair")
          .mayOnlyBeAccessedByLayers("plan.pool")
          .whereLayer("plan.node")
          .mayOnlyBeAccessedByLayers("plan.rollout", "plan.repair", "plan.report", "plan.pool")
          .whereLayer("plan.metadata")
          .mayOnlyBeAccessedByLayers("plan.health", "plan.node", "plan.occurrence", "plan.report")
          .whereLayer("plan.health")
          .mayOnlyBeAccessedByLayers("plan.node", "plan.report", "plan.pool")
          .whereLayer("plan.configuration")
          .mayOnlyBeAccessedByLayers("plan.node", "plan.rollout", "plan.report", "plan.pool")
          .whereLayer("plan.disruption")
          .mayOnlyBeAccessedByLayers(
              "plan.configuration",
              "plan.metadata",
              "plan.node",
              "plan.rollout",
              "plan.repair",
              "plan.report",
              "plan.pool");

  /** What is said about the state is no part of it. */
  @ArchTest
  static final ArchRule observedStateIsIndependentOfReports =
      packages("io.nodepool.control.state..")
          .dependOnClassesThat(resideInAPackage("io.nodepool.plan.report"));

  /** Writes in flight are tracked for the operator and for the simulated fleet in the same way. */
  @ArchTest
  static final ArchRule writeTrackingIsIndependentOfTheTrackedWrites =
      packages("io.nodepool.control.write")
          .dependOnClassesThat(
              resideInAnyPackage(
                  "io.nodepool.control",
                  "io.nodepool.control.state..",
                  "io.nodepool.plan..",
                  "io.nodepool.model.."));

  @ArchTest
  static final ArchRule conversionsSendNothing =
      packages("io.nodepool.kubernetes.convert..")
          .dependOnClassesThat(
              resideInAPackage("io.nodepool.kubernetes..")
                  .and(
                      not(
                          resideInAnyPackage(
                              "io.nodepool.kubernetes.api..",
                              "io.nodepool.kubernetes.convert.."))));

  @ArchTest
  static final ArchRule theClientIsIndependentOfItsUsers =
      packages("io.nodepool.kubernetes.client")
          .dependOnClassesThat(
              resideInAPackage("io.nodepool.kubernetes..")
                  .and(
                      not(
                          resideInAnyPackage(
                              "io.nodepool.kubernetes.api..", "io.nodepool.kubernetes.client"))));

  @ArchTest
  static final ArchRule onlyTheOperatorsProcessAssemblesItsParts =
      packages(
              "io.nodepool.kubernetes.watch",
              "io.nodepool.kubernetes.write",
              "io.nodepool.kubernetes.fleet",
              "io.nodepool.kubernetes.leader")
          .dependOnClassesThat(
              resideInAnyPackage(
                  "io.nodepool.kubernetes.operator..", "io.nodepool.simulated.cluster.."));

  /** A fleet is a separate program; it shares only named helpers with the operator. */
  @ArchTest
  static final ArchRule fleetsShareOnlyNamedHelpersWithTheOperator =
      packages("io.nodepool.simulated.cluster..", "io.nodepool.ironic.cluster..")
          .dependOnClassesThat(
              resideInAPackage("io.nodepool.kubernetes..")
                  .and(
                      not(
                          resideInAnyPackage(
                              "io.nodepool.kubernetes.api..",
                              "io.nodepool.kubernetes.client",
                              "io.nodepool.kubernetes.thread",
                              "io.nodepool.simulated.cluster..")))
                  .and(
                      not(
                          named(
                              "WatchGroup",
                              "AppliedMetadata",
                              "HostConversion",
                              "HostReportConversion",
                              "ObjectFacts",
                              "OfferDocument",
                              "PodConversion",
                              "PoolConversion",
                              "UnreadableObjectException"))));

  /**
   * A forecast comes from what is listed: it knows neither the document nor the script of a fleet.
   */
  @ArchTest
  static final ArchRule aForecastKnowsNoDataCentre =
      packages("io.nodepool.whatif..")
          .dependOnClassesThat(
              resideInAnyPackage("io.nodepool.simulated.cluster..", "io.nodepool.kubernetes..")
                  .or(belongToAnyOf(MachineFault.class, BrokenConfiguration.class)));

  /** A fleet is judged by what is seen on its objects, and by no code that it may share. */
  @ArchTest
  static final ArchRule conformanceKnowsNoFleet =
      packages("io.nodepool.conformance..")
          .dependOnClassesThat(
              resideInAnyPackage(
                  "io.nodepool.simulated..", "io.nodepool.plan..", "io.nodepool.control.."));

  @ArchTest
  static final ArchRule theLiveViewIsLaidOutWithoutACommand =
      packages("io.nodepool.cli.view")
          .dependOnClassesThat(
              resideInAPackage("io.nodepool.cli..")
                  .and(not(resideInAPackage("io.nodepool.cli.view"))));

  /** The plugin starts in a moment and needs no right but those of its user. */
  @ArchTest
  static final ArchRule thePluginIsIndependentOfTheOperator =
      packages("io.nodepool.plugin..")
          .dependOnClassesThat(
              resideInAnyPackage(
                  "io.nodepool.kubernetes.operator..",
                  "io.nodepool.simulated.cluster..",
                  "io.nodepool.control..",
                  "io.nodepool.plan..",
                  "io.nodepool.local..",
                  "io.nodepool.cli.dev..",
                  "io.nodepool.world.."));

  @ArchTest
  static final ArchRule onlyOuterPackagesUseAClientOrAFramework =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.nodepool.kubernetes..",
              "io.nodepool.simulated.cluster..",
              "io.nodepool.ironic.cluster..",
              "io.nodepool.local..",
              "io.nodepool.http..",
              "io.nodepool.receiver..",
              "io.nodepool.bench..",
              "io.nodepool.conformance.cluster..",
              "io.nodepool.drill.document..",
              "io.nodepool.drill.workload..",
              "io.nodepool.cli..",
              "io.nodepool.plugin..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage(
              "io.fabric8..",
              "io.javaoperatorsdk..",
              "com.fasterxml..",
              "io.micrometer..",
              "org.jline..",
              "picocli..",
              "java.net.http..");

  /**
   * Its nodes know their lines; all other YAML is read with Jackson, which does not keep them, and
   * has the options of the parser.
   */
  @ArchTest
  static final ArchRule onlyTheAlertCatalogueUsesTheYamlParser =
      noClasses()
          .that()
          .resideOutsideOfPackage("io.nodepool.health.catalogue")
          .should()
          .dependOnClassesThat(resideInAPackage("org.yaml..").and(not(type(LoaderOptions.class))));

  /** It costs time to load, which neither the operator nor the plugin has. */
  @ArchTest
  static final ArchRule onlyExpectationsOfDrillsUseCel =
      noClasses()
          .that()
          .doNotHaveFullyQualifiedName("io.nodepool.drill.Expectation")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("dev.cel..");

  @ArchTest
  static final ArchRule planningUsesNeitherTimeNorChanceNorThreads =
      noClasses()
          .that()
          .resideInAnyPackage(
              "io.nodepool.vocabulary..",
              "io.nodepool.fleet..",
              "io.nodepool.health..",
              "io.nodepool.model..",
              "io.nodepool.plan..",
              "io.nodepool.ironic",
              "io.nodepool.simulated")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.util.concurrent..", "java.util.random..")
          .orShould()
          .dependOnClassesThat()
          .haveNameMatching("java\\.util\\.(Random|SplittableRandom|HashMap|HashSet)")
          .orShould()
          .callMethod(UUID.class, "randomUUID")
          .orShould()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(System.class, "nanoTime");

  /** The wall clock can be set at any moment; waits and decisions use an injected clock. */
  @ArchTest
  static final ArchRule onlyCommandsReadTheWallClock =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.nodepool.cli..",
              "io.nodepool.plugin..",
              "io.nodepool.bench..",
              "io.nodepool.local..")
          .should()
          .callMethod(InstantSource.class, "system")
          .orShould()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .dependOnClassesThat()
          .haveNameMatching("java\\.util\\.(Timer|TimerTask|Date)|java\\.time\\.Clock");

  @ArchTest
  static final ArchRule nothingSleeps =
      noClasses()
          .should()
          .callMethodWhere(
              target(name("sleep"))
                  .and(target(owner(assignableTo(Thread.class).or(assignableTo(TimeUnit.class))))));

  /** A cycle of packages has no order in which they can be read. */
  @ArchTest
  static final ArchRule packagesHaveNoCycles =
      slices().matching("io.nodepool.(**)").should().beFreeOfCycles();

  /** An import that only documentation uses is a dependency that no rule sees. */
  @Test
  void importsAreUsedByCode() throws IOException {
    Pattern imports = Pattern.compile("^import (?:static )?[\\w.]+\\.(\\w+);", Pattern.MULTILINE);
    Map<Path, List<String>> unused = new TreeMap<>();
    try (var files = Files.walk(MAIN)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
        String source = Files.readString(file);
        String code =
            Pattern.compile("(?s)/\\*.*?\\*/|//[^\n]*|^import [^\n]*", Pattern.MULTILINE)
                .matcher(source)
                .replaceAll("");
        List<String> names =
            imports
                .matcher(source)
                .results()
                .map(found -> found.group(1))
                .filter(imported -> !Pattern.compile("\\b" + imported + "\\b").matcher(code).find())
                .toList();
        if (!names.isEmpty()) {
          unused.put(file, names);
        }
      }
    }
    assertThat(unused).isEmpty();
  }

  /** A generated builder leaves null what is not set; a generated {@code with} method does not. */
  @ArchTest
  static final ArchRule nothingIsBuiltWithoutItsComponents =
      noClasses()
          .should()
          .callMethodWhere(
              target(nameMatching("builder"))
                  .and(target(owner(annotatedWith(RecordBuilderGenerated.class)))));

  /** Top-level type names are unique, so imports need no qualification. */
  @ArchTest
  static void typeNamesAreUnique(JavaClasses classes) {
    Set<String> topLevel =
        classes.stream()
            .filter(JavaClass::isTopLevelClass)
            .map(JavaClass::getSimpleName)
            .collect(toSet());
    Map<String, Set<String>> owners =
        classes.stream()
            .filter(type -> type.isTopLevelClass() || type.isMemberClass())
            .filter(type -> !type.getModifiers().contains(JavaModifier.PRIVATE))
            .filter(type -> topLevel.contains(type.getSimpleName()))
            .collect(groupingBy(JavaClass::getSimpleName, mapping(JavaClass::getName, toSet())));
    owners.remove("package-info");
    assertThat(owners.values().stream().filter(names -> names.size() > 1)).isEmpty();
  }

  @Test
  void theFilesThatTheArchitecturePageNamesExist() throws IOException {
    List<String> named =
        Pattern.compile("`([a-z/]+/[A-Z]\\w+\\.java)`")
            .matcher(Files.readString(Path.of("docs/architecture.md")))
            .results()
            .map(found -> found.group(1))
            .toList();
    assertThat(named).hasSizeGreaterThanOrEqualTo(20);
    assertThat(named)
        .allMatch(file ->
            Stream.of(MAIN, TESTS)
                .anyMatch(root -> Files.exists(root.resolve("io/nodepool").resolve(file))));
  }

  /** Other code asks what a cause says of itself, and does not know which causes there are. */
  @ArchTest
  static void causesAreKnownInTheirOwnFilesAlone(JavaClasses classes) {
    assertThat(
            classes.stream()
                .filter(type -> !type.getPackageName().equals(CAUSES))
                .flatMap(type -> type.getInstanceofChecks().stream())
                .filter(check -> check.getRawType().isAssignableTo(DisruptionCause.class)))
        .isEmpty();
  }

  @Test
  void wordsOfCausesAreNotTested() throws IOException {
    try (var files = Files.walk(MAIN)) {
      for (Path file : files.filter(each -> each.toString().endsWith(".java")).toList()) {
        assertThat(Files.readString(file)).as(file.toString()).doesNotContain("isFor(\"");
      }
    }
  }

  private static PackageRule packages(String... packages) {
    return forbidden ->
        noClasses().that().resideInAnyPackage(packages).should().dependOnClassesThat(forbidden);
  }

  private static DescribedPredicate<JavaClass> named(String... names) {
    Set<String> allowed = Set.of(names);
    return DescribedPredicate.describe(
        "named " + allowed, type -> allowed.contains(outermost(type).getSimpleName()));
  }

  private static JavaClass outermost(JavaClass type) {
    return type.getEnclosingClass().map(ArchitectureTest::outermost).orElse(type);
  }

  /** A rule about the dependencies of packages. */
  private interface PackageRule {
    ArchRule dependOnClassesThat(DescribedPredicate<? super JavaClass> forbidden);
  }
}
