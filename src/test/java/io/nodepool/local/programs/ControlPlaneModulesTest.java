package io.nodepool.local.programs;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ControlPlaneModulesTest {

  @Test
  void theLinkerSetsTheVersionThatTheModuleRequires(@TempDir Path folder) throws Exception {
    ControlPlaneModules.writeTo(folder);

    String version = ControlPlaneModules.kubernetesVersion();
    assertThat(version).matches("v1\\.\\d+\\.\\d+");
    assertThat(folder.resolve("go.mod")).content().contains("k8s.io/kubernetes " + version);
    assertThat(ControlPlaneModules.linkerFlags())
        .startsWith("-s -w -X ")
        .contains("version.gitVersion=" + version + " ")
        .contains("version.gitMajor=1 ")
        .endsWith("version.gitMinor=" + version.split("\\.", -1)[1]);
  }

  @Test
  void everyStagingModuleIsReplacedByTheSameRelease(@TempDir Path folder) throws Exception {
    ControlPlaneModules.writeTo(folder);
    String staging = "v0" + ControlPlaneModules.kubernetesVersion().substring(2);

    assertThat(Files.readAllLines(folder.resolve("go.mod")))
        .filteredOn(line -> line.contains("=>"))
        .isNotEmpty()
        .allMatch(line -> line.endsWith(" " + staging));
    assertThat(folder.resolve("go.sum")).content().contains("k8s.io/kubernetes ");
  }
}
