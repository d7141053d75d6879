import { readFileSync } from 'node:fs';
import { vi } from 'vitest';
import {
  type Application,
  type AppProject,
  asKubeObject,
  decodeBase64Text,
  type KubeObject,
} from '#base/model';
import { type Ctx, type Logger, realClock, runAll, silent } from '#base/std';
import {
  createEventRecorder,
  NotificationConfigs,
  type NotificationObserver,
  notificationController,
} from '#control/controllers';
import { Informer, SettingsWatch } from '#control/live';
import { runAsLeader } from '#control/runtime';
import { createCluster, type EmbeddedCluster } from '#embedded';
import { createKubeClient, type KubeClient } from '#kubernetes/client';
import { parse } from '#lang/yaml';
import { memoryStore } from '#platform/store';
import { WebDouble } from './doubles.ts';

// The notifications controller on the embedded cluster, wired as the program does, with a double of Slack. Each process has a client of
// its own, which can be cut off after any of its writes.

const apiVersion = 'argoproj.io/v1alpha1';
const namespace = 'argocd';
type Request = Parameters<Parameters<typeof createKubeClient>[0]['transport']>[0];

/** A process of the controller. */
export type Process = {
  /** All writes that it may make are made, and one more was tried. */
  readonly isCutOff: boolean;
  readonly isLeading: boolean;
  /** kill -9: nothing that is under way ends. */
  kill(): void;
  /** Ends as a process that is asked to. */
  stop(): Promise<void>;
};

export type ProcessOptions = {
  /** This many writes reach the cluster; the next ones are never answered. */
  readonly writes?: number;
  /** It acts while it holds the Lease, under this name. */
  readonly identity?: string;
  readonly observe?: NotificationObserver;
};

export class NotificationGround {
  readonly ctx: Ctx;
  readonly kube: KubeClient;
  readonly slack: WebDouble;
  /** The texts that Slack has accepted. */
  readonly texts: string[] = [];
  /** What was logged at level warn. */
  readonly warnings: string[] = [];
  readonly #cluster: EmbeddedCluster;
  readonly #processes: Process[] = [];

  private constructor(cluster: EmbeddedCluster, slack: WebDouble) {
    this.#cluster = cluster;
    this.slack = slack;
    this.#isUp();
    this.kube = createKubeClient({ transport: (request) => cluster.handle(request) });
    const warn: Logger['warn'] = (text, fields = {}) =>
      void this.warnings.push(`${text} ${JSON.stringify(fields)}`);
    const log: Logger = { ...silent, warn, with: () => log };
    this.ctx = { signal: new AbortController().signal, log, clock: realClock };
  }

  static async open(): Promise<NotificationGround> {
    const cluster = await createCluster({ store: memoryStore(), clock: realClock });
    const ground = new NotificationGround(cluster, await WebDouble.open());
    for (const file of ['application', 'app-project']) {
      const definition = asKubeObject(parse(readFileSync(`deploy/crds/${file}.yaml`, 'utf8')), file);
      await ground.kube.apply(ground.ctx, definition, { fieldManager: 'test', force: true });
    }
    await ground.put('Namespace', namespace, {}, {});
    return ground;
  }

  async close(): Promise<void> {
    for (const one of this.#processes) one.kill();
    await this.slack.close();
    await this.#cluster.close();
  }

  start({ writes = Number.POSITIVE_INFINITY, identity, observe }: ProcessOptions = {}): Process {
    const stop = new AbortController();
    const inner = { ...this.ctx, signal: stop.signal };
    const state = { made: 0, isDead: false, isLeading: false };
    const transport = (request: Request) => {
      if (state.isDead) return new Promise<never>(() => {});
      // who leads is no part of what is cut off
      if (request.method === 'GET' || request.path.includes('/leases')) return this.#cluster.handle(request);
      state.made += 1;
      return state.made > writes ? new Promise<never>(() => {}) : this.#cluster.handle(request);
    };
    const kube = createKubeClient({ transport });
    const act = (one: Ctx) => this.#act(one, kube, observe);
    const election = {
      ...{ kube, namespace, name: 'fairlead-controller', identity: identity ?? '' },
      onLeading: (isLeading: boolean) => {
        state.isLeading = isLeading;
      },
    };
    const follow = (one: Ctx) =>
      new Promise<void>((resolve) => one.signal.addEventListener('abort', () => resolve()));
    const running = (identity ? runAsLeader(inner, election, { lead: act, follow }) : act(inner)).catch(
      () => {},
    );
    const kill = (): void => {
      state.isDead = true;
      stop.abort();
    };
    const process = {
      get isCutOff() {
        return state.made > writes;
      },
      get isLeading() {
        return state.isLeading;
      },
      kill,
      stop: async () => {
        stop.abort();
        await running;
      },
    };
    this.#processes.push(process);
    return process;
  }

  #act(ctx: Ctx, kube: KubeClient, observe: NotificationObserver | undefined): Promise<void> {
    const settings = new SettingsWatch({ kube, namespace });
    const apps = new Informer<Application>(kube, { apiVersion, kind: 'Application' });
    const projects = new Informer<AppProject>(kube, { apiVersion, kind: 'AppProject', namespace });
    const configs = new NotificationConfigs({ kube, namespace, settings });
    const trust = { certificates: {}, knownHosts: '' };
    const controller = notificationController({
      ...{ kube, apps, projects, configs, settings, namespace },
      outside: () => ({ egress: { loopback: true }, proxy: {}, trust }),
      // Events are written beside the work and decide nothing
      events: createEventRecorder({ kube: this.kube, component: 'argocd-notifications-controller' }),
      describe: async () => undefined,
      ...(observe && { observe }),
    });
    const caches = [settings, apps, projects, configs].map((one) => (inner: Ctx) => one.run(inner));
    return runAll(ctx, [...caches, controller]);
  }

