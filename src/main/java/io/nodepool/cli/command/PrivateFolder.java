package io.nodepool.cli.command;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.Deque;

/** A folder of files that only this user may read and that are removed when the command ends. */
public final class PrivateFolder implements AutoCloseable {
  private final Path folder;
  private final Deque<Path> files = new ArrayDeque<>();

  private boolean kept;

  private PrivateFolder(Path folder) {
    this.folder = folder;
  }

  /** Creates a folder in the temporary directory. */
  public static PrivateFolder create() {
    try {
      // Only this user may enter such a folder.
      return new PrivateFolder(Files.createTempDirectory("nodepool-dev-"));
    } catch (IOException e) {
      throw new CommandFailure("The temporary folder cannot be created: " + e, e);
    }
  }

  /** The path of a file in this folder; the file is removed at the end if it exists. */
  public Path file(String name) {
    Path file = folder.resolve(name);
    files.push(file);
    return file;
  }

  /** Writes a new file into this folder. */
  public Path write(String name, String text) {
    Path file = folder.resolve(name);
    writeElsewhere(file, text);
    return file;
  }

  /**
   * Writes a new file outside of this folder; it is removed together with the folder.
   *
   * @throws CommandFailure if the file exists already, or cannot be written
   */
  public void writeElsewhere(Path file, String text) {
    FileAttribute<?> ownerOnly =
        PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));
    try {
      Files.createFile(file, ownerOnly);
      files.push(file);
      Files.writeString(file, text);
    } catch (FileAlreadyExistsException e) {
      throw new CommandFailure("%s exists; it is not overwritten.".formatted(file), e);
    } catch (IOException e) {
      throw new CommandFailure("%s cannot be written: %s".formatted(file, e), e);
    }
  }

  /** Keeps a file when the command ends. */
  public synchronized void keep(Path file) {
    files.remove(file);
    kept = true;
  }

  @Override
  public synchronized void close() {
    try {
      for (Path file : files) {
        Files.deleteIfExists(file);
      }
      if (!kept) {
        Files.deleteIfExists(folder);
      }
    } catch (IOException e) {
      throw new UncheckedIOException("A temporary file cannot be removed", e);
    }
  }
}
