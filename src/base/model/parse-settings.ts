import { applicationSetFrom, controllerFrom } from './controller-settings.ts';
import { defaultSettings } from './default-settings.ts';
import { givenSettings, ignoredSettings, type Parsed } from './ignored-settings.ts';
import { renderFrom, resourcesFrom } from './resource-settings.ts';
import { serverFrom, uiFrom } from './server-settings.ts';
import type { Settings, SettingsProblem } from './settings.ts';
import {
  type ParseYaml,
  type Readers,
  SettingsReader,
  type Where,
  yamlList,
  yamlValue,
} from './settings-reader.ts';
import { globalProjectOf, linkOf, texts } from './settings-yaml.ts';

/** The data of the two ConfigMaps; a map that does not exist is left out. */
export type SettingsInput = {
  readonly cm?: Readonly<Record<string, string>>;
  readonly params?: Readonly<Record<string, string>>;
};

/**
 * Reads argocd-cm and argocd-cmd-params-cm. Never throws: what is missing has its default, what is malformed
 * keeps its value in `last` and is listed in `problems`.
 */
export function parseSettings(
  input: SettingsInput,
  parseYaml: ParseYaml,
  last: Settings = defaultSettings,
): Settings {
  const problems: SettingsProblem[] = [];
  const cm = new SettingsReader({ configMap: 'argocd-cm', data: input.cm ?? {}, last, problems });
  const params = new SettingsReader({
    configMap: 'argocd-cmd-params-cm',
    data: input.params ?? {},
    last,
    problems,
  });
  const settings = settingsFrom({ cm, params, yaml: parseYaml }, last);
  const maps = { 'argocd-cm': cm.data, 'argocd-cmd-params-cm': params.data };
  return { ...settings, problems, ignored: ignoredSettings(maps, settings), given: givenSettings(maps) };
}

function settingsFrom(readers: Readers, last: Settings): Parsed {
  const { cm, params } = readers;
  return {
    url: cm.text('url', (s) => s.url),
    additionalUrls: yamlValue(
      readers,
      'additionalUrls',
      (s) => s.additionalUrls,
      (value) => texts(value, 'the value'),
    ),
    tracking: trackingFrom(cm),
    refresh: refreshFrom(readers),
    applicationNamespaces: params.list('application.namespaces', (s) => s.applicationNamespaces),
    application: {
      childHealth: cm.oneOf('fairlead.application.childHealth', (s) => s.application.childHealth, [
        'off',
        'mirror',
        'strict',
      ]),
      supersede: cm.oneOf('fairlead.operation.supersede', (s) => s.application.supersede, [
        'off',
        'retrying',
        'running',
      ]),
      warnings: cm.oneOf('fairlead.doctor.warnings', (s) => s.application.warnings, [
        'errors',
        'warnings',
        'all',
      ]),
    },
    resources: resourcesFrom(readers, last),
    controller: controllerFrom(readers),
    hydratorEnabled: params.flag('hydrator.enabled', (s) => s.hydratorEnabled),
    impersonation: {
      enabled: cm.only('true', 'application.sync.impersonation.enabled'),
      enforced: !cm.only('false', 'application.sync.impersonation.enforced'),
    },
    inClusterEnabled: !cm.only('false', 'cluster.inClusterEnabled'),
    globalProjects: yamlList(readers, 'globalProjects', (s) => s.globalProjects, globalProjectOf),
    render: renderFrom(readers),
    server: serverFrom(readers),
    links: {
      application: yamlList(readers, 'application.links', (s) => s.links.application, linkOf),
      project: yamlList(readers, 'project.links', (s) => s.links.project, linkOf),
      resource: yamlList(readers, 'resource.links', (s) => s.links.resource, linkOf),
    },
    ui: uiFrom(cm),
    applicationSet: applicationSetFrom(readers),
    notifications: {
      processors: params.integer(
        'notificationscontroller.processors.count',
        (s) => s.notifications.processors,
        1,
      ),
      selfService: params.flag(
        'notificationscontroller.selfservice.enabled',
        (s) => s.notifications.selfService,
      ),
    },
    commitAuthor: {
      name: cm.text('commit.author.name', (s) => s.commitAuthor.name),
      email: cm.text('commit.author.email', (s) => s.commitAuthor.email),
    },
  };
}

function trackingFrom(cm: SettingsReader): Settings['tracking'] {
  const methods = ['annotation', 'label', 'annotation+label'] as const;
  return {
    // compat engine T-1: an unknown method counts as annotation, not as the last good one
    method: cm.oneOf('application.resourceTrackingMethod', () => defaultSettings.tracking.method, methods),
    instanceLabelKey: cm.text('application.instanceLabelKey', (s) => s.tracking.instanceLabelKey),
    installationId: cm.text('installationID', (s) => s.tracking.installationId),
  };
}

function refreshFrom({ cm, params }: Readers): Settings['refresh'] {
  const duration = (key: string, pick: Where<number>): number => {
    if (cm.has(key) || !params.has(key)) return cm.duration(key, pick);
    params.problem('warning', key, 'belongs in argocd-cm; it is used from here all the same');
    return params.duration(key, pick);
  };
  return {
    intervalMs: duration('timeout.reconciliation', (s) => s.refresh.intervalMs),
    jitterMs: duration('timeout.reconciliation.jitter', (s) => s.refresh.jitterMs),
    hardIntervalMs: duration('timeout.hard.reconciliation', (s) => s.refresh.hardIntervalMs),
  };
}
