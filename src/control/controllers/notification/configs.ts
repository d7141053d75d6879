import type { ConfigMapFields, KubeObject, Settings } from '#base/model';
import { type Ctx, equal, runAll } from '#base/std';
import { checkService } from '#control/deliver';
import { Informer, type SettingsWatch } from '#control/live';
import {
  type NotificationConfig,
  type NotificationTopic,
  notificationNames,
  readNotifications,
} from '#control/notify';
import type { KubeClient } from '#kubernetes/client';

type ConfigMap = KubeObject & ConfigMapFields;
type Secret = KubeObject & { readonly data?: Readonly<Record<string, string>> };

export type NotificationConfigsDeps = {
  readonly kube: Pick<KubeClient, 'list' | 'watch'>;
  readonly namespace: string;
  /** Applications, unless given. */
  readonly topic?: NotificationTopic;
  readonly settings: Pick<SettingsWatch, 'current' | 'changes' | 'whenSynced'>;
};

/** A configuration, with what it was read from: it is read again when one of them has changed. */
type Held = {
  readonly cm: ConfigMap | undefined;
  readonly secret: Secret | undefined;
  readonly url: string;
  readonly config: NotificationConfig;
};

/** The configurations of notifications, always current: that of the control plane, and those of application namespaces. */
export class NotificationConfigs {
  readonly #deps: NotificationConfigsDeps;
  readonly #names: (typeof notificationNames)[NotificationTopic];
  readonly #maps: Informer<ConfigMap>;
  readonly #secrets: Informer<Secret>;
  readonly #held = new Map<string, Held>();

  constructor(deps: NotificationConfigsDeps) {
    this.#deps = deps;
    const { kube, namespace, topic = 'applications' } = deps;
    const names = notificationNames[topic];
    this.#names = names;
    this.#maps = new Informer(kube, { ...collection('ConfigMap', names.cm), namespace });
    this.#secrets = new Informer(kube, { ...collection('Secret', names.secret), namespace });
  }

  async run(ctx: Ctx): Promise<void> {
    const { settings } = this.#deps;
    const changes = settings.changes(ctx);
    await settings.whenSynced(ctx);
    // before the first list: what is synced is then all that applies
    this.#place(settings.current);
    await runAll(ctx, [
      (inner) => this.#maps.run(inner),
      (inner) => this.#secrets.run(inner),
      () => this.#follow(changes),
    ]);
  }

  async whenSynced(ctx: Ctx): Promise<void> {
    await Promise.all([this.#maps.whenSynced(ctx), this.#secrets.whenSynced(ctx)]);
  }

  /** The namespace of every configuration that changed, from this call on, until `ctx` stops. */
  async *changes(ctx: Ctx): AsyncGenerator<string> {
    const both = merged(this.#maps.changes(ctx), this.#secrets.changes(ctx));
    for await (const { before, after } of both) yield (after ?? before)?.metadata.namespace ?? '';
  }

  /** That of the control plane. */
  get central(): NotificationConfig {
    return this.#read(this.#deps.namespace);
  }

  /** What applies to the applications of a namespace: the control plane's, then their own where that is enabled. */
  of(namespace: string): readonly NotificationConfig[] {
    const home = this.#deps.namespace;
    const { selfService } = this.#deps.settings.current.notifications;
    if (!selfService || namespace === home || !this.#maps.get(namespace, this.#names.cm))
      return [this.central];
    return [this.central, this.#read(namespace)];
  }

  /** The current one of a namespace; undefined when it has none. */
  find(namespace: string): NotificationConfig | undefined {
    return this.of(namespace).find((one) => one.namespace === namespace);
  }

  #read(namespace: string): NotificationConfig {
    const cm = this.#maps.get(namespace, this.#names.cm);
    const secret = this.#secrets.get(namespace, this.#names.secret);
    const { url } = this.#deps.settings.current;
    const held = this.#held.get(namespace);
    if (held && held.cm === cm && held.secret === secret && held.url === url) return held.config;
    const config = readNotifications({
      namespace,
      ...(this.#deps.topic && { topic: this.#deps.topic }),
      isSelfService: namespace !== this.#deps.namespace,
      data: cm?.data ?? {},
      secrets: decoded(secret),
      argocdUrl: url ?? '',
      checkService,
    });
    this.#held.set(namespace, { cm, secret, url: url ?? '', config });
    return config;
  }

  /** compat server §6.5: configurations elsewhere are watched only where that is enabled. */
  async #follow(changes: ReturnType<NotificationConfigsDeps['settings']['changes']>): Promise<void> {
    for await (const { before, after } of changes)
      if (!equal(before.notifications, after.notifications)) this.#place(after);
  }

  #place({ notifications }: Settings): void {
    const where = notifications.selfService ? {} : { namespace: this.#deps.namespace };
    this.#maps.move({ ...collection('ConfigMap', this.#names.cm), ...where }, () => true);
    this.#secrets.move({ ...collection('Secret', this.#names.secret), ...where }, () => true);
  }
}

const collection = (kind: string, name: string) => ({
  apiVersion: 'v1',
  kind,
  fieldSelector: `metadata.name=${name}`,
});

const decoded = (secret: Secret | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries(secret?.data ?? {}).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString('utf8'),
    ]),
  );

/** Items of both as they come; ends when both have ended. */
async function* merged<T>(left: AsyncGenerator<T>, right: AsyncGenerator<T>): AsyncGenerator<T> {
  type Step = { readonly from: AsyncGenerator<T>; readonly result: IteratorResult<T> };
  const next = (from: AsyncGenerator<T>): Promise<Step> => from.next().then((result) => ({ from, result }));
  const waiting = new Map([left, right].map((one) => [one, next(one)]));
  while (waiting.size > 0) {
    const { from, result } = await Promise.race(waiting.values());
    if (result.done) waiting.delete(from);
    else {
      waiting.set(from, next(from));
      yield result.value;
    }
  }
}
