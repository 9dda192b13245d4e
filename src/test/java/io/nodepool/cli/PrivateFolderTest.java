package io.nodepool.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.nodepool.cli.command.CommandFailure;
import io.nodepool.cli.command.PrivateFolder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Objects;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PrivateFolderTest {
  @TempDir private Path elsewhere;

  @Test
  void itsFilesAreReadableByTheUserOnlyAndRemovedWithIt() throws Exception {
    Path inside;
    Path outside = elsewhere.resolve("kubeconfig");
    try (PrivateFolder folder = PrivateFolder.create()) {
      inside = folder.write("kubeconfig", "secret");
      folder.writeElsewhere(outside, "secret");
      assertThat(permissions(inside)).isEqualTo("rw-------");
      assertThat(permissions(outside)).isEqualTo("rw-------");
      assertThat(permissions(folderOf(inside))).isEqualTo("rwx------");
      assertThat(outside).hasContent("secret");
    }
    assertThat(folderOf(inside)).doesNotExist();
    assertThat(outside).doesNotExist();
  }

  @Test
  void anExistingFileIsNeitherOverwrittenNorRemoved() throws Exception {
    Path theirs = Files.writeString(elsewhere.resolve("config"), "theirs");
    try (PrivateFolder folder = PrivateFolder.create()) {
      assertThatThrownBy(() -> folder.writeElsewhere(theirs, "ours"))
          .isInstanceOf(CommandFailure.class)
          .hasMessage(theirs + " exists; it is not overwritten.");
    }
    assertThat(theirs).hasContent("theirs");
  }

  @Test
  void aKeptFileStays() throws Exception {
    Path log;
    try (PrivateFolder folder = PrivateFolder.create()) {
      log = folder.file("log");
      Files.writeString(log, "why");
      folder.keep(log);
    }
    assertThat(log).hasContent("why");
    Files.delete(log);
    Files.delete(folderOf(log));
  }

  private static Path folderOf(Path file) {
    return Objects.requireNonNull(file.getParent());
  }

  private static String permissions(Path path) throws Exception {
    return PosixFilePermissions.toString(Files.getPosixFilePermissions(path));
  }
}
