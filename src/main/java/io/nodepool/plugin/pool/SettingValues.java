package io.nodepool.plugin.pool;

import io.nodepool.kubernetes.convert.RolloutAnnotations.Setting;
import io.nodepool.model.pool.RolloutSettings;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Values of the settings of a rollout, as options and as text. */
final class SettingValues {
  private SettingValues() {}

  /** Values of the limit. */
  static final class OfMaxUnavailable implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      return checked(Setting.MAX_UNAVAILABLE, text);
    }
  }

  /** Sizes of the canary. */
  static final class OfCanary implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      return checked(Setting.CANARY, text);
    }
  }

  /** Times for which a canary soaks. */
  static final class OfSoak implements ITypeConverter<String> {
    @Override
    public String convert(String text) {
      return checked(Setting.SOAK, text);
    }
  }

  private static String checked(Setting setting, String text) {
    setting
        .problem(text)
        .ifPresent(why -> {
          throw new TypeConversionException(why);
        });
    return text;
  }

  /** The settings in one line. */
  static String text(RolloutSettings settings) {
    String canary =
        settings.canary() == 0
            ? "no canary"
            : "canary %d, soak %d s".formatted(settings.canary(), settings.soak().toSeconds());
    return "max unavailable %s, %s, busy Nodes are %s"
        .formatted(
            limit(settings.maxUnavailable()), canary, settings.evict() ? "drained" : "waited for");
  }

  private static String limit(RolloutSettings.Limit limit) {
    if (limit.percent() == 0) {
      return String.valueOf(limit.count());
    }
    return limit.count() == 0
        ? limit.percent() + "%"
        : "%d or %d%%, whichever is more".formatted(limit.count(), limit.percent());
  }
}
