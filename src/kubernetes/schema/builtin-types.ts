import { FairleadError } from '#base/std';
import { access } from './facts/access.ts';
import { core } from './facts/core.ts';
import { discovery } from './facts/discovery.ts';
import { extension } from './facts/extension.ts';
import { meta } from './facts/meta.ts';
import { network } from './facts/network.ts';
import { readFields } from './facts/notation.ts';
import { storage } from './facts/storage.ts';
import { workloads } from './facts/workloads.ts';
import type { SchemaField, StructType } from './type-node.ts';

type Line = { readonly home: string; readonly atomic: boolean; readonly text: string };

const packagesOutsideApi: Record<string, string> = {
  'meta.v1': 'io.k8s.apimachinery.pkg.apis.meta.v1',
  'apiextensions.v1': 'io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1',
  'apiregistration.v1': 'io.k8s.kube-aggregator.pkg.apis.apiregistration.v1',
};

/** Splits a table into lines without reading the fields: most of them are never used. */
function indexLines(tables: readonly string[]): Map<string, Line> {
  const lines = new Map<string, Line>();
  let home = '';
  for (const line of tables.join('\n').split('\n')) {
    if (line.startsWith('# ')) home = line.slice(2);
    else if (line !== '') {
      const space = line.indexOf(' ');
      const [name, mark] = (space < 0 ? line : line.slice(0, space)).split('@');
      lines.set(`${home}.${name}`, {
        home,
        atomic: mark === '.',
        text: space < 0 ? '' : line.slice(space + 1),
      });
    }
  }
  return lines;
}

let lines: Map<string, Line> | undefined;
const structs = new Map<string, StructType>();

function makeStruct(key: string, { home, atomic, text }: Line): StructType {
  let fields: ReadonlyMap<string, SchemaField> | undefined;
  const prefix = packagesOutsideApi[home] ?? `io.k8s.api.${home}`;
  return {
    kind: 'struct',
    name: prefix + key.slice(home.length),
    atomic,
    open: false,
    get fields() {
      fields ??= readFields(text, home, builtinType);
      return fields;
    },
  };
}

/** A Go struct of Kubernetes by its short name, `core.v1.Container`; undefined if the tables do not hold it. */
export function findBuiltinType(key: string): StructType | undefined {
  const known = structs.get(key);
  if (known !== undefined) return known;
  lines ??= indexLines([core, meta, discovery, workloads, network, storage, access, extension]);
  const line = lines.get(key);
  if (line === undefined) return undefined;
  const struct = makeStruct(key, line);
  structs.set(key, struct);
  return struct;
}

/** Like findBuiltinType, for names the tables must hold. */
export function builtinType(key: string): StructType {
  const struct = findBuiltinType(key);
  if (struct === undefined) throw new FairleadError('Internal', `no facts about the type ${key}`);
  return struct;
}
