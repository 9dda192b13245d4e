package io.nodepool.local.programs;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import io.nodepool.local.Scripts;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class ControlPlaneBinariesTest {
  /** An address without a server. */
  private static final String NOBODY = "http://127.0.0.1:1";

  private final Map<String, String> environment = new HashMap<>();
  private final List<String> progress = new ArrayList<>();
  private ControlPlaneBinaries.Choice choice = ControlPlaneBinaries.Choice.NONE;

  @TempDir private Path folder;

  @Test
  void aNamedDirectoryComesFirst() throws Exception {
    Path named = programs("named");
    environment.put("KUBEBUILDER_ASSETS", programs("assets").toString());

    assertThat(named(named).find()).isEqualTo(named);
  }

  @Test
  void theAssetsOfTheEnvironmentComeBeforeTheCache() throws Exception {
    Path assets = programs("assets");
    programs("home/.cache/nodepool/control-plane/" + ControlPlaneModules.kubernetesVersion());
    environment.put("KUBEBUILDER_ASSETS", assets.toString());

    assertThat(search().find()).isEqualTo(assets);
  }

  @Test
  void theCacheIsBelowTheUsersCacheDirectory() throws Exception {
    String version = ControlPlaneModules.kubernetesVersion();
    Path usual = programs("home/.cache/nodepool/control-plane/" + version);
    assertThat(search().find()).isEqualTo(usual);

    Path elsewhere = programs("elsewhere/nodepool/control-plane/" + version);
    environment.put("XDG_CACHE_HOME", folder.resolve("elsewhere").toString());
    assertThat(search().find()).isEqualTo(elsewhere);

    // By its specification relative paths are ignored, and an empty value counts as unset.
    environment.put("XDG_CACHE_HOME", "elsewhere");
    assertThat(search().find()).isEqualTo(usual);
    environment.put("XDG_CACHE_HOME", "");
    assertThat(search().find()).isEqualTo(usual);
  }

  @Test
  void aProxyThatCannotBeUsedMattersOnlyWhereOneIsNeeded() throws Exception {
    environment.put("HTTPS_PROXY", "socks5://p:1");
    assertThat(search().mistake())
        .hasValueSatisfying(why -> assertThat(why).contains("HTTPS_PROXY"));

    choice = new ControlPlaneBinaries.Choice(Optional.empty(), Optional.empty(), false, true);
    assertThat(search().mistake()).isEmpty();

    choice = ControlPlaneBinaries.Choice.NONE;
    programs("home/.cache/nodepool/control-plane/" + ControlPlaneModules.kubernetesVersion());
    assertThat(search().mistake()).isEmpty();
  }

  @Test
  void anIncompleteDirectoryIsAnErrorThatNamesWhatIsMissing() throws Exception {
    Path assets = programs("assets");
    Files.delete(assets.resolve("kube-scheduler"));
    Files.setPosixFilePermissions(
        assets.resolve("kube-controller-manager"), PosixFilePermissions.fromString("rw-r--r--"));
    environment.put("KUBEBUILDER_ASSETS", assets.toString());

    assertThatExceptionOfType(LocalClusterException.class)
        .isThrownBy(() -> search().find())
        .withMessage(
            "The directory "
                + assets
                + " (given in KUBEBUILDER_ASSETS) lacks kube-controller-manager and kube-scheduler:"
                + " it must hold etcd, kube-apiserver, kube-controller-manager and kube-scheduler as"
                + " executable files.");
    assertThatExceptionOfType(LocalClusterException.class)
        .isThrownBy(() -> named(folder.resolve("nowhere")).find())
        .withMessageContaining(
            "nowhere (given with --binaries) is not a directory: it must hold etcd,");
  }

  @Test
  void withoutProgramsAndWithoutGoOneLineNamesTheRemedies() {
    environment.put("PATH", folder.toString());
    environment.put("HTTPS_PROXY", NOBODY);

    assertThatExceptionOfType(LocalClusterException.class)
        .isThrownBy(() -> search().find())
        .satisfies(failure ->
            assertThat(failure.getMessage())
                .hasLineCount(1)
                .contains(
                    "it cannot be downloaded (github.com cannot be reached: connection refused)")
                .contains("install Go")
                .contains("--binaries or KUBEBUILDER_ASSETS")
                .contains("--binary-mirror")
                .contains("--context"));
  }

  @Test
  void withoutANetworkAnIncompleteCacheIsFilledWithTheFirstGoOnThePath() throws Exception {
    Path cached =
        programs("home/.cache/nodepool/control-plane/" + ControlPlaneModules.kubernetesVersion());
    Files.delete(cached.resolve("etcd"));
    goOnThePath();
    environment.put("HTTPS_PROXY", NOBODY);

    assertThat(search().find()).isEqualTo(cached);
    assertThat(ControlPlaneBinaries.missingIn(cached)).isEmpty();
    assertThat(progress)
        .startsWith(
            "The control plane cannot be downloaded: github.com cannot be reached: connection refused.");
  }

  @Test
  void offlineNothingIsDownloadedAndGoBuilds() throws Exception {
    goOnThePath();
    // Would be used first, and does not exist.
    environment.put("NODEPOOL_BINARY_MIRROR", NOBODY);
    choice = new ControlPlaneBinaries.Choice(Optional.empty(), Optional.empty(), false, true);

    assertThat(ControlPlaneBinaries.missingIn(search().find())).isEmpty();
    assertThat(progress).startsWith("The control plane cannot be downloaded: --offline.");
  }

  @Test
  void aMirrorThatWasNamedIsNotReplacedByGo() throws Exception {
    goOnThePath();
    choice = new ControlPlaneBinaries.Choice(Optional.empty(), Optional.of(NOBODY), true, false);

    assertThatExceptionOfType(LocalClusterException.class)
        .isThrownBy(() -> search().find())
        .withMessage(
            "The mirror http://127.0.0.1:1 does not serve the control plane:"
                + " 127.0.0.1 cannot be reached: connection refused.");
  }

  private void goOnThePath() throws Exception {
    Path tools = Files.createDirectory(folder.resolve("tools"));
    FakeGo.write(tools.resolve("go"), "");
    environment.put("PATH", folder + "::" + tools + ":" + System.getenv("PATH"));
  }

  private ControlPlaneBinaries named(Path directory) {
    choice =
        new ControlPlaneBinaries.Choice(Optional.of(directory), Optional.empty(), false, false);
    return search();
  }

  private ControlPlaneBinaries search() {
    return new ControlPlaneBinaries(
        choice,
        environment,
        folder.resolve("home"),
        Progress.lines(progress::add),
        InstantSource.system());
  }

  private Path programs(String where) throws Exception {
    Path directory = Files.createDirectories(folder.resolve(where));
    for (String name : ControlPlaneProgram.fileNames()) {
      Scripts.write(directory.resolve(name), "exit 0");
    }
    return directory;
  }
}
