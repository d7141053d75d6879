import { createHash } from 'node:crypto';
import { printJson } from '#base/std';
import type { SchemaGvk } from '#kubernetes/schema';
import { mediaTypes, spoken } from './accept.ts';
import { apiVersionOf, isBuiltinGroup, type ServedKinds, type ServedResource } from './kinds.ts';
import type { ServedRequest, ServedResponse } from './request.ts';
import { noSuchResource, notAcceptable } from './status.ts';

type Group = { readonly name: string; readonly versions: readonly Version[] };
type Text = { readonly text: string; readonly etag: string };
type Version = { readonly name: string; readonly resources: readonly ServedResource[] };

function groupsOf(kinds: ServedKinds): Group[] {
  const groups = new Map<string, Map<string, ServedResource[]>>();
  for (const resource of kinds.all()) {
    const versions = groups.get(resource.group) ?? new Map<string, ServedResource[]>();
    groups.set(resource.group, versions);
    const resources = versions.get(resource.version) ?? [];
    versions.set(resource.version, resources);
    resources.push(resource);
  }
  return [...groups].map(([name, versions]) => ({
    name,
    versions: [...versions].map(([version, resources]) => ({ name: version, resources })),
  }));
}

/** The discovery documents in both forms; cached until a definition changes. */
export class ServedDiscovery {
  readonly #kinds: ServedKinds;
  readonly #texts = new Map<string, Text>();
  #revision = -1;

  constructor(kinds: ServedKinds) {
    this.#kinds = kinds;
  }

  /** `/api`, `/apis`, `/api/v1`, `/apis/apps`, `/apis/apps/v1`; undefined when there is no such group or version. */
  answer(segments: readonly string[], request: ServedRequest): ServedResponse | undefined {
    const [root = '', group, version] = segments;
    const core = root === 'api';
    if (group === undefined) return this.#root(core, request);
    if (!core && version === undefined) return this.#group(group);
    return this.#version(core ? '' : group, (core ? group : version) ?? '');
  }

  #root(core: boolean, request: ServedRequest): ServedResponse {
    return wantsAggregated(request.headers.accept ?? '')
      ? this.#aggregated(request, core)
      : this.#legacyRoot(core, request);
  }

  #groups(core: boolean): Group[] {
    return groupsOf(this.#kinds).filter((group) => (group.name === '') === core);
  }

  #legacyRoot(core: boolean, request: ServedRequest): ServedResponse {
    const { host = '' } = request.headers;
    // the response contains the address that the client used
    if (core) {
      const addresses = host === '' ? [] : [{ clientCIDR: '0.0.0.0/0', serverAddress: host }];
      return plain(printed({ kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: addresses }));
    }
    return this.#plain('/apis', () => ({
      kind: 'APIGroupList',
      apiVersion: 'v1',
      groups: this.#groups(false).map(legacyGroup),
    }));
  }

  #group(name: string): ServedResponse | undefined {
    const group = this.#groups(false).find((one) => one.name === name);
    if (!group) return undefined;
    return this.#plain(name, () => ({
      kind: 'APIGroup',
      apiVersion: 'v1',
      ...legacyGroup(group),
    }));
  }

  #version(group: string, version: string): ServedResponse | undefined {
    const found = groupsOf(this.#kinds)
      .find((one) => one.name === group)
      ?.versions.find((one) => one.name === version);
    if (!found) {
      // compat cluster 2.9: a missing resource in a built-in group is a Status, in another group a plain 404
      if (isBuiltinGroup(group)) throw noSuchResource();
      return undefined;
    }
    return this.#plain(`${group}/${version}`, () => ({
      kind: 'APIResourceList',
      ...(group !== '' && { apiVersion: 'v1' }),
      groupVersion: group === '' ? version : `${group}/${version}`,
      resources: found.resources.flatMap(legacyResources),
    }));
  }

  #plain(key: string, make: () => object): ServedResponse {
    return plain(this.#text(key, make).text);
  }

  /** compat cluster 2.1: only the aggregated form has an ETag. */
  #aggregated(request: ServedRequest, core: boolean): ServedResponse {
    const { text, etag } = this.#text(core ? 'aggregated core' : 'aggregated groups', () => ({
      kind: 'APIGroupDiscoveryList',
      apiVersion: 'apidiscovery.k8s.io/v2',
      metadata: {},
      items: this.#groups(core).map(aggregatedGroup),
    }));
    const headers = { 'content-type': aggregatedType, etag, vary: 'Accept', 'cache-control': 'public' };
    if (request.headers['if-none-match'] === etag) return { status: 304, headers, body: '' };
    return { status: 200, headers, body: text };
  }

  #text(key: string, make: () => object): Text {
    if (this.#revision !== this.#kinds.revision) {
      this.#texts.clear();
      this.#revision = this.#kinds.revision;
    }
    const known = this.#texts.get(key);
    if (known) return known;
    const text = printed(make());
    const made = { text, etag: `"${createHash('sha512').update(text).digest('hex').toUpperCase()}"` };
    this.#texts.set(key, made);
    return made;
  }
}

