import type { Settings } from '#base/model';
import type { SettingKey, SettingsView } from '#serve/api';
import { filled } from '../filled.ts';

/** A caller that is signed in. */
export type SettingsCaller = {
  /** The namespace of the controller. */
  readonly namespace: string;
  /** Whether the caller sees the values of all keys that are set. */
  readonly seesValues: boolean;
};

/** compat server §2.8: the settings that a page needs. */
export const shownSettings = (settings: Settings, reader: SettingsCaller | undefined): SettingsView => ({
  ...publicSettings(settings),
  ...(reader && privateSettings(settings, reader)),
});

/** What any caller may read: nothing of it is secret. */
function publicSettings(settings: Settings): SettingsView {
  const { tracking, server, ui, additionalUrls, applicationNamespaces, impersonation, hydratorEnabled } =
    settings;
  const { statusBadgeEnabled, statusBadgeUrl, passwordPattern, execEnabled, replaceAllowed } = server;
  const { chatUrl, chatText, downloads, analyticsId, analyticsAnonymizeUsers, cssUrl } = ui;
  return {
    appLabelKey: tracking.instanceLabelKey,
    trackingMethod: tracking.method,
    passwordPattern,
    syncWithReplaceAllowed: replaceAllowed,
    ...filled({
      additionalUrls,
      installationID: tracking.installationId,
      statusBadgeEnabled,
      statusBadgeRootUrl: statusBadgeUrl,
      googleAnalytics: analyticsId
        ? { trackingID: analyticsId, anonymizeUsers: analyticsAnonymizeUsers }
        : {},
      help: filled({ chatUrl, chatText, binaryUrls: downloads }),
      uiCssURL: cssUrl,
      execEnabled,
      appsInAnyNamespaceEnabled: applicationNamespaces.length > 0,
      impersonationEnabled: impersonation.enabled,
      hydratorEnabled,
    }),
  };
}

function privateSettings(settings: Settings, { namespace, seesValues }: SettingsCaller): SettingsView {
  const { bannerContent, bannerUrl, bannerPermanent, bannerPosition } = settings.ui;
  const overrides = Object.entries(settings.resources.overrides).map(([kind, one]) => {
    const { healthLua = '', actions = '', ignoreDifferences = {} } = one;
    return [kind, filled({ 'health.lua': healthLua, actions, ignoreDifferences })] as const;
  });
  return {
    controllerNamespace: namespace,
    ...filled({
      uiBannerContent: bannerContent,
      uiBannerURL: bannerUrl,
      uiBannerPermanent: bannerPermanent,
      uiBannerPosition: bannerPosition,
      kustomizeVersions: settings.render.kustomizeVersions.map(({ version }) => version),
      resourceOverrides: Object.fromEntries(overrides),
      settingKeys: keysIn(settings, seesValues),
    }),
  };
}

const keysIn = ({ given, ignored, problems }: Settings, seesValues: boolean): readonly SettingKey[] =>
  given.map(({ configMap, key, value }) => {
    const isThis = (one: { configMap: string; key: string }) =>
      one.configMap === configMap && one.key === key;
    const why = ignored.find(isThis)?.message;
    const problem = problems.find(isThis)?.message;
    return {
      ...{ configMap, key },
      ...(why !== undefined && { ignored: why }),
      ...(seesValues && { value }),
      ...(seesValues && problem !== undefined && { problem }),
    };
  });
