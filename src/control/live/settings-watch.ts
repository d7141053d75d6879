import {
  type ConfigMapFields,
  defaultSettings,
  type KubeObject,
  label,
  parseSettings,
  type Settings,
} from '#base/model';
import { type Ctx, equal } from '#base/std';
import { namespaceProblems } from '#engine';
import type { KubeClient } from '#kubernetes/client';
import { parse } from '#lang/yaml';
import { Feed } from './change-feed.ts';
import { Informer } from './informer.ts';

type ConfigMap = KubeObject & ConfigMapFields;

/** The settings before and after a change. */
export type SettingsChange = { readonly before: Settings; readonly after: Settings };

/** A change of another ConfigMap of the control plane: trusted certificates, for instance. */
export type DataChange = {
  readonly name: string;
  readonly before: Readonly<Record<string, string>>;
  readonly after: Readonly<Record<string, string>>;
};

/** dev server §0: read by their names, with the label or without it. */
const wellKnown = [
  ...['argocd-cm', 'argocd-cmd-params-cm', 'argocd-rbac-cm', 'argocd-notifications-cm'],
  ...['argocd-ssh-known-hosts-cm', 'argocd-tls-certs-cm', 'argocd-gpg-keys-cm'],
];

/** The current settings from `argocd-cm` and `argocd-cmd-params-cm`; each pass reads the current ones. */
export class SettingsWatch {
  readonly #maps: Informer<ConfigMap>;
  readonly #namespace: string;
  readonly #feed = new Feed<SettingsChange>();
  readonly #data = new Feed<DataChange>();
  #current: Settings = defaultSettings;
  readonly #unlabelled = new Set<string>();

  constructor(options: { kube: Pick<KubeClient, 'list' | 'watch'>; namespace: string }) {
    const { kube, namespace } = options;
    this.#namespace = namespace;
    this.#maps = new Informer(kube, { apiVersion: 'v1', kind: 'ConfigMap', namespace });
  }

  get current(): Settings {
    return this.#current;
  }

  /** Every change of them from this call on, until `ctx` stops; a ConfigMap rewritten unchanged is none. */
  changes(ctx: Ctx): AsyncGenerator<SettingsChange> {
    return this.#feed.follow(ctx);
  }

  /** Every change of the other ConfigMaps of the control plane, from this call on, until `ctx` stops. */
  dataChanges(ctx: Ctx): AsyncGenerator<DataChange> {
    return this.#data.follow(ctx);
  }

  /** The data of another ConfigMap of the control plane; empty when it does not exist. */
  dataOf(name: string): Readonly<Record<string, string>> {
    return this.#maps.get(this.#namespace, name)?.data ?? {};
  }

  async whenSynced(ctx: Ctx): Promise<void> {
    await this.#maps.whenSynced(ctx);
    for (const name of wellKnown) this.#reportLabel(ctx, name);
    this.#read(ctx);
  }

  async run(ctx: Ctx): Promise<void> {
    const changes = this.#maps.changes(ctx);
    await Promise.all([this.#maps.run(ctx), this.#follow(ctx, changes)]);
  }

  async #follow(
    ctx: Ctx,
    changes: AsyncIterable<{ before?: KubeObject; after?: KubeObject }>,
  ): Promise<void> {
    for await (const change of changes) {
      const { name = '' } = (change.after ?? change.before)?.metadata ?? {};
      this.#reportLabel(ctx, name);
      const [before, after] = [change.before, change.after].map((one) => (one as ConfigMap)?.data ?? {});
      if (name === 'argocd-cm' || name === 'argocd-cmd-params-cm') this.#read(ctx);
      else if (before && after && !equal(before, after)) this.#data.publish({ name, before, after });
    }
  }

  /** Logged once for each ConfigMap: Argo CD would not find the settings. */
  #reportLabel(ctx: Ctx, name: string): void {
    const found = wellKnown.includes(name) ? this.#maps.get(this.#namespace, name) : undefined;
    if (!found || this.#unlabelled.has(name) || isPartOfArgocd(found)) return;
    this.#unlabelled.add(name);
    ctx.log.warn(
      'ConfigMap has no label app.kubernetes.io/part-of: argocd: it is read, and Argo CD ignores settings without it',
      {
        configMap: name,
      },
    );
  }

  /** An invalid value is logged once, and the last valid one stays in place. */
  #read(ctx: Ctx): void {
    const maps = { cm: this.dataOf('argocd-cm'), params: this.dataOf('argocd-cmd-params-cm') };
    const before = this.#current;
    const after = withPatternProblems(parseSettings(maps, (text) => parse(text), before));
    if (equal(before, after)) return;
    this.#current = after;
    for (const { configMap, key, message } of after.problems)
      ctx.log.warn('setting not usable', { configMap, key, message });
    this.#feed.publish({ before, after });
  }
}

const isPartOfArgocd = ({ metadata }: KubeObject): boolean => metadata.labels?.[label.partOf] === 'argocd';

/**
 * Invalid namespace patterns permit nothing; without a log line the applications there would be absent for no visible reason.
 */
function withPatternProblems(settings: Settings): Settings {
  const found = namespaceProblems(settings.applicationNamespaces).map((message) => ({
    severity: 'warning' as const,
    configMap: 'argocd-cmd-params-cm' as const,
    key: 'application.namespaces',
    message,
  }));
  return found.length > 0 ? { ...settings, problems: [...settings.problems, ...found] } : settings;
}
