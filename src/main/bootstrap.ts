import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stockExclusions } from '#engine';
import { hasReason, type KubeClient } from '#kube';
import { parse, print } from '#lang/yaml';
import { type AppProject, asKubeObject, defaultProjectSpec, type KubeObject } from '#model';
import type { Ctx } from '#std';

type Options = {
  readonly namespace: string;
  readonly crdsDir: string;
  /** The file of ssh hosts to know from the start. */
  readonly knownHosts: string;
  readonly cm: Readonly<Record<string, string>>;
};

type ConfigMap = KubeObject & { data: Record<string, string> };

/** Makes sure that what Fairlead needs is in the cluster. What is there already is left as it is; definitions are renewed. */
export async function bootstrap(
  ctx: Ctx,
  kube: KubeClient,
  { namespace, crdsDir, knownHosts, cm }: Options,
): Promise<void> {
  for (const file of (await readdir(crdsDir)).sort()) {
    const definition = asKubeObject(parse(await readFile(join(crdsDir, file), 'utf8')), file);
    await kube.apply(ctx, definition, { fieldManager: 'fairlead', force: true });
  }
  await ensure(ctx, kube, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const labels = { 'app.kubernetes.io/part-of': 'argocd' };
  const configMap = (name: string, data: Record<string, string>): ConfigMap => ({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name, namespace, labels },
    data,
  });
  // compat T-14: written down, so that whoever wants to see Endpoints can take it out
  await ensure(ctx, kube, configMap('argocd-cm', { 'resource.exclusions': print(stockExclusions), ...cm }));
  const hosts = { ssh_known_hosts: await readFile(knownHosts, 'utf8') };
  await ensure(ctx, kube, configMap('argocd-ssh-known-hosts-cm', hosts));
  const project: AppProject = {
    apiVersion: 'argoproj.io/v1alpha1',
    kind: 'AppProject',
    metadata: { name: 'default', namespace },
    spec: defaultProjectSpec,
  };
  await ensure(ctx, kube, project);
}

/** Creates an object unless one of that name exists. */
export async function ensure(ctx: Ctx, kube: Pick<KubeClient, 'create'>, object: KubeObject): Promise<void> {
  try {
    await kube.create(ctx, object);
  } catch (error) {
    if (!hasReason(error, 'AlreadyExists')) throw error;
  }
}
