import { isObject, type JsonObject } from '#kubernetes/schema';
import { type Core, peek } from '../core.ts';
import type { Item } from '../item.ts';

/** The environment of a process in a container: its variables and its mounted files. */
export type ContainerView = {
  readonly env: Readonly<Record<string, string>>;
  /** Absolute path → content. */
  readonly files: ReadonlyMap<string, Buffer>;
  readonly hostname: string;
};

type Named = { readonly name?: string };

/** Reads the current ConfigMaps and Secrets of a container. */
export function viewOf(core: Core, pod: Item, container: JsonObject): ContainerView {
  const sources = new Sources(core, pod);
  const hostname = pod.metadata.name ?? '';
  const env: Record<string, string> = {
    PATH: '/usr/local/bin:/usr/bin:/bin',
    HOSTNAME: hostname,
    HOME: '/root',
  };
  for (const from of listOf(container.envFrom)) Object.assign(env, sources.all(from));
  for (const one of listOf(container.env)) {
    if (typeof one.name === 'string') env[one.name] = expanded(sources.value(one), env);
  }
  return { env, files: sources.files(container), hostname };
}

const listOf = (value: unknown): JsonObject[] => (Array.isArray(value) ? value.filter(isObject) : []);
const objectOf = (value: unknown): JsonObject => (isObject(value) ? value : {});

/** compat cluster 5.1: `$(NAME)` refers to an earlier variable. */
const expanded = (text: string, env: Readonly<Record<string, string>>): string =>
  text.replaceAll(/\$\(([A-Za-z_]\w*)\)/g, (whole, name: string) => env[name] ?? whole);

class Sources {
  readonly #core: Core;
  readonly #pod: Item;

  constructor(core: Core, pod: Item) {
    this.#core = core;
    this.#pod = pod;
  }

  /** Every pair of an `envFrom` source. */
  all({ configMapRef, secretRef, prefix = '' }: JsonObject): Record<string, string> {
    const data = this.#data(
      isObject(configMapRef) ? 'configmaps' : 'secrets',
      objectOf(configMapRef ?? secretRef),
    );
    return Object.fromEntries([...data].map(([key, value]) => [`${String(prefix)}${key}`, value.toString()]));
  }

  value({ value, valueFrom }: JsonObject): string {
    if (!isObject(valueFrom)) return String(value ?? '');
    const { configMapKeyRef, secretKeyRef, fieldRef } = valueFrom;
    if (isObject(fieldRef)) return this.#field(String(fieldRef.fieldPath));
    const ref = objectOf(configMapKeyRef ?? secretKeyRef);
    const data = this.#data(isObject(configMapKeyRef) ? 'configmaps' : 'secrets', ref);
    return data.get(String(ref.key))?.toString() ?? '';
  }

  files(container: JsonObject): Map<string, Buffer> {
    const files = new Map<string, Buffer>();
    const volumes = listOf(objectOf(this.#pod.spec).volumes);
    for (const { name, mountPath, subPath } of listOf(container.volumeMounts)) {
      const volume = volumes.find((one) => one.name === name);
      if (!volume || typeof mountPath !== 'string') continue;
      for (const [path, content] of this.#volume(volume)) {
        if (subPath === undefined) files.set(`${mountPath.replace(/\/$/, '')}/${path}`, content);
        else if (subPath === path) files.set(mountPath, content);
      }
    }
    return files;
  }

  #volume({ configMap, secret, projected }: JsonObject): [path: string, content: Buffer][] {
    if (isObject(configMap)) return this.#chosen('configmaps', configMap, configMap.items);
    if (isObject(secret))
      return this.#chosen('secrets', { name: secret.secretName ?? secret.name }, secret.items);
    return listOf(objectOf(projected).sources).flatMap((source) => this.#volume(source));
  }

  #chosen(plural: string, ref: Named | JsonObject, items: unknown): [path: string, content: Buffer][] {
    const data = this.#data(plural, ref);
    if (!Array.isArray(items)) return [...data];
    return listOf(items).flatMap(({ key, path }) => {
      const content = data.get(String(key));
      return content ? [[String(path), content] as [string, Buffer]] : [];
    });
  }

  #data(plural: string, { name }: Named | JsonObject): Map<string, Buffer> {
    const item = peek(this.#core, `/${plural}`, this.#pod.metadata.namespace ?? '', String(name));
    const entries = (field: unknown, encoding: BufferEncoding) =>
      Object.entries(objectOf(field)).map(
        ([key, text]) => [key, Buffer.from(String(text), encoding)] as const,
      );
    const isSecret = plural === 'secrets';
    return new Map([
      ...entries(item?.data, isSecret ? 'base64' : 'utf8'),
      ...entries(item?.binaryData, 'base64'),
    ]);
  }

  #field(path: string): string {
    const { name = '', namespace = '', uid = '' } = this.#pod.metadata;
    const { nodeName, serviceAccountName } = objectOf(this.#pod.spec);
    const { podIP, hostIP } = objectOf(this.#pod.status);
    const known: Readonly<Record<string, unknown>> = {
      'metadata.name': name,
      'metadata.namespace': namespace,
      'metadata.uid': uid,
      'spec.nodeName': nodeName,
      'spec.serviceAccountName': serviceAccountName,
      'status.podIP': podIP,
      'status.hostIP': hostIP,
    };
    return String(known[path] ?? '');
  }
}
