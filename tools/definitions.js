// Draws deploy/crds from tools/definitions: a file for each kind, and parts that several places of a schema share.
//   $part: name   the contents of tools/definitions/name.yaml stand here; what is written beside it wins
//   $open: true   every object below keeps fields that it does not name
import { readFileSync } from 'node:fs';
import { load } from 'js-yaml';

const folder = 'tools/definitions';
const group = 'argoproj.io';
export const kinds = ['app-project', 'application', 'application-set'];
/** The kinds of progressive delivery: they are installed only where their controller runs. */
const rolloutKinds = [
  'rollout',
  'analysis-template',
  'cluster-analysis-template',
  'analysis-run',
  'experiment',
];

/** The file of a kind (`names`, `columns`, `schema`) or a part. */
export const fileOf = (name) => load(readFileSync(`${folder}/${name}.yaml`, 'utf8'));
const isMap = (value) => typeof value === 'object' && value !== null && !Array.isArray(value);

/** What stands at a node of tools/definitions once its part is put in, and the name of that part. */
export function opened(node) {
  const { $part: part, ...own } = node;
  return { part, node: part === undefined ? own : { ...fileOf(part), ...own } };
}

/** A schema with all parts put in. */
function whole(written, isOpen = false) {
  if (Array.isArray(written)) return written.map((item) => whole(item, isOpen));
  if (!isMap(written)) return written;
  const { $open: opens = isOpen, ...node } = opened(written).node;
  const isKeeping = opens && node.type === 'object' && isMap(node.properties);
  const isSchema = typeof node.description === 'string';
  const { type, description, ...rest } = node;
  const fields = Object.entries(isSchema ? { type, description, ...rest } : node)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => [key, whole(value, opens)]);
  return Object.fromEntries(isKeeping ? [...fields, ['x-kubernetes-preserve-unknown-fields', true]] : fields);
}

function definition(name) {
  const { names, columns, schema, scope = 'Namespaced', subresources } = fileOf(name);
  const full = `${names.plural}.${group}`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: full,
      labels: { 'app.kubernetes.io/name': full, 'app.kubernetes.io/part-of': 'fairlead' },
    },
    spec: {
      group,
      names: { ...names, listKind: `${names.kind}List` },
      scope,
      versions: [
        {
          name: 'v1alpha1',
          served: true,
          storage: true,
          schema: { openAPIV3Schema: whole(schema) },
          ...(subresources ? { subresources } : {}),
          ...(columns ? { additionalPrinterColumns: columns } : {}),
        },
      ],
    },
  };
}

const plain = /^(?!(?:true|false|null|yes|no|on|off|[yn])$)[A-Za-z_/.][\w./-]*$/i;
const scalar = (value) => (typeof value === 'string' && plain.test(value) ? value : JSON.stringify(value));

/** A value on one line; undefined: it has fields that are described, or goes deeper than a line can show. */
function onOneLine(value, depth = 0) {
  if (!isMap(value) && !Array.isArray(value)) return scalar(value);
  if (depth > 2 || (depth > 0 && value.description)) return undefined;
  const keys = Object.keys(value);
  const items = keys.map((key) => onOneLine(value[key], depth + 1));
  if (items.includes(undefined)) return undefined;
  if (Array.isArray(value)) return `[${items.join(', ')}]`;
  return keys.length === 0 ? '{}' : `{ ${keys.map((key, at) => `${scalar(key)}: ${items[at]}`).join(', ')} }`;
}

/** YAML with one line for a field that has no fields of its own. */
function printed(value, indent = '') {
  if (Array.isArray(value)) {
    return value.map((item) => `${indent}- ${entry(item, `${indent}  `).trimStart()}`).join('\n');
  }
  return Object.entries(value)
    .map(([key, field]) => `${indent}${scalar(key)}:${after(field, `${indent}  `)}`)
    .join('\n');
}
const entry = (value, indent) => onOneLine(value) ?? printed(value, indent);
const after = (value, indent) => {
  const line = onOneLine(value);
  return line === undefined ? `\n${printed(value, indent)}` : ` ${line}`;
};

/** The files of deploy/crds by path, and all of them in one for the program, which need not read YAML when it starts. */
export function definitions() {
  const all = kinds.map((name) => [name, definition(name)]);
  const rollouts = rolloutKinds.map((name) => [name, definition(`rollouts/${name}`)]);
  return {
    ...filesIn('deploy/crds', all),
    'deploy/definitions.json': listed(all),
    ...filesIn('deploy/rollouts', rollouts),
    'deploy/rollouts/definitions.json': listed(rollouts),
  };
}

const listed = (all) => `[\n${all.map(([, one]) => JSON.stringify(one)).join(',\n')}\n]\n`;
const filesIn = (place, all) => {
  const note = `# made by npm run docs from ${folder}: change it there\n`;
  return Object.fromEntries(all.map(([name, one]) => [`${place}/${name}.yaml`, `${note}${printed(one)}\n`]));
};
