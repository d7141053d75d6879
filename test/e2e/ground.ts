import { type Application, annotation, type KubeObject } from '#base/model';
import { realClock, silent } from '#base/std';
import { createKubeClient, loadKubeconfig, networkTransport, type ObjectRef } from '#kubernetes/client';
import type { GitRepositoryFixture } from '../git-repository.ts';
import { type Plane, startPlane } from './in-process.ts';
import { startSeeds } from './seeds.ts';

const { FAIRLEAD_TEST_KUBECONFIG: kubeconfig } = process.env;
const { refresh: refreshAnnotation } = annotation;

/** A control plane on a cluster, as far as a test of a whole installation needs it. */
export type Ground = {
  readonly repository: GitRepositoryFixture;
  apply(object: KubeObject): Promise<void>;
  app(name: string): Promise<Application>;
  until(name: string, what: string, isSo: (app: Application) => boolean): Promise<Application>;
  find(ref: ObjectRef): Promise<KubeObject | undefined>;
  /** Lets the control plane compare everything again: for minutes of virtual time, on a real cluster by hard refreshes. */
  rest(names: readonly string[], minutes: number): Promise<void>;
  /** A hard refresh of each, and its end. */
  refresh(names: readonly string[]): Promise<void>;
  stop(): Promise<void>;
};

/** The controllers in this process with virtual time, or the started program on the cluster of FAIRLEAD_TEST_KUBECONFIG. */
export const openGround = (): Promise<Ground> =>
  kubeconfig ? onRealCluster(kubeconfig) : startPlane().then(onEmbedded);

const onEmbedded = (plane: Plane): Ground => ({
  repository: plane.repository,
  apply: (object) => plane.apply(object),
  app: (name) => plane.app(name),
  until: async (name, what, isSo) => {
    const find = async () => (await plane.find(refTo(name))) as Application | undefined;
    const app = await plane.until(`${name} is ${what}`, find, (found) => found !== undefined && isSo(found));
    return app as Application;
  },
  find: (ref) => plane.find(ref),
  rest: (_names, minutes) => plane.pass(minutes * 60_000),
  refresh: async (names) => {
    for (const name of names)
      await plane.edit(name, { metadata: { annotations: { [refreshAnnotation]: 'hard' } } });
    for (const name of names)
      await plane.untilApp(
        name,
        'refreshed',
        ({ metadata }) => metadata.annotations?.[refreshAnnotation] === undefined,
      );
  },
  stop: () => plane.stop(),
});

async function onRealCluster(files: string): Promise<Ground> {
  const seeds = await startSeeds();
  const repository = await seeds.repository('your-org/platform');
  const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
  const transport = networkTransport(await loadKubeconfig(ctx, { files: [files] }));
  const kube = createKubeClient({ transport });
  const find = (ref: ObjectRef): Promise<KubeObject | undefined> => kube.find(ctx, ref);
  const refresh = async (names: readonly string[]): Promise<void> => {
    const body = { metadata: { annotations: { [refreshAnnotation]: 'hard' } } };
    for (const name of names) await kube.patch(ctx, refTo(name), { type: 'merge', body });
    for (const name of names)
      await seeds.fairlead.until(
        name,
        'refreshed',
        ({ metadata }) => metadata.annotations?.[refreshAnnotation] === undefined,
      );
  };
  return {
    repository,
    find,
    apply: (object) => seeds.apply(object),
    app: async (name) => (await find(refTo(name))) as Application,
    until: (name, what, isSo) => seeds.fairlead.until(name, what, isSo),
    rest: async (names) => {
      // what polls compare in minutes is compared here three times, with nothing cached
      for (let round = 0; round < 3; round++) await refresh(names);
    },
    refresh,
    stop: async () => {
      await seeds.stop();
      transport.close();
    },
  };
}

const refTo = (name: string): ObjectRef => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  namespace: 'argocd',
  name,
});
