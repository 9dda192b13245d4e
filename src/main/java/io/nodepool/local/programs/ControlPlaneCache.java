package io.nodepool.local.programs;

import io.nodepool.local.Folders;
import io.nodepool.local.LocalClusterException;
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
 * The control planes that this user has, each version in a directory of its own. One process at a
 * time fills it, and what fails or is broken off leaves nothing that looks complete.
 *
 * @param folder where the directories are
 * @param progress told, line by line, what takes long
 */
record ControlPlaneCache(Path folder, Consumer<String> progress) {
  private static final String WORK_PREFIX = "build-";

  /**
   * A file lock holds other processes off; this one the other threads of this process, for which a
   * second file lock is an error.
   */
  private static final Object IN_THIS_PROCESS = new Object();

  /** Brings the four programs in. */
  @FunctionalInterface
  interface Filling {
    /**
     * Puts the four programs into a directory.
     *
     * @param work a directory that is removed afterwards
     * @param programs where they are to be, below the first
     */
    void fill(Path work, Path programs) throws IOException;
  }

  /** The directory of the version that this program runs. */
  Path target() {
    return folder.resolve(ControlPlaneModules.kubernetesVersion());
  }

  /** The target, complete: filled now, or meanwhile by another process. */
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
    progress.accept("Another process is fetching the control plane; waiting for it.");
    return channel.lock();
  }

  /** With the lock held, every work directory belongs to a process that was broken off. */
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
        throw new LocalClusterException("The control plane came without " + missing + ".");
      }
      Files.move(programs, target(), StandardCopyOption.ATOMIC_MOVE);
    } finally {
      Folders.delete(work);
    }
  }
}
