package io.nodepool.local.programs;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.List;
import java.util.function.Consumer;

/**
 * The user's cache of control planes, with one directory for each version. One process at a time
 * fills it, and a failed or aborted attempt leaves no directory that looks complete.
 *
 * @param folder the parent of the directories
 * @param progress receives lines about long steps
 */
record ControlPlaneCache(Path folder, Consumer<String> progress) {
  private static final String WORK_PREFIX = "build-";

  /**
   * Excludes other threads of this process, for which a second file lock is an error. The file lock
   * excludes other processes.
   */
  private static final Object IN_THIS_PROCESS = new Object();

  /** Provides the four programs. */
  @FunctionalInterface
  interface Filling {
    /**
     * Puts the four programs into a directory.
     *
     * @param work a directory that is removed afterwards
     * @param programs the directory for the programs, inside the first
     */
    void fill(Path work, Path programs) throws IOException;
  }

  /** The directory of the version that this program runs. */
  Path target() {
    return folder.resolve(ControlPlaneModules.kubernetesVersion());
  }

  /** Returns the complete target, filled now or by another process. */
  Path filled(Filling filling) {
    synchronized (IN_THIS_PROCESS) {
      try {
        Files.createDirectories(folder);
        try (FileChannel channel =
                FileChannel.open(
                    folder.resolve("build.lock"),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE);
            FileLock _ = lock(channel)) {
          if (!ControlPlaneBinaries.missingIn(target()).isEmpty()) {
            removeLeftovers();
            fillAlone(filling);
          }
        }
      } catch (IOException e) {
        throw new LocalClusterException(
            "The control plane cannot be put into " + target() + ": " + e, e);
      }
      return target();
    }
  }

  private FileLock lock(FileChannel channel) throws IOException {
    FileLock free = channel.tryLock();
    if (free != null) {
      return free;
    }
    progress.accept("Waiting for another process that installs the control plane.");
    return channel.lock();
  }

  /** Removes the work directories of aborted processes; requires the lock. */
  private void removeLeftovers() throws IOException {
    Folders.delete(target());
    try (DirectoryStream<Path> broken = Files.newDirectoryStream(folder, WORK_PREFIX + "*")) {
      for (Path work : broken) {
        Folders.delete(work);
      }
    }
  }

  private void fillAlone(Filling filling) throws IOException {
    Path work = Files.createTempDirectory(folder, WORK_PREFIX);
    try {
      Path programs = Files.createDirectory(work.resolve("programs"));
      filling.fill(work, programs);
      List<String> missing = ControlPlaneBinaries.missingIn(programs);
      if (!missing.isEmpty()) {
        throw new LocalClusterException("The installed control plane lacks " + missing + ".");
      }
      Files.move(programs, target(), StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Folders.delete(work);
    }
  }
}
