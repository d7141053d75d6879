import { readFileSync } from 'node:fs';
import type { KubeObject } from '#base/model';
import { type Ctx, deadline, parseJson } from '#base/std';
import {
  createKubeClient,
  type KubeClient,
  type ListWatchEvent,
  listWatch,
  loadKubeconfig,
  networkTransport,
} from '#kubernetes/client';
import { parse } from '#lang/yaml';

/** A cluster as the bench sees it, beside what it measures. */
export type BenchCluster = {
  readonly kube: KubeClient;
  /** Requests that fairlead sent; undefined where nobody counts them. */
  requests(): Promise<number | undefined>;
  /** Resolves when the objects of a kind are as wanted, by their names. */
  until(
    kind: { apiVersion: string; kind: string; namespace: string },
    isSo: (held: Held) => boolean,
  ): Promise<void>;
  close(): void;
};

export type Held = ReadonlyMap<string, KubeObject>;

const patienceMs = 600_000;

export async function benchCluster(ctx: Ctx, kubeconfig: string, schema?: string): Promise<BenchCluster> {
  const transport = networkTransport(await loadKubeconfig(ctx, { files: [kubeconfig] }), {
    log: ctx.log,
    environment: {},
  });
  const kube = createKubeClient({ transport });
  return {
    kube,
    requests: async () => (schema ? dispatched(ctx, kube, schema) : undefined),
    until: (kind, isSo) => until(ctx, kube, kind, isSo),
    close: () => transport.close(),
  };
}

async function until(
  { signal: outer, ...rest }: Ctx,
  kube: KubeClient,
  kind: { apiVersion: string; kind: string; namespace: string },
  isSo: (held: Held) => boolean,
): Promise<void> {
  const found = new AbortController();
  const signal = AbortSignal.any([outer, found.signal, deadline(patienceMs)]);
  const held = new Map<string, KubeObject>();
  for await (const event of listWatch({ ...rest, signal }, kube, kind)) {
    note(held, event);
    if (isSo(held)) found.abort();
  }
  if (!found.signal.aborted) throw new Error(`${kind.kind} of ${kind.namespace} did not become as wanted`);
}

function note(held: Map<string, KubeObject>, event: ListWatchEvent): void {
  const objects = event.type === 'SYNCED' ? event.objects : 'object' in event ? [event.object] : [];
  for (const object of objects) {
    if (event.type === 'DELETED') held.delete(object.metadata.name);
    else held.set(object.metadata.name, object);
  }
}

/** What the API server counted for those whom a FlowSchema names. */
async function dispatched(ctx: Ctx, kube: KubeClient, schema: string): Promise<number> {
  const { text } = await kube.raw(ctx, { method: 'GET', path: '/metrics' });
  const name = 'apiserver_flowcontrol_dispatched_requests_total';
  const line = text.split('\n').find((one) => one.startsWith(`${name}{flow_schema="${schema}"`));
  return Number(line?.split(' ').at(-1) ?? 0);
}

const account = { namespace: 'kube-public', name: 'fairlead-bench' };

/** A kubeconfig for an administrator of its own, so that the API server can tell our requests from everybody else's. */
export async function countedKubeconfig(
  ctx: Ctx,
  kubeconfig: string,
): Promise<{ schema: string; text: string }> {
  const { kube, close } = await benchCluster(ctx, kubeconfig);
  const subject = { kind: 'ServiceAccount', ...account };
  const rbac = 'rbac.authorization.k8s.io';
  const objects = [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata: account },
    {
      ...{ apiVersion: `${rbac}/v1`, kind: 'ClusterRoleBinding', metadata: { name: account.name } },
      ...{ roleRef: { apiGroup: rbac, kind: 'ClusterRole', name: 'cluster-admin' }, subjects: [subject] },
    },
    {
      ...{
        apiVersion: 'flowcontrol.apiserver.k8s.io/v1',
        kind: 'FlowSchema',
        metadata: { name: account.name },
      },
      spec: {
        matchingPrecedence: 2,
        priorityLevelConfiguration: { name: 'exempt' },
        rules: [{ subjects: [{ kind: 'ServiceAccount', serviceAccount: account }], ...everything }],
      },
    },
  ];
  for (const object of objects) await kube.apply(ctx, object, { fieldManager: 'bench', force: true });
  const { text } = await kube.raw(ctx, {
    method: 'POST',
    path: `/api/v1/namespaces/${account.namespace}/serviceaccounts/${account.name}/token`,
    contentType: 'application/json',
    body: JSON.stringify({ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} }),
  });
  close();
  const { status } = parseJson(text) as { status: { token: string } };
  return { schema: account.name, text: withToken(readFileSync(kubeconfig, 'utf8'), status.token) };
}

type Kubeconfig = {
  readonly clusters: readonly { readonly name: string; readonly cluster: object }[];
  readonly contexts: readonly { readonly name: string; readonly context: { readonly cluster: string } }[];
  readonly 'current-context': string;
};

/** The cluster of the current context, and another user. Certificates must be inside, not beside it. */
function withToken(text: string, token: string): string {
  const { clusters, contexts, 'current-context': current } = parse(text) as unknown as Kubeconfig;
  const wanted = contexts.find(({ name }) => name === current)?.context.cluster;
  return JSON.stringify({
    ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'bench' },
    clusters: clusters.filter(({ name }) => name === wanted),
    users: [{ name: 'bench', user: { token } }],
    contexts: [{ name: 'bench', context: { cluster: wanted, user: 'bench' } }],
  });
}

const everything = {
  resourceRules: [
    { apiGroups: ['*'], resources: ['*'], verbs: ['*'], clusterScope: true, namespaces: ['*'] },
  ],
  nonResourceRules: [{ nonResourceURLs: ['*'], verbs: ['*'] }],
};
