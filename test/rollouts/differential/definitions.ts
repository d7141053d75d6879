import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { KubeObject } from '#base/model';
import { hasReason } from '#kubernetes/client';
import { parseAll } from '#lang/yaml';
import type { Environment } from './environment.ts';

const apiVersion = 'apiextensions.k8s.io/v1';
const kind = 'CustomResourceDefinition';

/** Kinds of routers, in name only: a controller of Rollouts needs their objects and nothing that acts on them. */
const routers = [
  routerOf('networking.istio.io', 'v1beta1', 'VirtualService', 'virtualservices'),
  routerOf('networking.istio.io', 'v1beta1', 'DestinationRule', 'destinationrules'),
];

function routerOf(group: string, version: string, name: string, plural: string): KubeObject {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  const names = { kind: name, plural, singular: name.toLowerCase(), listKind: `${name}List` };
  const versions = [
    { name: version, served: true, storage: true, schema },
    { name: 'v1alpha3', served: true, storage: false, schema },
  ];
  return {
    apiVersion,
    kind,
    metadata: { name: `${plural}.${group}` },
    spec: { group, names, scope: 'Namespaced', versions },
  };
}

/** Makes the definitions of the folder those of the cluster, whatever was there, and waits until it serves them. */
export async function applyDefinitions({ ctx, kube }: Environment, folder: string): Promise<void> {
  const files = readdirSync(folder).filter((file) => file.endsWith('.yaml') && file !== 'kustomization.yaml');
  const read = files.flatMap((file) => parseAll(readFileSync(join(folder, file), 'utf8'), { name: file }));
  const objects = [...read.map(({ value }) => value as KubeObject), ...routers].filter(
    (one) => one?.kind === kind,
  );
  for (const object of objects) {
    const ref = { apiVersion, kind, name: object.metadata.name };
    const live = await kube.find(ctx, ref);
    if (!live) await kube.create(ctx, object);
    else {
      const { resourceVersion = '' } = live.metadata;
      await kube.update(ctx, { ...object, metadata: { ...object.metadata, resourceVersion } });
    }
    while (!isEstablished(await kube.get(ctx, ref))) await ctx.clock.sleep(200, ctx.signal);
  }
  kube.invalidate();
  for (const one of objects) {
    const { group, names, versions } = one.spec as {
      group: string;
      names: { kind: string };
      versions: { name: string }[];
    };
    const served = { apiVersion: `${group}/${versions[0]?.name}`, kind: names.kind };
    const isServed = () =>
      kube.list(ctx, served).then(
        () => true,
        (error: unknown) => {
          if (!hasReason(error, 'NoMatch')) throw error;
          kube.invalidate();
          return false;
        },
      );
    while (!(await isServed())) await ctx.clock.sleep(200, ctx.signal);
  }
}

function isEstablished({ status }: KubeObject): boolean {
  const { conditions } = (status ?? {}) as { conditions?: { type: string; status: string }[] | null };
  return conditions?.some(({ type, status: is }) => type === 'Established' && is === 'True') ?? false;
}
