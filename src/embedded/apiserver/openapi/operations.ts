import type { JsonObject, SchemaGvk, Subresource } from '#kubernetes/schema';
import { apiVersionOf, type ServedResource } from '../kinds.ts';
import { type Parameter, type ParameterSet, parametersOf, pathParameter, pretty } from './parameters.ts';

/** References to the schemas of an operation. */
export type Spoken = {
  readonly object: JsonObject;
  readonly list: JsonObject;
  readonly meta: (name: string) => JsonObject;
  readonly kind: (gvk: SchemaGvk) => JsonObject | undefined;
};

type Operation = { readonly method: string; readonly set: ParameterSet; readonly body: JsonObject };

/** `apis/apps/v1`, the path of a group version. */
export const pathOf = (resource: SchemaGvk): string =>
  resource.group === '' ? `api/${resource.version}` : `apis/${apiVersionOf(resource)}`;

const titled = (word: string): string => word.charAt(0).toUpperCase() + word.slice(1);

/** `RbacAuthorization` for rbac.authorization.k8s.io, `Core` for the group without a name. */
export const groupTitle = (group: string): string =>
  group === ''
    ? 'Core'
    : group
        .replace(/\.k8s\.io$/, '')
        .split(/[.-]/)
        .map(titled)
        .join('');

const prefixOf = ({ group, version }: SchemaGvk): string => `${groupTitle(group)}${titled(version)}`;

/** `apps_v1` */
export function tagOf(group: string, version?: string): string {
  const title = groupTitle(group);
  const tag = title.charAt(0).toLowerCase() + title.slice(1);
  return version === undefined ? tag : `${tag}_${version}`;
}

const unauthorized = { 401: { description: 'Unauthorized' } };
const words: Readonly<Record<number, string>> = { 200: 'OK', 201: 'Created', 202: 'Accepted' };

/** The same response under several codes; `types` are its media types. */
export function responses(
  schema: JsonObject,
  codes: readonly number[],
  types = ['application/json'],
): JsonObject {
  const content = Object.fromEntries(types.map((type) => [type, { schema }]));
  const entries = codes.map((code) => [code, { description: words[code], content }]);
  return { ...Object.fromEntries(entries), ...unauthorized };
}

/** compat cluster 2.2: kubectl reads the PATCH operation of a kind, its query parameters and its media types. */
export function pathsOf(resource: ServedResource, spoken: Spoken): [string, JsonObject][] {
  const root = `/${pathOf(resource)}`;
  const collection = `${root}${resource.namespaced ? '/namespaces/{namespace}' : ''}/${resource.plural}`;
  const writer = new OperationWriter(resource, spoken);
  const below = resource.subresources.map((sub): [string, Operation[]] => [
    `${collection}/{name}/${sub.name}`,
    writer.subresource(sub),
  ]);
  const all: [string, Operation[]][] = [
    [collection, writer.collection()],
    ...(resource.namespaced
      ? [[`${root}/${resource.plural}`, writer.everywhere()] as [string, Operation[]]]
      : []),
    [`${collection}/{name}`, writer.item()],
    ...below,
  ];
  return all
    .filter(([, operations]) => operations.length > 0)
    .map(([path, operations]) => [path, pathItem(path, operations)]);
}

/** Parameters that every operation of a path has are listed once. */
function pathItem(path: string, operations: readonly Operation[]): JsonObject {
  const [first, ...others] = operations.map(({ set }) => parametersOf(set));
  const common = (first ?? []).filter(({ name }) =>
    others.every((set) => set.some((parameter) => parameter.name === name)),
  );
  const names = new Set(common.map(({ name }) => name));
  const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => pathParameter(name));
  const entries = operations.map(({ method, set, body }) => {
    const own = parametersOf(set).filter(({ name }) => !names.has(name));
    return [method, { ...(own.length > 0 && { parameters: own }), ...body }];
  });
  const isStream = operations.some(({ body }) => body['x-kubernetes-action'] === 'connect');
  const shared = sorted([...common, ...inPath, ...(isStream ? [] : [pretty])]);
  return { ...Object.fromEntries(entries), parameters: shared };
}

const sorted = (parameters: readonly Parameter[]): readonly Parameter[] =>
  parameters.toSorted((a, b) => (a.name < b.name ? -1 : 1));

const streams = ['application/json', 'application/json;stream=watch'];

/** The differences between operations: their name and their subject. */
type Call = {
  readonly method: string;
  readonly set: ParameterSet;
  readonly action: string;
  readonly id: string;
  readonly gvk?: SchemaGvk;
  readonly more: JsonObject;
};

class OperationWriter {
  readonly #resource: ServedResource;
  readonly #spoken: Spoken;
  readonly #verbs: ReadonlySet<string>;
  /** `NamespacedDeployment` */
  readonly #noun: string;

  constructor(resource: ServedResource, spoken: Spoken) {
    this.#resource = resource;
    this.#spoken = spoken;
    this.#verbs = new Set(resource.verbs);
    this.#noun = `${resource.namespaced ? 'Namespaced' : ''}${resource.kind}`;
  }

  everywhere(): Operation[] {
    return this.#verbs.has('list')
      ? [this.#list(`list${this.#prefix}${this.#resource.kind}ForAllNamespaces`)]
      : [];
  }

  collection(): Operation[] {
    const { object, meta } = this.#spoken;
    const prefix = this.#prefix;
    const removal = this.#resource.custom ? 'list' : 'deletecollection';
    return [
      ...(this.#verbs.has('list') ? [this.#list(`list${prefix}${this.#noun}`)] : []),
      ...this.#if('create', {
        method: 'post',
        set: 'write',
        action: 'post',
        id: `create${prefix}${this.#noun}`,
        more: { ...this.#body(object), responses: responses(object, [200, 201, 202]) },
      }),
      ...this.#if('deletecollection', {
        method: 'delete',
        set: removal,
        action: 'deletecollection',
        id: `delete${prefix}Collection${this.#noun}`,
        more: { ...this.#optional(meta('DeleteOptions')), responses: responses(meta('Status'), [200]) },
      }),
    ];
  }

