package io.nodepool;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.Architectures.layeredArchitecture;

import com.tngtech.archunit.core.importer.ImportOption;
import com.tngtech.archunit.junit.AnalyzeClasses;
import com.tngtech.archunit.junit.ArchTest;
import com.tngtech.archunit.lang.ArchRule;
import java.time.Instant;
import java.time.InstantSource;

/** Packages are rooms on one flow; the arrows between them point one way (docs/architecture.md). */
@AnalyzeClasses(packages = "io.nodepool", importOptions = ImportOption.DoNotIncludeTests.class)
class ArchitectureTest {
  @ArchTest
  static final ArchRule arrowsPointOneWay =
      layeredArchitecture()
          .consideringOnlyDependenciesInLayers()
          .withOptionalLayers(true)
          .layer("vocabulary")
          .definedBy("io.nodepool.vocabulary..")
          .layer("fleet")
          .definedBy("io.nodepool.fleet..")
          .layer("model")
          .definedBy("io.nodepool.model..")
          .layer("plan")
          .definedBy("io.nodepool.plan..")
          .layer("control")
          .definedBy("io.nodepool.control..")
          .layer("simulated")
          .definedBy("io.nodepool.simulated..")
          .layer("kubernetes")
          .definedBy("io.nodepool.kubernetes..")
          .layer("world")
          .definedBy("io.nodepool.world..")
          .layer("local")
          .definedBy("io.nodepool.local..")
          .layer("http")
          .definedBy("io.nodepool.http..")
          .layer("cli")
          .definedBy("io.nodepool.cli..")
          .whereLayer("cli")
          .mayNotBeAccessedByAnyLayer()
          .whereLayer("http")
          .mayOnlyBeAccessedByLayers("cli")
          .whereLayer("local")
          .mayOnlyBeAccessedByLayers("cli")
          .whereLayer("kubernetes")
          .mayOnlyBeAccessedByLayers("http", "cli")
          .whereLayer("world")
          .mayOnlyBeAccessedByLayers("http", "cli")
          .whereLayer("control")
          .mayOnlyBeAccessedByLayers("kubernetes", "world", "http", "cli")
          .whereLayer("plan")
          .mayOnlyBeAccessedByLayers("control", "kubernetes", "world", "http", "cli")
          .whereLayer("model")
          .mayOnlyBeAccessedByLayers(
              "plan", "control", "simulated", "kubernetes", "world", "http", "cli")
          .whereLayer("simulated")
          .mayOnlyBeAccessedByLayers("kubernetes", "world", "cli");

  @ArchTest
  static final ArchRule onlyTheOuterRoomsKnowAClientOrAFramework =
      noClasses()
          .that()
          .resideOutsideOfPackages(
              "io.nodepool.kubernetes..",
              "io.nodepool.local..",
              "io.nodepool.http..",
              "io.nodepool.cli..")
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

  @ArchTest
  static final ArchRule planningKnowsNeitherTimeNorChanceNorThreads =
      noClasses()
          .that()
          .resideInAnyPackage(
              "io.nodepool.vocabulary..",
              "io.nodepool.fleet..",
              "io.nodepool.model..",
              "io.nodepool.plan..",
              "io.nodepool.simulated..")
          .should()
          .dependOnClassesThat()
          .resideInAnyPackage("java.util.concurrent..", "java.util.random..")
          .orShould()
          .dependOnClassesThat()
          .haveNameMatching("java\\.util\\.(Random|SplittableRandom|HashMap|HashSet|UUID)")
          .orShould()
          .callMethod(Instant.class, "now")
          .orShould()
          .callMethod(System.class, "currentTimeMillis")
          .orShould()
          .callMethod(System.class, "nanoTime");

  /** It can be set at any moment; what has to wait or to decide goes by a clock that was given. */
  @ArchTest
  static final ArchRule onlyCommandsReadTheWallClock =
      noClasses()
          .that()
          .resideOutsideOfPackages("io.nodepool.cli..", "io.nodepool.local..")
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
      noClasses().should().callMethod(Thread.class, "sleep", long.class);
}