  put(kind: string, name: string, rest: object, metadata: object = { namespace }): Promise<KubeObject> {
    const version = kind === 'Application' ? apiVersion : 'v1';
    const object = { apiVersion: version, kind, metadata: { name, ...metadata }, ...rest } as KubeObject;
    return this.kube.apply(this.ctx, object, { fieldManager: 'test', force: true });
  }

  /** Triggers `bad` and `good` say what the health of an application is; every message is sent at once. */
  async configure(data: Record<string, string> = {}): Promise<void> {
    await this.put('ConfigMap', 'argocd-notifications-cm', {
      data: {
        'fairlead.delivery': '{groupWait: 0s, groupFrom: 0, perMinute: 10000}',
        'service.slack': `token: t\napiURL: ${this.slack.url}/api`,
        'template.bad': 'message: "{{.app.metadata.name}} is bad"',
        'template.good': 'message: "{{.app.metadata.name}} is good"',
        'trigger.bad': "- when: app.status.health.status == 'Degraded'\n  send: [bad]",
        'trigger.good': "- when: app.status.health.status == 'Healthy'\n  send: [good]",
        ...data,
      },
    });
  }

  /** An application whose health is announced in a channel. */
  async application(name: string, channel = 'alerts', status = ''): Promise<void> {
    const annotations = Object.fromEntries(
      ['bad', 'good'].map((one) => [`notifications.argoproj.io/subscribe.${one}.slack`, channel]),
    );
    const source = { repoURL: 'https://h/r', path: '.' };
    const spec = { project: 'default', source, destination: { server: 'https://k' } };
    await this.put('Application', name, { spec }, { namespace, annotations });
    if (status) await this.health(name, status);
  }

  async health(name: string, status: string): Promise<void> {
    const ref = { apiVersion, kind: 'Application', namespace, name };
    const body = { status: { health: { status }, sync: { status: 'Synced' } } };
    await this.kube.patch(this.ctx, ref, { type: 'merge', body });
  }

  async marks(name: string): Promise<readonly string[]> {
    const found = await this.kube.find(this.ctx, { apiVersion, kind: 'Application', namespace, name });
    return Object.keys(
      JSON.parse(found?.metadata.annotations?.['notified.notifications.argoproj.io'] ?? '{}'),
    );
  }

  /** The texts of the messages that the cluster holds as undelivered, in order. */
  async recorded(): Promise<string[]> {
    const ref = { apiVersion: 'v1', kind: 'Secret', namespace, name: 'fairlead-notifications' };
    const found = (await this.kube.find(this.ctx, ref)) as { data?: Record<string, string> } | undefined;
    const entries = Object.values(found?.data ?? {}).map((value) => JSON.parse(decodeBase64Text(value)));
    return entries
      .sort((left, right) => left.since - right.since)
      .map(({ notification }) => notification.message as string);
  }

  isDown(): void {
    this.slack.reply = () => ({ status: 500, body: 'down for maintenance' });
  }

  /** What a process has sent before it was killed is refused still: this waits for a request of its own behind it. */
  async isUpAgain(): Promise<void> {
    await fetch(this.slack.url, { method: 'POST', body: '{}' });
    this.#isUp();
  }

  #isUp(): void {
    this.slack.reply = ({ body }) => {
      this.texts.push(String((JSON.parse(body) as { text?: string }).text));
      return { body: '{"ok":true}' };
    };
  }
}

export const eventually = (check: () => unknown): Promise<unknown> => vi.waitFor(check, { timeout: 15_000 });
