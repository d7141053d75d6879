import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { hasReason, type KubeClient } from '#kube';
import { parse } from '#lang/yaml';
import { type AppProject, asKubeObject, defaultProjectSpec, type KubeObject } from '#model';
import type { Ctx } from '#std';

type Options = {
  readonly namespace: string;
  readonly crdsDir: string;
  readonly cm: Readonly<Record<string, string>>;
};

/** Makes sure that what Fairlead needs is in the cluster. What is there already is left as it is; definitions are renewed. */
export async function bootstrap(
  ctx: Ctx,
  kube: KubeClient,
  { namespace, crdsDir, cm }: Options,
): Promise<void> {
  for (const file of (await readdir(crdsDir)).sort()) {
    const definition = asKubeObject(parse(await readFile(join(crdsDir, file), 'utf8')), file);
    await kube.apply(ctx, definition, { fieldManager: 'fairlead', force: true });
  }
  await ensure(ctx, kube, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const labels = { 'app.kubernetes.io/part-of': 'argocd' };
  const settings: KubeObject & { data: Record<string, string> } = {
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: { name: 'argocd-cm', namespace, labels },
    data: { ...cm },
  };
  await ensure(ctx, kube, settings);
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