  item(): Operation[] {
    const { meta } = this.#spoken;
    return [
      ...this.#readAndWrite(this.#verbs, {
        noun: this.#noun,
        gvk: this.#resource,
        object: this.#spoken.object,
      }),
      ...this.#if('delete', {
        method: 'delete',
        set: 'delete',
        action: 'delete',
        id: `delete${this.#prefix}${this.#noun}`,
        more: { ...this.#optional(meta('DeleteOptions')), responses: responses(meta('Status'), [200, 202]) },
      }),
    ];
  }

  subresource({ name, gvk, verbs }: Subresource): Operation[] {
    const noun = `${this.#noun}${titled(name)}`;
    if (name === 'log') return [this.#log(noun)];
    const object = this.#spoken.kind(gvk);
    if (object === undefined) return this.#connections(noun, gvk, verbs);
    const can = new Set(verbs);
    const creation = {
      method: 'post',
      set: 'write' as const,
      action: 'post',
      id: `create${this.#prefix}${noun}`,
      gvk,
      more: { ...this.#body(object), responses: responses(object, [200, 201, 202]) },
    };
    return [
      // operations of custom kinds are named after the kind, whatever the kind of the subresource
      ...this.#readAndWrite(can, { noun, gvk: this.#resource.custom ? this.#resource : gvk, object }),
      ...(can.has('create') ? [this.#operation(creation)] : []),
    ];
  }

  #readAndWrite(
    can: ReadonlySet<string>,
    about: { noun: string; gvk: SchemaGvk; object: JsonObject },
  ): Operation[] {
    const { noun, gvk, object } = about;
    const prefix = this.#prefix;
    const calls: [string, Call][] = [
      [
        'get',
        {
          method: 'get',
          set: this.#resource.custom ? 'read' : 'none',
          action: 'get',
          id: `read${prefix}${noun}`,
          gvk,
          more: { responses: responses(object, [200]) },
        },
      ],
      [
        'update',
        {
          method: 'put',
          set: 'write',
          action: 'put',
          id: `replace${prefix}${noun}`,
          gvk,
          more: { ...this.#body(object), responses: responses(object, [200, 201]) },
        },
      ],
      [
        'patch',
        {
          method: 'patch',
          set: 'patch',
          action: 'patch',
          id: `patch${prefix}${noun}`,
          gvk,
          more: {
            ...this.#patchBody(),
            responses: responses(object, this.#resource.custom ? [200] : [200, 201]),
          },
        },
      ],
    ];
    return calls.filter(([verb]) => can.has(verb)).map(([, call]) => this.#operation(call));
  }

  #list(id: string): Operation {
    return this.#operation({
      method: 'get',
      set: 'list',
      action: 'list',
      id,
      more: { responses: responses(this.#spoken.list, [200], this.#resource.custom ? undefined : streams) },
    });
  }

  #log(noun: string): Operation {
    const text = responses({ type: 'string' }, [200], ['text/plain']);
    const id = `read${this.#prefix}${noun}`;
    return this.#operation({ method: 'get', set: 'log', action: 'get', id, more: { responses: text } });
  }

  #connections(noun: string, gvk: SchemaGvk, verbs: readonly string[]): Operation[] {
    const methods: Readonly<Record<string, string>> = {
      get: 'get',
      create: 'post',
      update: 'put',
      patch: 'patch',
      delete: 'delete',
    };
    const set = noun.endsWith('Exec') ? 'exec' : noun.endsWith('Attach') ? 'attach' : 'none';
    return verbs.map((verb) => {
      const method = methods[verb] ?? verb;
      const id = `connect${this.#prefix}${titled(method)}${noun}`;
      const more = { responses: responses({ type: 'string' }, [200], ['*/*']) };
      return this.#operation({ method, set, action: 'connect', id, gvk, more });
    });
  }

  get #prefix(): string {
    return prefixOf(this.#resource);
  }

  #if(verb: string, call: Call): Operation[] {
    return this.#verbs.has(verb) ? [this.#operation(call)] : [];
  }

  #operation({ method, set, action, id, gvk = this.#resource, more }: Call): Operation {
    const { group, version, kind } = gvk;
    const body = {
      tags: [tagOf(this.#resource.group, this.#resource.version)],
      operationId: id,
      ...more,
      'x-kubernetes-action': action,
      'x-kubernetes-group-version-kind': { group, version, kind },
    };
    return { method, set, body };
  }

  #content(schema: JsonObject): JsonObject {
    const types = this.#resource.custom ? ['application/json', 'application/yaml'] : ['*/*'];
    return Object.fromEntries(types.map((type) => [type, { schema }]));
  }

  #body(schema: JsonObject): JsonObject {
    return { requestBody: { content: this.#content(schema), required: true } };
  }

  #optional(schema: JsonObject): JsonObject {
    return { requestBody: { content: this.#content(schema) } };
  }

  #patchBody(): JsonObject {
    const schema = this.#spoken.meta('Patch');
    const types = ['apply-patch+yaml', 'json-patch+json', 'merge-patch+json'];
    const all = this.#resource.custom ? types : [...types, 'strategic-merge-patch+json'];
    const content = Object.fromEntries(all.map((type) => [`application/${type}`, { schema }]));
    return { requestBody: { content, required: true } };
  }
}
