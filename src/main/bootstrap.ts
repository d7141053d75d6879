import { readFile } from 'node:fs/promises';
import { asKubeObject, type KubeObject } from '#base/model';
import { type Ctx, FairleadError, parseJson } from '#base/std';
import { defaultProject } from '#control/controllers';
import { stockExclusions } from '#engine';
import { hasReason, type KubeClient, refOf } from '#kubernetes/client';
import { print } from '#lang/yaml';

type Options = {
  readonly namespace: string;
  /** The file of our CustomResourceDefinitions: those of deploy/crds as one list that parses fast. */
  readonly definitions: string;
  /** The file of the definitions of progressive delivery; undefined: they are not installed. */
  readonly rollouts?: string | undefined;
  /** The file of the initial SSH known hosts. */
  readonly knownHosts: string;
  readonly cm: Readonly<Record<string, string>>;
};

type ConfigMap = KubeObject & { data: Record<string, string> };

/** Creates the objects that Fairlead needs in the cluster. Existing objects are left as they are; definitions are updated. */
export async function bootstrap(
  ctx: Ctx,
  kube: KubeClient,
  { namespace, definitions, rollouts, knownHosts, cm }: Options,
): Promise<void> {
  // a server that waits for the definitions writes into the namespace next
  await ensureNamespace(ctx, kube, namespace);
  await renewDefinitions(ctx, kube, definitions);
  if (rollouts) await installRollouts(ctx, kube, rollouts);
  const labels = { 'app.kubernetes.io/part-of': 'argocd' };
  const configMap = (name: string, data: Record<string, string>): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels },
    data,
  });
  // compat engine T-14: written explicitly, so that a user who wants to see Endpoints can remove it
  await ensure(ctx, kube, configMap('argocd-cm', { 'resource.exclusions': print(stockExclusions), ...cm }));
  const hosts = { ssh_known_hosts: await readFile(knownHosts, 'utf8') };
  await ensure(ctx, kube, configMap('argocd-ssh-known-hosts-cm', hosts));
  // programs made for Argo CD read these and fail where one is missing
  for (const name of ['argocd-rbac-cm', 'argocd-cmd-params-cm', 'argocd-tls-certs-cm', 'argocd-gpg-keys-cm'])
    await ensure(ctx, kube, configMap(name, {}));
  await ensure(ctx, kube, defaultProject(namespace));
}

/** An account with rights in the namespace only may neither create nor read it: the writes into it show whether it exists. */
export async function ensureNamespace(ctx: Ctx, kube: KubeClient, name: string): Promise<void> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  try {
    await ensure(ctx, kube, namespace);
  } catch (error) {
    if (!hasReason(error, 'Forbidden')) throw error;
    const found = await kube.find(ctx, refOf(namespace)).catch((other: unknown) => other);
    if (!hasReason(found, 'Forbidden')) throw error;
    ctx.log.debug('the namespace can neither be created nor read: it is taken to be there', {
      namespace: name,
    });
  }
}

/** The operator may have installed the definitions and may not have granted the right to change them. */
async function renewDefinitions(ctx: Ctx, kube: KubeClient, file: string): Promise<void> {
  for (const item of parseJson(await readFile(file, 'utf8')) as unknown[]) {
    const definition = asKubeObject(item, file);
    try {
      await kube.apply(ctx, definition, { fieldManager: 'fairlead', force: true });
    } catch (error) {
      if (!hasReason(error, 'Forbidden')) throw error;
      await requireDefinitions(ctx, kube);
      ctx.log.debug('definitions are left as they are', { error });
    }
  }
}

/** compat rollouts RC-3: definitions of Argo Rollouts stay as they are. */
async function installRollouts(ctx: Ctx, kube: KubeClient, file: string): Promise<void> {
  for (const item of parseJson(await readFile(file, 'utf8')) as unknown[]) {
    const definition = asKubeObject(item, file);
    const found = await kube.find(ctx, refOf(definition)).catch(() => undefined);
    const isForeign = found && found.metadata.labels?.['app.kubernetes.io/part-of'] !== 'fairlead';
    if (isForeign) continue;
    try {
      await kube.apply(ctx, definition, { fieldManager: 'fairlead', force: true });
    } catch (error) {
      if (!hasReason(error, 'Forbidden')) throw error;
      ctx.log.warn(
        'a definition of progressive delivery cannot be installed: apply deploy/rollouts as an administrator',
        {
          name: definition.metadata.name,
          error,
        },
      );
    }
  }
}

/** Throws NotFound, with what to do, when the cluster does not serve Applications. */
export async function requireDefinitions(ctx: Ctx, kube: Pick<KubeClient, 'resource'>): Promise<void> {
  for (const kind of ['Application', 'AppProject', 'ApplicationSet']) {
    try {
      await kube.resource(ctx, { apiVersion: 'argoproj.io/v1alpha1', kind });
    } catch (error) {
      if (!hasReason(error, 'NoMatch')) throw error;
      throw new FairleadError(
        'NotFound',
        `the cluster has no definition of ${kind}: apply deploy/crds as an administrator (kubectl apply --server-side -f deploy/crds)`,
        error,
      );
    }
  }
}

/** How often a server that waits for definitions checks for them. */
const definitionsMs = 2_000;

/** Resolves when the cluster serves Applications: with a new controller that takes a moment. */
export async function awaitDefinitions(
  ctx: Ctx,
  kube: Pick<KubeClient, 'resource' | 'invalidate'>,
): Promise<void> {
  for (let isReported = false; ; isReported = true) {
    try {
      return await requireDefinitions(ctx, kube);
    } catch (error) {
      if (!(error instanceof FairleadError) || error.code !== 'NotFound') throw error;
      if (!isReported) {
        const missing = /definition of \w+/.exec(error.message)?.[0] ?? 'definitions';
        ctx.log.info(
          `waiting for the ${missing}: fairlead controller creates it, or kubectl apply --server-side -f deploy/crds`,
        );
      }
    }
    await ctx.clock.sleep(definitionsMs, ctx.signal);
    kube.invalidate();
  }
}

/** Creates an object unless one of that name exists. */
export async function ensure(
  ctx: Ctx,
  kube: Pick<KubeClient, 'create' | 'find'>,
  object: KubeObject,
): Promise<void> {
  try {
    await kube.create(ctx, object);
  } catch (error) {
    if (hasReason(error, 'AlreadyExists')) return;
    // without the right to create it, it is enough that it exists
    const isThere = hasReason(error, 'Forbidden') && (await isFound(ctx, kube, object));
    if (!isThere) throw error;
  }
}

async function isFound(ctx: Ctx, kube: Pick<KubeClient, 'find'>, object: KubeObject): Promise<boolean> {
  return kube.find(ctx, refOf(object)).then(
    (found) => found !== undefined,
    () => false,
  );
}
