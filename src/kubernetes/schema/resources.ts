import { gvkOf } from '#base/model';
import { builtinType, findBuiltinType } from './builtin-types.ts';
import { served } from './facts/served.ts';
import type { SchemaGvk, StructType } from './type-node.ts';

/** A path below an object: `status`, `scale`, `log`. `gvk` is its kind: its parent's, or one of its own. */
export type Subresource = {
  readonly name: string;
  readonly gvk: SchemaGvk;
  readonly verbs: readonly string[];
};

/** One served built-in kind, as discovery announces it. */
export type BuiltinResource = SchemaGvk & {
  readonly plural: string;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
  readonly subresources: readonly Subresource[];
  /** metadata.generation starts at 1 and counts changes of the spec (contract 3.8). */
  readonly hasGeneration: boolean;
  readonly type: StructType;
};

const verbOf: Record<string, string> = {
  c: 'create',
  d: 'delete',
  D: 'deletecollection',
  g: 'get',
  l: 'list',
  p: 'patch',
  u: 'update',
  w: 'watch',
};

const verbsOf = (letters: string): string[] =>
  letters === '*' ? Object.values(verbOf) : [...letters].map((letter) => verbOf[letter] ?? letter);

const wordsOf = (token: string): string[] => (token === '-' ? [] : token.split(','));

/** Go packages are named by the first word of the group: rbac.authorization.k8s.io lives in rbac. */
const typeKey = ({ group, version, kind }: SchemaGvk): string =>
  `${group === '' ? 'core' : group.split('.', 1)[0]}.${version}.${kind}`;

/** `scale:gpu:autoscaling/v1/Scale`; without a third part it has its parent's kind. */
function readSubresource(token: string, parent: SchemaGvk): Subresource {
  const [name = '', letters = '', foreign] = token.split(':');
  const slash = foreign?.lastIndexOf('/') ?? -1;
  const kind = foreign?.slice(slash + 1) ?? parent.kind;
  const gvk =
    foreign === undefined || slash < 0
      ? { ...parent, kind }
      : gvkOf({ apiVersion: foreign.slice(0, slash), kind });
  return { name, gvk, verbs: verbsOf(letters) };
}

/** plural · Kind · n or c for its scope, g if generations are counted · verbs · short names · categories · subresources */
function readResource(line: string, apiVersion: string): BuiltinResource {
  const [plural = '', kind = '', flags = '', verbs = '', shortNames = '-', categories = '-', ...below] =
    line.split(' ');
  const gvk = gvkOf({ apiVersion, kind });
  return {
    ...gvk,
    plural,
    singular: kind.toLowerCase(),
    shortNames: wordsOf(shortNames),
    categories: wordsOf(categories),
    namespaced: flags.includes('n'),
    verbs: verbsOf(verbs),
    subresources: below.map((token) => readSubresource(token, gvk)),
    hasGeneration: flags.includes('g'),
    get type() {
      return builtinType(typeKey(gvk));
    },
  };
}

function readServed(table: string): BuiltinResource[] {
  const resources: BuiltinResource[] = [];
  let apiVersion = 'v1';
  for (const line of table.split('\n')) {
    if (line.startsWith('# ')) apiVersion = line.slice(2);
    else if (line !== '') resources.push(readResource(line, apiVersion));
  }
  return resources;
}

/** Every built-in kind that is served, in the order a server announces them. */
export const builtinResources: readonly BuiltinResource[] = readServed(served);

const keyOf = ({ group, version, kind }: SchemaGvk): string => `${group}/${version}/${kind}`;
const byKind = new Map(builtinResources.map((resource) => [keyOf(resource), resource]));
const spokenBelow = new Set(
  builtinResources.flatMap(({ subresources }) => subresources.map(({ gvk }) => keyOf(gvk))),
);
/** Kinds that are sent in bodies to any group, or only to a client. */
const everywhere = new Set(['DeleteOptions', 'Status', 'PartialObjectMetadata']);

/** The served resource of a built-in kind, or undefined. */
export function findResource(gvk: SchemaGvk): BuiltinResource | undefined {
  return byKind.get(keyOf(gvk));
}

/**
 * The type of a built-in kind, whether it is stored, reviewed (TokenReview), spoken by a subresource (Scale, Eviction)
 * or sent along (DeleteOptions); undefined for anything else.
 */
export function findType(gvk: SchemaGvk): StructType | undefined {
  const resource = findResource(gvk);
  if (resource !== undefined) return resource.type;
  if (spokenBelow.has(keyOf(gvk))) return findBuiltinType(typeKey(gvk));
  return everywhere.has(gvk.kind) ? findBuiltinType(`meta.v1.${gvk.kind}`) : undefined;
}

/** compat engine D-16: a Go struct by the name users write in knownTypeFields, `core/v1/PodSpec`; undefined if there is none. */
export function findNamedType(name: string): StructType | undefined {
  return findBuiltinType(name.replaceAll('/', '.'));
}
