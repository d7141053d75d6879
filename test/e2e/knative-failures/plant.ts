import { join } from 'node:path';
import type { Application, KubeObject } from '#base/model';
import { type Ctx, realClock, silent } from '#base/std';
import { createKubeClient, loadKubeconfig, networkTransport } from '#kubernetes/client';
import type { GitRepositoryFixture } from '../../git-repository.ts';
import { isSettled } from '../fairlead.ts';
import { namespace, type Seeds, startSeeds } from '../seeds.ts';

/** One failure that a user's document tells of, observed twice: with a plain configuration, and with the defaults. */
export type Failure = {
  readonly seed: '000' | '001';
  readonly tells: string;
  plain(): Promise<unknown>;
  /** What `plain` observes: the failure. */
  readonly failure: unknown;
  here(): Promise<unknown>;
  readonly instead: unknown;
};

type KnativeSpec = { readonly template: object; readonly traffic?: readonly object[] };
export type KnativeService = KubeObject<KnativeSpec, { traffic?: object[] }>;

/** A Knative Service as people write it. */
export function service(name: string, tag: string, more: ServiceParts = {}): KnativeService {
  const { container, annotations, traffic, revision } = more;
  const containers = [{ image: `ghcr.io/demo/${name}:${tag}`, ...container }];
  return {
    apiVersion: 'serving.knative.dev/v1',
    kind: 'Service',
    metadata: { name, ...(annotations && { annotations }) },
    spec: {
      template: { ...(revision && { metadata: { name: revision } }), spec: { containers } },
      ...(traffic && { traffic }),
    },
  };
}

type ServiceParts = {
  readonly container?: object;
  readonly annotations?: Readonly<Record<string, string>>;
  readonly traffic?: readonly object[];
  /** The name of the Revision; Knative makes one where none is given. */
  readonly revision?: string;
};

/** The object as a sync sends it: in its namespace, with the mark of its application. */
export const asSent = (app: string, { metadata, ...rest }: KnativeService): KubeObject => ({
  ...rest,
  metadata: {
    ...metadata,
    namespace: app,
    annotations: {
      ...metadata.annotations,
      'argocd.argoproj.io/tracking-id': `${app}:serving.knative.dev/Service:${app}/${metadata.name}`,
    },
  },
});

/** Objects by the name of their file. */
export type Files = Readonly<Record<string, object>>;

/** A started program, one repository, and applications that each have a folder, a namespace and a Service of their own name. */
export type Plant = {
  start(): Promise<void>;
  stop(): Promise<void>;
  kubectl(...words: string[]): Promise<string>;
  apply(object: object): Promise<void>;
  cli(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }>;
  /** Commits files below the folder of an application. */
  commit(app: string, files: Files): Promise<string>;
  /**
   * Server-side apply that takes the ownership of what it names, as a controller does it. kubectl would also take over what the
   * sync applied, and then delete it, because the object names less.
   */
  applyAs(fieldManager: string, object: KubeObject): Promise<void>;
  /** Commits, and creates the application: automated, with prune and self-heal, unless `spec` is otherwise; the revision. */
  begin(app: string, files: Files, spec?: object): Promise<string>;
  /** Commits, and waits until the application runs that commit. */
  deploy(app: string, files: Files): Promise<Application>;
  until(app: string, what: string, isSo: (app: Application) => boolean): Promise<Application>;
  live(app: string): Promise<KnativeService>;
  /** kubectl patch of the Service, and the object that the API server returns for it. */
  patch(app: string, body: object): Promise<KnativeService>;
  /** The identifiers of what `fairlead doctor` finds in the folder of an application. */
  diagnose(app: string): Promise<string[]>;
  /** Runs with these keys in argocd-cm, and removes them. */
  withSettings<T>(data: Readonly<Record<string, string>>, run: () => Promise<T>): Promise<T>;
};

const ctx: Ctx = { signal: new AbortController().signal, log: silent, clock: realClock };

