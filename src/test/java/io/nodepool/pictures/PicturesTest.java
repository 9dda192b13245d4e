package io.nodepool.pictures;

import io.nodepool.GeneratedText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/**
 * Checks that the pictures of docs/architecture.md are what the code draws; writes them with {@code
 * -Dreference.write=true}.
 */
class PicturesTest {
  private static final Path FOLDER = Path.of("docs", "pictures");

  @Test
  void theRoomsAreThoseOfTheSources() throws IOException {
    compare("rooms.svg", new RoomsPicture().drawn());
  }

  @Test
  void theLifeOfANodeHasEachStateOfTheCode() throws IOException {
    compare("node-life.svg", new NodeLifePicture().drawn());
  }

  private static void compare(String name, String drawn) throws IOException {
    Path file = FOLDER.resolve(name);
    if (Boolean.getBoolean("reference.write")) {
      Files.writeString(file, drawn);
    }
    GeneratedText.assertSame(
        file, drawn, GeneratedText.writing(PicturesTest.class, "reference.write"));
  }
}