const printed = (document: object): string => `${printJson(document)}\n`;

const plain = (body: string): ServedResponse => ({
  status: 200,
  headers: { 'content-type': 'application/json', vary: 'Accept' },
  body,
});

/** compat cluster 2.1: the parameters must come back in the Content-Type, or the client reads it as the old form. */
const aggregatedType = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';

/** compat cluster 2.1: v2beta1 is removed since 1.35; a client that accepts nothing else gets 406. */
function wantsAggregated(accept: string): boolean {
  const wanted = mediaTypes(accept);
  for (const { type, parameters } of wanted) {
    if (!['application/json', 'application/*', '*/*'].includes(type)) continue;
    const { as, g: group, v: version } = parameters;
    if (as === undefined) return false;
    if (as === 'APIGroupDiscoveryList' && group === 'apidiscovery.k8s.io' && version === 'v2') return true;
  }
  if (wanted.length === 0) return false;
  throw notAcceptable(spoken);
}

function aggregatedGroup({ name, versions }: Group): object {
  return {
    metadata: name === '' ? {} : { name },
    versions: versions.map((version) => ({
      version: version.name,
      resources: version.resources.map(aggregatedResource),
      freshness: 'Current',
    })),
  };
}

function aggregatedResource(resource: ServedResource): object {
  const {
    group,
    version,
    kind,
    plural,
    singular,
    shortNames,
    categories,
    namespaced,
    verbs,
    subresources,
    custom,
  } = resource;
  // compat cluster 2.1: built-in kinds leave out their own group version
  const described = (gvk: SchemaGvk) =>
    custom || apiVersionOf(gvk) !== apiVersionOf(resource) ? gvk : { group: '', version: '', kind: gvk.kind };
  return {
    resource: plural,
    responseKind: described({ group, version, kind }),
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: subresources.map((sub) => ({
        subresource: sub.name,
        responseKind: described(sub.gvk),
        verbs: sub.verbs,
      })),
    }),
  };
}

function legacyGroup({ name, versions }: Group) {
  const all = versions.map((version) => ({ groupVersion: `${name}/${version.name}`, version: version.name }));
  return { name, versions: all, preferredVersion: all[0] };
}

function legacyResources(resource: ServedResource): object[] {
  const { plural, singular, kind, namespaced, verbs, shortNames, categories } = resource;
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    // only stored kinds have a storage version
    ...(verbs.includes('watch') && { storageVersionHash: hashOf(resource) }),
  };
  const subs = resource.subresources.map(({ name, gvk, verbs: subVerbs }) => ({
    name: `${plural}/${name}`,
    singularName: '',
    namespaced,
    ...(apiVersionOf(gvk) !== apiVersionOf(resource) && { group: gvk.group, version: gvk.version }),
    kind: gvk.kind,
    verbs: subVerbs,
  }));
  return [main, ...subs];
}

/** compat cluster 2.1: Kubernetes stores these in an older version than any it serves, and announces that. */
const keptOlder = new Set([
  'CustomResourceDefinition',
  'MutatingAdmissionPolicy',
  'MutatingAdmissionPolicyBinding',
]);

function hashOf({ kept, custom }: ServedResource): string {
  const version = !custom && keptOlder.has(kept.kind) ? 'v1beta1' : kept.version;
  const hash = createHash('sha256').update(`${kept.group}/${version}/${kept.kind}`).digest();
  return hash.subarray(0, 8).toString('base64');
}
