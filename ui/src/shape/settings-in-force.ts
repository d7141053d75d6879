import type { ServerSettings, SettingsView } from '#serve/api';

/** One setting for users: its value, what it does, and the key that sets it. */
export type SettingLine = {
  readonly label: string;
  readonly value: string;
  /** Where it is set: a key of argocd-cm or argocd-cmd-params-cm. */
  readonly key: string;
};

const onOff = (value: boolean | undefined): string => (value ? 'on' : 'off');

/** The settings that the server reports, as they are in force, each with its key. */
export function settingsInForce(view: ServerSettings & SettingsView): SettingLine[] {
  const line = (label: string, value: string | undefined, key: string): SettingLine => ({
    label,
    value: value || 'not set',
    key,
  });
  return [
    line('Address of this installation', view.url, 'url'),
    line('More addresses', view.additionalUrls?.join(', '), 'additionalUrls'),
    line('Tracking of resources', view.trackingMethod, 'application.resourceTrackingMethod'),
    line('Label of tracked resources', view.appLabelKey, 'application.instanceLabelKey'),
    line('Installation id', view.installationID, 'installationID'),
    line('Applications in any namespace', onOff(view.appsInAnyNamespaceEnabled), 'application.namespaces'),
    line('Impersonation', onOff(view.impersonationEnabled), 'application.sync.impersonation.enabled'),
    line('Hydrator', onOff(view.hydratorEnabled), 'hydrator.enabled'),
    line('Terminal', onOff(view.execEnabled), 'exec.enabled'),
    line('Sync with replace', onOff(view.syncWithReplaceAllowed), 'server.sync.replace.allowed'),
    line('Single sign-on', view.oidcConfig?.name, 'oidc.config'),
    line('Local accounts', onOff(!view.userLoginsDisabled), 'admin.enabled'),
    line('Pattern of passwords', view.passwordPattern, 'passwordPattern'),
    line('Status badge', onOff(view.statusBadgeEnabled), 'statusbadge.enabled'),
    line('Banner', view.uiBannerContent, 'ui.bannercontent'),
    line('Chat', view.help?.chatUrl, 'help.chatUrl'),
    line('Kustomize versions', view.kustomizeVersions?.join(', '), 'kustomize.version.*'),
    line(
      'Kinds with rules of their own',
      Object.keys(view.resourceOverrides ?? {}).join(', '),
      'resource.customizations.*',
    ),
    line('Namespace of the controller', view.controllerNamespace, 'its own namespace'),
  ];
}

/** Settings that this page does not follow, by name: nothing is ignored in silence. */
export function withoutEffect(view: SettingsView): string[] {
  return [
    ...(view.googleAnalytics?.trackingID ? ['ga.trackingid: this page loads nothing from other hosts'] : []),
    ...(view.uiCssURL ? ['ui.cssurl: the content policy allows styles of this installation only'] : []),
  ];
}
