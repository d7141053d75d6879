import { addFeatures } from './kustomize-features.ts';
import {
  anyContainer,
  anyObject,
  anyVolume,
  imageNames,
  objectNames,
  type Value,
} from './kustomize-objects.ts';
import { anyScalar, anyText, Raw, written } from './kustomize-text.ts';
import type { Random } from './random.ts';

/** Files of a tree, by path; the folder to build is `app`. */
export type Tree = Readonly<Record<string, string | Uint8Array>>;

/** A tree of kustomizations; `rarely`: how likely each has each of the features that few have. */
export function randomTree(random: Random, rarely = 0.03): Tree {
  const making = new Making(random, rarely);
  making.folder('app', 0);
  return making.files;
}

const patchable = (object: Value): boolean => typeof object.kind === 'string';

class Making {
  readonly files: Record<string, string | Uint8Array> = {};
  readonly #random: Random;
  readonly #rarely: number;
  readonly #ids = new Set<string>();
  #folders = 0;

  constructor(random: Random, rarely: number) {
    this.#random = random;
    this.#rarely = rarely;
  }

  /** Writes a kustomization; the objects that it is built from. */
  folder(dir: string, depth: number, isComponent = false): Value[] {
    const random = this.#random;
    const objects: Value[] = [];
    const kustomization: Value = {};
    if (isComponent)
      Object.assign(kustomization, { apiVersion: 'kustomize.config.k8s.io/v1alpha1', kind: 'Component' });
    else if (random.chance(0.5))
      Object.assign(kustomization, { apiVersion: 'kustomize.config.k8s.io/v1beta1', kind: 'Kustomization' });
    kustomization.resources = this.#resources(dir, depth, objects, isComponent);
    this.#generators(dir, kustomization);
    if (depth < 2 && !isComponent && random.chance(0.12)) {
      kustomization.components = [this.#component(dir, depth, objects)];
    }
    this.#naming(kustomization, isComponent);
    this.#labels(kustomization);
    this.#patches(dir, kustomization, objects);
    this.#rest(kustomization, objects);
    addFeatures({ dir, kustomization, objects, files: this.files }, random, this.#rarely);
    if (depth === 0 && random.chance(0.1))
      kustomization.sortOptions = { order: random.pick(['fifo', 'legacy']) };
    this.files[`${dir}/${random.pick(['kustomization.yaml', 'kustomization.yml', 'Kustomization'])}`] =
      written(kustomization, random);
    return objects;
  }

  #fresh(): string {
    this.#folders += 1;
    return `folder-${this.#folders}`;
  }

  #resources(dir: string, depth: number, objects: Value[], isComponent: boolean): string[] {
    const random = this.#random;
    const resources: string[] = [];
    const bases = isComponent || depth > 1 ? 0 : random.pick([0, 1, 1, 1, 2]);
    for (let at = 0; at < bases; at++) {
      const base = this.#fresh();
      objects.push(...this.folder(base, depth + 1));
      resources.push(`../${base}${random.chance(0.1) ? '/' : ''}`);
      if (random.chance(0.06)) resources.push(...this.#twin(base, depth));
    }
    const own = bases > 0 ? random.below(3) : isComponent ? random.below(2) : 1 + random.below(6);
    for (let at = 0; at < own; at++) resources.push(this.#file(dir, at, objects));
    return resources;
  }

  /** Another overlay of the same base, whose objects are named alike. */
  #twin(base: string, depth: number): string[] {
    const twin = this.#fresh();
    const kustomization: Value = { resources: [`../${base}`], namePrefix: 'twin-' };
    if (depth < 9 && this.#random.chance(0.5)) kustomization.namespace = 'twins';
    this.files[`${twin}/kustomization.yaml`] = written(kustomization, this.#random);
    return [`../${twin}`];
  }

  #file(dir: string, at: number, objects: Value[]): string {
    const random = this.#random;
    const made = Array.from({ length: random.pick([1, 1, 1, 2, 3]) }, () => this.#object());
    objects.push(...made);
    const name = random.pick([`object-${at}.yaml`, `sub/object-${at}.yaml`, `./object-${at}.yaml`]);
    const isList = random.chance(0.06);
    const documents = isList
      ? [{ apiVersion: 'v1', kind: 'List', items: made }, ...(random.chance(0.3) ? [this.#object()] : [])]
      : made;
    const texts = documents.map((object) => written(object, random));
    const lead = random.chance(0.1) ? '---\n' : '';
    const text = lead + texts.join(random.pick(['---\n', '--- \n', '---\n# again\n']));
    this.files[`${dir}/${name.replace('./', '')}`] = random.chance(0.05) ? text.trimEnd() : text;
    return name;
  }

  /** An object of an id of its own, or else nearly every tree would be refused. */
  #object(): Value {
    for (;;) {
      const object = anyObject(this.#random);
      const id = `${object.kind} ${(object.metadata as Value).name}`;
      if (this.#ids.has(id) && !this.#random.chance(0.03)) continue;
      this.#ids.add(id);
      return object;
    }
  }

  #component(dir: string, depth: number, objects: Value[]): string {
    const component = this.#fresh();
    objects.push(...this.folder(component, depth + 2, true));
    return dir === '' ? component : `../${component}`;
  }

  #generators(dir: string, kustomization: Value): void {
    const random = this.#random;
    for (const field of ['configMapGenerator', 'secretGenerator']) {
      if (!random.chance(0.15)) continue;
      kustomization[field] = Array.from({ length: 1 + random.below(2) }, () => this.#generator(dir, field));
    }
    if (random.chance(0.08)) {
      kustomization.generatorOptions = {
        ...(random.chance(0.5) ? { disableNameSuffixHash: true } : {}),
        ...(random.chance(0.5) ? { labels: { made: 'here' } } : {}),
        ...(random.chance(0.3) ? { immutable: true } : {}),
      };
    }
  }

  #generator(dir: string, field: string): Value {
    const random = this.#random;
    const name = random.pick([...objectNames, 'made', 'made-too']);
    const entry: Value = { name, ...this.#sources(dir) };
    const id = `${field === 'secretGenerator' ? 'Secret' : 'ConfigMap'} ${name}`;
    if (random.chance(this.#ids.has(id) ? 0.9 : 0.01)) entry.behavior = random.pick(['merge', 'replace']);
    this.#ids.add(id);
    if (random.chance(0.1)) entry.namespace = random.pick(['team-a', 'default']);
    if (random.chance(0.2)) {
      const flags = random.chance(0.5) ? { disableNameSuffixHash: true } : {};
      entry.options = { ...flags, labels: { own: 'label' }, annotations: { own: anyText(random) } };
    }
    if (field === 'secretGenerator' && random.chance(0.2)) entry.type = 'kubernetes.io/basic-auth';
    return entry;
  }

  #sources(dir: string): Value {
    const random = this.#random;
    const entry: Value = {};
    if (random.chance(0.5)) {
      const more = random.chance(0.5) ? [`x.y=${random.pick(['"a"', "'b'", '5', 'a=b'])}`] : [];
      entry.literals = [`one=${anyText(random)}`, ...more];
    }
    if (random.chance(0.4)) entry.files = [this.#dataFile(dir)];
    if (random.chance(0.2)) {
      this.files[`${dir}/values.env`] = '# comment\nFOO=bar\n  SPACED= x y \nEMPTY\nQUOTED="q"\n';
      entry.envs = ['values.env'];
    }
    return entry;
  }

  #dataFile(dir: string): string {
    const random = this.#random;
    const name = random.pick(['data.txt', 'data.bin', 'conf/app.ini']);
    const bytes = Uint8Array.from({ length: random.pick([7, 60, 200]) }, () => random.below(256));
    this.files[`${dir}/${name}`] = name === 'data.bin' ? bytes : anyText(random);
    return random.chance(0.3) ? `key=${name}` : name;
  }

  #naming(kustomization: Value, isComponent: boolean): void {
    const random = this.#random;
    const rarely = isComponent ? 0.1 : 0.3;
    if (random.chance(rarely)) kustomization.namespace = random.pick(['team-a', 'team-c', 'default']);
    if (random.chance(rarely)) kustomization.namePrefix = random.pick(['pre-', 'x', 'a-']);
    if (random.chance(rarely / 2)) kustomization.nameSuffix = random.pick(['-post', '-v2']);
  }

  #labels(kustomization: Value): void {
    const random = this.#random;
    if (random.chance(0.12))
      kustomization.commonLabels = {
        [random.pick(['app', 'team'])]: random.pick(['one', 'two', '1', 'true']),
      };
    if (random.chance(0.15)) {
      const flags = random.pick<Value>([
        {},
        { includeSelectors: true },
        { includeTemplates: true },
        { includeSelectors: false, includeTemplates: true },
      ]);
      kustomization.labels = [{ pairs: { [random.pick(['app', 'env'])]: anyLabel(random) }, ...flags }];
    }
    if (random.chance(0.12))
      kustomization.commonAnnotations = { [random.pick(['note', 'owner'])]: anyText(random) };
  }

  #patches(dir: string, kustomization: Value, objects: readonly Value[]): void {
    const random = this.#random;
    const known = objects.filter(patchable);
    if (known.length === 0) return;
    if (random.chance(0.4)) {
      kustomization.patches = Array.from({ length: 1 + random.below(2) }, (_, at) =>
        this.#patch(dir, at, random.pick(known)),
      );
    }
    if (random.chance(0.1)) {
      const text = written(patchFor(random.pick(known), random), random);
      this.files[`${dir}/merge.yaml`] = text;
      kustomization.patchesStrategicMerge = [random.chance(0.5) && text.includes('\n') ? text : 'merge.yaml'];
    }
    if (random.chance(0.08)) {
      const object = random.pick(known);
      const { name } = object.metadata as Value;
      kustomization.patchesJson6902 = [
        { target: { ...gvk(object), name }, patch: written(operations(object, random), random) },
      ];
    }
  }

  #patch(dir: string, at: number, object: Value): Value {
    const random = this.#random;
    const isJson = random.chance(0.3);
    const text = isJson ? jsonText(object, random) : written(patchFor(object, random), random);
    const entry: Value = random.chance(0.5) ? { patch: text } : { path: `patch-${at}.yaml` };
    if (entry.path) this.files[`${dir}/patch-${at}.yaml`] = text;
    if (isJson || random.chance(0.25)) entry.target = target(object, random);
    return entry;
  }

  #rest(kustomization: Value, objects: readonly Value[]): void {
    const random = this.#random;
    if (random.chance(0.15)) {
      const name = random.pick(imageNames).replace(/(?<!:\d{4}.*)[:@](?!\d{4}).*$/, '');
      kustomization.images = [
        {
          name,
          ...random.pick<Value>([
            { newTag: 'v9' },
            { newName: 'other/image' },
            { digest: 'sha256:123' },
            { newName: 'x', newTag: '1.0' },
          ]),
        },
      ];
    }
    const scaled = objects.filter(({ kind }) => /^(?:Deployment|StatefulSet|ReplicaSet)$/.test(String(kind)));
    if (scaled.length > 0 && random.chance(0.15)) {
      kustomization.replicas = [
        { name: (random.pick(scaled).metadata as Value).name, count: random.below(9) },
      ];
    }
  }
}

const anyLabel = (random: Random): string => random.pick(['one', 'two', '1', 'true']);

function gvk({ apiVersion, kind }: Value): Value {
  const [version, group] = String(apiVersion).split('/').reverse();
  return { ...(group ? { group } : {}), version, kind };
}

function target(object: Value, random: Random): Value {
  const { name } = object.metadata as Value;
  return random.pick<() => Value>([
    () => ({ kind: object.kind, name }),
    () => ({ ...gvk(object), name }),
    () => ({ kind: object.kind }),
    () => ({ name: random.pick(['.*', 'w.*', 'web|db', 'nothing', 'web-\\d']) }),
    () => ({ labelSelector: 'app=web' }),
    () => ({ kind: object.kind, namespace: random.pick(['team-a', 'default', '.*']) }),
  ])();
}

function jsonText(object: Value, random: Random): string {
  const list = operations(object, random);
  return random.chance(0.3)
    ? JSON.stringify(list.map((one) => (one.value instanceof Raw ? { ...one, value: 1 } : one)))
    : written(list, random);
}

function operations(object: Value, random: Random): Value[] {
  const value = anyScalar(random) ?? 'x';
  const choices: Value[] = [
    { op: 'add', path: '/metadata/annotations/extra', value: random.chance(0.8) ? 'text' : value },
    { op: 'add', path: '/metadata/labels', value: { app: 'patched' } },
    { op: 'replace', path: '/metadata/labels/app', value: 'replaced' },
    { op: 'add', path: '/spec/extra', value },
    { op: 'remove', path: '/spec/selector' },
    { op: 'add', path: '/data/new', value: anyText(random) },
    { op: 'replace', path: '/spec/replicas', value: 7 },
    { op: 'add', path: '/spec/template/spec/containers/-', value: { name: 'added', image: 'busybox' } },
    { op: 'replace', path: '/spec/template/spec/containers/0/image', value: 'nginx:json' },
    { op: 'add', path: '/spec/template/spec/containers/0/env', value: [{ name: 'J', value: 'json' }] },
  ];
  const isBold = random.chance(0.1);
  const fitting = choices.filter(({ path, op }) => isBold || fits(object, String(path), String(op)));
  return Array.from({ length: 1 + random.below(2) }, () => random.pick(fitting));
}

/** Whether an operation is possible. */
function fits(object: Value, path: string, op: string): boolean {
  const parts = path.slice(1).split('/');
  const holder = parts
    .slice(0, -1)
    .reduce<unknown>((at, part) => (isFields(at) ? at[part] : undefined), object);
  if (path.startsWith('/metadata/annotations')) return true;
  if (!isFields(holder)) return false;
  return op === 'add' || Object.hasOwn(holder, parts.at(-1) ?? '');
}

/** A merge patch for an object: some of its fields, changed, and some that it has not. */
function patchFor(object: Value, random: Random): Value {
  const patch: Value = {
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: patchMetadata(object, random),
  };
  if (random.chance(0.04)) return { ...patch, $patch: 'delete' };
  for (const [key, value] of Object.entries(object)) {
    if (!(key in patch) && random.chance(0.8)) patch[key] = changed(value, key, random);
  }
  return patch;
}

function patchMetadata(object: Value, random: Random): Value {
  const { name, namespace } = object.metadata as Value;
  const metadata: Value = { name, ...(namespace ? { namespace } : {}) };
  const orNull = (likelihood: number, value: string): string | null =>
    random.chance(likelihood) ? null : value;
  if (random.chance(0.2)) metadata.labels = { [random.pick(['app', 'extra'])]: orNull(0.1, 'patched') };
  if (random.chance(0.2)) metadata.annotations = { note: orNull(0.15, anyText(random)) };
  if (random.chance(0.05)) metadata.finalizers = ['example.com/b', 'example.com/c'];
  return metadata;
}

function changed(value: unknown, key: string, random: Random): unknown {
  if (random.chance(0.03)) return null;
  if (Array.isArray(value)) return changedList(value, key, random);
  if (typeof value !== 'object' || value === null || value instanceof Raw)
    return changedScalar(value, random);
  const patch: Value = {};
  for (const [name, inner] of Object.entries(value))
    if (random.chance(0.5)) patch[name] = changed(inner, name, random);
  if (random.chance(0.12))
    patch[random.pick(['extra', 'more'])] = random.chance(0.5)
      ? anyScalar(random)
      : { deep: { er: anyScalar(random) } };
  if (random.chance(0.02)) patch.$patch = random.pick(['replace', 'delete', 'merge']);
  return patch;
}

function changedScalar(value: unknown, random: Random): unknown {
  if (typeof value === 'string') return random.chance(0.9) ? anyText(random) : anyScalar(random);
  return typeof value === 'number' ? random.below(50) : anyScalar(random);
}

const keys: Readonly<Record<string, string>> = { ports: 'containerPort', volumeMounts: 'mountPath' };

function changedList(list: readonly unknown[], key: string, random: Random): unknown[] {
  const items = list
    .filter(() => random.chance(0.6))
    .map((item) => (isFields(item) ? changedItem(item, key, random) : changedScalar(item, random)));
  if (random.chance(0.3)) items.push(...newItems(key, random));
  if (random.chance(0.03)) items.unshift({ $patch: random.pick(['replace', 'delete']) });
  return items.filter((item) => item !== null);
}

const isFields = (item: unknown): item is Value =>
  typeof item === 'object' && item !== null && !(item instanceof Raw);

function changedItem(item: Value, key: string, random: Random): unknown {
  const id = keys[key] && item[keys[key]] !== undefined ? keys[key] : 'port' in item ? 'port' : 'name';
  const own: Value = id in item ? { [id]: item[id] } : {};
  if ('protocol' in item && random.chance(0.9)) own.protocol = item.protocol;
  if (random.chance(0.08)) return { ...own, $patch: random.pick(['delete', 'delete', 'replace']) };
  const patch = changed({ ...item, protocol: undefined, [id]: undefined }, key, random);
  if (!isFields(patch)) return own;
  const { protocol: _protocol, [id]: _id, ...rest } = patch;
  return { ...own, ...rest };
}

function newItems(key: string, random: Random): unknown[] {
  if (key === 'containers') return [anyContainer(random)];
  if (key === 'volumes') return [anyVolume(random)];
  if (key === 'env') return [{ name: random.pick(['A', 'E']), value: 'new' }];
  if (key === 'args') return ['--new'];
  return [];
}
