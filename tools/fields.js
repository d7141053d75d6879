// Draws docs/fields.md: every field of our kinds with the words that kubectl explain shows, from tools/definitions.
import { fileOf, kinds, opened } from './definitions.js';

const standard = new Set(['apiVersion', 'kind', 'metadata']);

function typeOf({ type, items, additionalProperties, 'x-kubernetes-int-or-string': isEither }) {
  if (isEither) return 'integer or string';
  if (type === 'array') return `list of ${typeOf(opened(items).node)}s`;
  if (additionalProperties) return `map of ${typeOf(additionalProperties)}s`;
  return type;
}

/** The fields of a node, each with those below it. A part that was told before is only pointed to. */
function rows(written, path, told) {
  const { part, node } = opened(written);
  if (part && told.has(part)) return [];
  if (part) told.set(part, path);
  if (node.items) return rows(node.items, `${path}[]`, told);
  if (node.additionalProperties) return rows(node.additionalProperties, `${path}.*`, told);
  return Object.entries(opened(node.properties ?? {}).node).flatMap(([name, field]) =>
    path === '' && standard.has(name)
      ? []
      : [
          row(field, `${path}${path && '.'}${name}`, told),
          ...rows(field, `${path}${path && '.'}${name}`, told),
        ],
  );
}

const cell = (text) => text.replaceAll('|', '\\|').replaceAll('<', '&lt;').replaceAll('*', '\\*');

function row(field, path, told) {
  const { node } = opened(field);
  const inner = node.items ? opened(node.items) : opened(field);
  const before =
    inner.part && Object.keys(inner.node.properties ?? {}).length > 2 ? told.get(inner.part) : undefined;
  const like = before && before !== path ? ` Fields as of \`${before}\`.` : '';
  return `| \`${path}\` | ${typeOf(node)} | ${cell(node.description)}${like} |`;
}

function section(name) {
  const { names, schema } = fileOf(name);
  return [
    `## ${names.kind}`,
    '',
    schema.description,
    '',
    '| field | type | |',
    '|---|---|---|',
    ...rows(schema, '', new Map()),
  ];
}

/** docs/fields.md. */
export function fields() {
  return [
    '# Fields',
    '',
    'Made by `npm run docs` from `tools/definitions`, as are the definitions in `deploy/crds`. `kubectl explain application.spec.syncPolicy`',
    'shows the same words.',
    '',
    ...['application', ...kinds.filter((name) => name !== 'application')].flatMap((name) => [
      ...section(name),
      '',
    ]),
  ].join('\n');
}
