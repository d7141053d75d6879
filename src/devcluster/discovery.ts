import { createHash } from 'node:crypto';
import { printJson } from '#std';
import { mediaTypes } from './accept.ts';
import { apiVersionOf, type Kinds, type Resource } from './kinds.ts';
import type { ApiRequest, ApiResponse } from './request.ts';

type Group = { readonly name: string; readonly versions: readonly Version[] };
type Version = { readonly name: string; readonly resources: readonly Resource[] };

function groupsOf(kinds: Kinds): Group[] {
  const groups = new Map<string, Map<string, Resource[]>>();
  for (const resource of kinds.all()) {
    const versions = groups.get(resource.group) ?? new Map<string, Resource[]>();
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

/** What is served, in both forms clients ask for; texts are kept until a definition changes something. */
export class Discovery {
  readonly #kinds: Kinds;
  readonly #texts = new Map<string, { readonly text: string; readonly etag: string }>();
  #revision = -1;

  constructor(kinds: Kinds) {
    this.#kinds = kinds;
  }

  /** `/api`, `/apis`, `/api/v1`, `/apis/apps`, `/apis/apps/v1`; undefined when there is no such group or version. */
  answer(segments: readonly string[], request: ApiRequest): ApiResponse | undefined {
    const [root = '', group, version] = segments;
    const core = root === 'api';
    if (group === undefined) return this.#root(core, request);
    if (!core && version === undefined) return this.#group(group, request);
    return this.#version(core ? '' : group, (core ? group : version) ?? '', request);
  }

  #root(core: boolean, request: ApiRequest): ApiResponse {
    const wanted = aggregatedVersion(request.headers.accept ?? '');
    if (wanted === undefined) {
      return this.#reply(request, core ? '/api' : '/apis', 'application/json', () => this.#legacyRoot(core));
    }
    const type = `application/json;g=apidiscovery.k8s.io;v=${wanted};as=APIGroupDiscoveryList`;
    return this.#reply(request, `${core} ${wanted}`, type, () => ({
      kind: 'APIGroupDiscoveryList',
      apiVersion: `apidiscovery.k8s.io/${wanted}`,
      metadata: {},
      items: this.#groups(core).map(aggregatedGroup),
    }));
  }

  #groups(core: boolean): Group[] {
    return groupsOf(this.#kinds).filter((group) => (group.name === '') === core);
  }

  #legacyRoot(core: boolean): object {
    if (core) return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
    return { kind: 'APIGroupList', apiVersion: 'v1', groups: this.#groups(false).map(legacyGroup) };
  }

  #group(name: string, request: ApiRequest): ApiResponse | undefined {
    const group = this.#groups(false).find((one) => one.name === name);
    if (!group) return undefined;
    return this.#reply(request, name, 'application/json', () => ({
      kind: 'APIGroup',
      apiVersion: 'v1',
      ...legacyGroup(group),
    }));
  }

  #version(group: string, version: string, request: ApiRequest): ApiResponse | undefined {
    const found = groupsOf(this.#kinds)
      .find((one) => one.name === group)
      ?.versions.find((one) => one.name === version);
    if (!found) return undefined;
    return this.#reply(request, `${group}/${version}`, 'application/json', () => ({
      kind: 'APIResourceList',
      apiVersion: 'v1',
      groupVersion: group === '' ? version : `${group}/${version}`,
      resources: found.resources.flatMap(legacyResources),
    }));
  }

  #reply(request: ApiRequest, key: string, type: string, make: () => object): ApiResponse {
    if (this.#revision !== this.#kinds.revision) {
      this.#texts.clear();
      this.#revision = this.#kinds.revision;
    }
    let known = this.#texts.get(key);
    if (!known) {
      const text = `${printJson(make())}\n`;
      known = {
        text,
        etag: `"${createHash('sha256').update(text).digest('hex').slice(0, 32).toUpperCase()}"`,
      };
      this.#texts.set(key, known);
    }
    const headers = { 'content-type': type, etag: known.etag, vary: 'Accept', 'cache-control': 'public' };
    if (request.headers['if-none-match'] === known.etag) return { status: 304, headers, body: '' };
    return { status: 200, headers, body: known.text };
  }
}

/** compat 2.1: the parameters must come back in the Content-Type, or the client reads it as the old form. */
function aggregatedVersion(accept: string): string | undefined {
  for (const { type, parameters } of mediaTypes(accept)) {
    if (type !== 'application/json') continue;
    const { as, g: group, v: version } = parameters;
    if (as === undefined) return undefined;
    const known = version === 'v2' || version === 'v2beta1';
    if (as === 'APIGroupDiscoveryList' && group === 'apidiscovery.k8s.io' && known) return version;
  }
  return undefined;
}

function aggregatedGroup({ name, versions }: Group): object {
  return {
    metadata: { ...(name !== '' && { name }), creationTimestamp: null },
    versions: versions.map((version) => ({
      version: version.name,
      resources: version.resources.map(aggregatedResource),
      freshness: 'Current',
    })),
  };
}

function aggregatedResource(resource: Resource): object {
  const { group, version, kind, plural, singular, shortNames, categories, namespaced, verbs, subresources } =
    resource;
  return {
    resource: plural,
    responseKind: { group, version, kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    ...(subresources.length > 0 && {
      subresources: subresources.map((sub) => ({
        subresource: sub.name,
        responseKind: sub.gvk,
        verbs: sub.verbs,
      })),
    }),
  };
}

function legacyGroup({ name, versions }: Group) {
  const all = versions.map((version) => ({ groupVersion: `${name}/${version.name}`, version: version.name }));
  return { name, versions: all, preferredVersion: all[0] };
}

function legacyResources(resource: Resource): object[] {
  const { plural, singular, kind, namespaced, verbs, shortNames, categories } = resource;
  const main = {
    name: plural,
    singularName: singular,
    namespaced,
    kind,
    verbs,
    ...(shortNames.length > 0 && { shortNames }),
    ...(categories.length > 0 && { categories }),
    storageVersionHash: hashOf(resource),
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

const hashOf = ({ kept }: Resource): string =>
  createHash('sha512')
    .update(`${kept.group}/${kept.version}/${kept.kind}`)
    .digest()
    .subarray(0, 8)
    .toString('base64');
