import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Ctx, FairleadError, type Task } from '#base/std';
import {
  type AdmissionHook,
  createCluster,
  type EmbeddedCluster,
  type EmbeddedListener,
  listen,
  type Objects,
  parseFaults,
  parseTokens,
} from '#embedded/apiserver';
import { admitKnative, createPodLogs, installDefinitions, runSimulation } from '#embedded/controllers';
import { openStore, type Store } from '#platform/store';

export type EmbeddedConfig = {
  /** No other part of the program is started. */
  readonly alone: boolean;
  readonly authorization: 'allow-all' | 'rbac';
  /** Bearer tokens, in the format of Kubernetes' token file. */
  readonly tokensFile: string | undefined;
  /** The rules of the faults to inject. */
  readonly faultsFile: string | undefined;
  /** The port to listen on; undefined: that of the last start, or a free one. */
  readonly port: number | undefined;
};

/** The folder of the store and the kubeconfig, the settings of the cluster, and the control plane's namespace. */
export type EmbeddedOptions = {
  readonly dataDir: string;
  readonly embedded: EmbeddedConfig;
  readonly namespace: string;
  /** Sees every write after the defaults are set, and may warn. */
  readonly admission?: AdmissionHook | undefined;
};

export type OpenEmbedded = {
  readonly cluster: EmbeddedCluster;
  readonly listener: EmbeddedListener;
  /** The tasks that run it. */
  readonly tasks: readonly Task[];
  close(): Promise<void>;
};

/** Opens the embedded cluster with its simulated controllers, stored in the data folder and served to kubectl. */
export async function openEmbedded(
  ctx: Ctx,
  { dataDir, embedded, namespace: home, admission }: EmbeddedOptions,
): Promise<OpenEmbedded> {
  const tokens = parseTokens(await textOf(embedded.tokensFile, '--tokens'));
  const { rules, seed } = parseFaults((await textOf(embedded.faultsFile, '--faults')) || '{}');
  const store = await openStore(join(dataDir, 'store'));
  try {
    const { authorization } = embedded;
    const cluster = await simulated(ctx, store, { authorization, tokens, admission });
    const namespace = embedded.alone ? undefined : home;
    const listener = await listenAgain(ctx, cluster, { dir: dataDir, port: embedded.port, namespace });
    cluster.faults.set(rules, seed);
    return {
      cluster,
      listener,
      tasks: [(c) => runSimulation(c, cluster.objects, {})],
      close: async () => {
        await listener.close();
        await cluster.close();
        await store.close();
      },
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

type Rights = Pick<EmbeddedConfig, 'authorization'> & {
  readonly tokens: ReturnType<typeof parseTokens>;
} & Pick<EmbeddedOptions, 'admission'>;

async function simulated(
  { clock, log }: Ctx,
  store: Store,
  { admission, ...rights }: Rights,
): Promise<EmbeddedCluster> {
  let objects: Objects | undefined;
  const cluster = await createCluster({
    ...rights,
    store,
    clock,
    log,
    webhooks: (call) => admitKnative(admission ? { ...call, object: admission(call) } : call),
    podLogs: createPodLogs(() => objects, clock),
  });
  objects = cluster.objects;
  await installDefinitions(cluster.objects);
  return cluster;
}

async function textOf(path: string | undefined, flag: string): Promise<string> {
  if (path === undefined) return '';
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new FairleadError(
      'InvalidSpec',
      `the file that ${flag} names cannot be read: give the path of one`,
      error,
    );
  });
}

type OpenedStore = {
  readonly dir: string;
  readonly port: number | undefined;
  readonly namespace: string | undefined;
};

/** Listens on the port of the last start if it is free, so that open shells and copied kubeconfigs keep working. */
async function listenAgain(
  ctx: Ctx,
  cluster: EmbeddedCluster,
  place: OpenedStore,
): Promise<EmbeddedListener> {
  const { dir, port: wanted, namespace } = place;
  if (wanted !== undefined) return listen(ctx, cluster, { port: wanted, dir, namespace });
  const kubeconfig = await readFile(join(dir, 'kubeconfig'), 'utf8').catch(() => '');
  const port = Number(/"?server"?: "?https:\/\/[^\s"]*:(\d+)/.exec(kubeconfig)?.[1] ?? 0);
  try {
    return await listen(ctx, cluster, { port, dir, namespace });
  } catch (error) {
    if (port === 0 || !isInUse(error)) throw error;
    return listen(ctx, cluster, { port: 0, dir, namespace });
  }
}

const isInUse = (error: unknown): boolean =>
  error instanceof FairleadError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'EADDRINUSE';
