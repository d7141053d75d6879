import type { Settings } from '#base/model';
import type { SettingKey, SettingsView } from '#serve/api';
import { filled } from '../filled.ts';

/** compat server §2.8: the settings that a page needs; `namespace` is given for a caller that is signed in. */
export const shownSettings = (settings: Settings, namespace: string | undefined): SettingsView => ({
  ...publicSettings(settings),
  ...(namespace !== undefined && privateSettings(settings, namespace)),
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

function privateSettings(settings: Settings, namespace: string): SettingsView {
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
      settingKeys: keysIn(settings),
    }),
  };
}

/** The names of the keys and no values: a value may be secret. */
const keysIn = ({ given, ignored }: Settings): readonly SettingKey[] =>
  given.map(({ configMap, key }) => {
    const why = ignored.find((one) => one.configMap === configMap && one.key === key)?.message;
    return { configMap, key, ...(why !== undefined && { ignored: why }) };
  });