/** Nothing runs before `start`, so that cases can be written down at once. */
export function createPlant(): Plant {
  let seeds: Seeds;
  let repository: GitRepositoryFixture;
  const { kubectl, commit, until } = {
    kubectl: (...words: string[]) => seeds.kubectl(...words),
    commit: (app: string, files: Files) => repository.commit(below(app, files)),
    until: (app: string, what: string, isSo: (one: Application) => boolean) =>
      seeds.fairlead.until(app, what, isSo),
  };
  const get = async (...words: string[]): Promise<KnativeService> =>
    JSON.parse(await kubectl(...words, '-o', 'json'));
  const set = (data: object) =>
    kubectl('patch', 'cm/argocd-cm', '-n', 'argocd', '--type=merge', '-p', JSON.stringify({ data }));
  return {
    ...{ kubectl, commit, until },
    start: async () => {
      seeds = await startSeeds();
      repository = await seeds.repository('acme/services');
    },
    stop: async () => seeds?.stop(),
    apply: (object) => seeds.apply(object),
    applyAs: async (fieldManager, object) => {
      const { FAIRLEAD_TEST_KUBECONFIG: real } = process.env;
      const access = await loadKubeconfig(ctx, {
        files: [real || join(seeds.fairlead.dataDir, 'kubeconfig')],
      });
      const transport = networkTransport(access);
      await createKubeClient({ transport }).apply(ctx, object, { fieldManager, force: true });
      transport.close();
    },
    cli: (...words) => seeds.fairlead.cli(...words),
    begin: async (app, files, spec = {}) => {
      const revision = await commit(app, files);
      await seeds.apply(namespace(app), applicationOf(app, repository.dir, spec));
      return revision;
    },
    deploy: async (app, files) => {
      const revision = await commit(app, files);
      const isThere = (one: Application) => isSettled(one) && one.status?.sync?.revision === revision;
      return until(app, `Synced and Healthy at ${revision}`, isThere);
    },
    live: (app) => get('get', `ksvc/${app}`, '-n', app),
    patch: (app, body) => get('patch', `ksvc/${app}`, '-n', app, '--type=merge', '-p', JSON.stringify(body)),
    diagnose: async (app) => {
      const words = ['doctor', join(repository.dir, app), '--severity', 'note', '-o', 'json'];
      const { stdout } = await seeds.fairlead.cli(...words);
      const { findings } = JSON.parse(stdout) as { findings: { id: string }[] };
      return [...new Set(findings.map(({ id }) => id))];
    },
    withSettings: async (data, run) => {
      await set(data);
      try {
        return await run();
      } finally {
        await set(Object.fromEntries(Object.keys(data).map((key) => [key, null])));
      }
    },
  };
}

const below = (app: string, files: Files): Record<string, string> =>
  Object.fromEntries(
    Object.entries(files).map(([file, content]) => [`${app}/${file}`, JSON.stringify(content, null, 2)]),
  );

const applicationOf = (name: string, folder: string, more: object): object => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  metadata: { name, namespace: 'argocd' },
  spec: {
    source: { repoURL: `file://${folder}`, path: name, targetRevision: 'HEAD' },
    destination: { server: 'https://kubernetes.default.svc', namespace: name },
    syncPolicy: policy,
    ...more,
  },
});

export const file = 'service.yaml';
export const policy = { automated: { prune: true, selfHeal: true }, retry: { limit: 0 } };

export const deployments = ({ status }: Application): number => status?.history?.length ?? 0;

/** The last sync has succeeded, and the application has this health. */
export const isHealth =
  (code: string) =>
  ({ status }: Application): boolean =>
    status?.operationState?.phase === 'Succeeded' && status.health?.status === code;

/** `Degraded: the image cannot be pulled`, of the first resource. */
export function healthOf({ status }: Application): string {
  const { status: code = 'none', message } = status?.resources?.[0]?.health ?? {};
  return message ? `${code}: ${message}` : code;
}
