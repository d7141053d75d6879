import type { ServerSettings, SettingKey, SettingsView } from '#serve/api';

/** One setting for users: its value, and where that comes from. */
export type SettingLine = {
  readonly label: string;
  readonly value: string;
  /** The ConfigMap and the key that set it, or would. */
  readonly configMap: string;
  readonly key: string;
  /** The key is set; otherwise the value is the default. */
  readonly isSet: boolean;
};

const onOff = (value: boolean | undefined): string => (value ? 'on' : 'off');

/** The settings that the server reports, as they are in force, each with its key. */
export function settingsInForce(view: ServerSettings & SettingsView): SettingLine[] {
  const given = view.settingKeys ?? [];
  const line = (label: string, value: string | undefined, key: string): SettingLine => {
    const found = given.find((one) => isFor(one, key));
    const configMap = found?.configMap ?? (ofParams.has(key) ? 'argocd-cmd-params-cm' : 'argocd-cm');
    return {
      label,
      value: value || 'not set',
      configMap,
      key: found?.key ?? key,
      isSet: found !== undefined,
    };
  };
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
    line('Downloads', Object.keys(view.help?.binaryUrls ?? {}).join(', '), 'help.download.*'),
    line('Address of the badge', view.statusBadgeRootUrl, 'statusbadge.url'),
    line('Kustomize versions', view.kustomizeVersions?.join(', '), 'kustomize.version.*'),
    line(
      'Kinds with rules of their own',
      Object.keys(view.resourceOverrides ?? {}).join(', '),
      'resource.customizations.*',
    ),
  ];
}

/** A key that ends with a star stands for all that begin like it. */
const isFor = ({ key: given }: SettingKey, key: string): boolean =>
  key.endsWith('*') ? given.startsWith(key.slice(0, -1)) : given === key;

/** compat server §1.4: the keys of the other ConfigMap. */
const ofParams: ReadonlySet<string> = new Set([
  'application.namespaces',
  'hydrator.enabled',
  'server.sync.replace.allowed',
]);

/** The keys that are set and have no effect, each with the reason: nothing is ignored in silence. */
export const withoutEffect = ({ settingKeys = [] }: SettingsView): { title: string; message: string }[] =>
  settingKeys.flatMap(({ key, ignored }) => (ignored ? [{ title: key, message: ignored }] : []));
