import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export const root = join(import.meta.dirname, '../..');

/**
 * Markers of a fence that holds commands, ```` ```sh MARKER (reason) ````. A block without one runs as it stands. `needs-…` blocks only
 * have their commands checked, and say in parentheses why they cannot run here.
 */
const markers = {
  start: 'starts the program, which goes on running while the following blocks run',
  'needs-cluster': 'works on a cluster with more in it than the embedded one has',
  'needs-registry': 'downloads packages or pushes images',
  'needs-argocd': 'types the argocd command line; test/argocd runs it',
} as const;
type Marker = keyof typeof markers;

export type Block = {
  readonly line: number;
  readonly marker: Marker | undefined;
  /** Why a `needs-…` block cannot run here. */
  readonly reason: string | undefined;
  readonly text: string;
};

export type Guide = {
  /** Path from the root of the project. */
  readonly path: string;
  /** Blocks with commands, in order. */
  readonly blocks: readonly Block[];
  /** Files that the commands use: blocks with `file=NAME` in their fence, by name. */
  readonly files: ReadonlyMap<string, string>;
  /** Commands that the running text names in backquotes. */
  readonly mentioned: readonly string[];
};

/** The guides whose commands run. */
export const guides = (): readonly Guide[] =>
  ['README.md', 'docs/embedded-cluster.md', ...listed('docs/guide')].map((path) => readGuide(path));

/** Documents whose commands are checked and not run: they are about tests and about the parts of the program. */
export const references = (): readonly Guide[] =>
  ['CONTRIBUTING.md', 'SECURITY.md', ...listed('docs')]
    .filter((path) => path !== 'docs/embedded-cluster.md')
    .map((path) => readGuide(path));

const listed = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => `${folder}/${name}`);

const readGuide = (path: string): Guide => parseGuide(path, readFileSync(join(root, path), 'utf8'));

type Fence = {
  readonly info: string;
  readonly line: number;
  readonly lines: readonly string[];
};

const fenced = /^([ \t]*)```(.*)\n([\s\S]*?)^[ \t]*```[ \t]*$/gm;

/** Throws for a fence that is never closed, a marker that is not known and a `needs-…` without a reason. */
export function parseGuide(path: string, text: string): Guide {
  const { fences, prose } = split(path, text);
  const commands = fences.filter(({ info }) => /^sh\b/.test(info));
  const unmarked = fences.find(
    ({ info, lines }) => info === '' && lines.some((line) => /^(?:npx )?fairlead /.test(line)),
  );
  if (unmarked)
    throw new Error(`${path}:${unmarked.line}: begin the block with \`\`\`sh, so that its commands run`);
  const files = fences.flatMap(({ info, lines }) => {
    const name = /\bfile=(\S+)/.exec(info)?.[1];
    return name ? [[name, `${lines.join('\n')}\n`] as const] : [];
  });
  const mentioned = [...prose.matchAll(/`([^`]+)`/g)]
    .map(([, code = '']) => code.replaceAll(/\s+/g, ' '))
    .filter((code) => !code.startsWith('fairlead ready')); // the line it prints
  return { path, blocks: commands.map((fence) => blockOf(path, fence)), files: new Map(files), mentioned };
}

function split(path: string, text: string): { fences: Fence[]; prose: string } {
  const lineAt = (index: number): number => text.slice(0, index).split('\n').length;
  const fences: Fence[] = [];
  const prose = text.replaceAll(fenced, (all: string, indent: string, info: string, body: string) => {
    const line = lineAt(text.indexOf(all));
    const lines = body.split('\n').slice(0, -1);
    fences.push({ info: info.trim(), line, lines: lines.map((one) => one.replace(indent, '')) });
    return '';
  });
  const open = prose.search(/^\s*```/m);
  if (open >= 0) throw new Error(`${path}:${lineAt(text.lastIndexOf('```'))}: the block is never closed`);
  return { fences, prose };
}

function blockOf(path: string, { info, line, lines }: Fence): Block {
  const [, marker, reason] = /^sh(?: ([\w-]+)(?: \((.+)\))?)?$/.exec(info) ?? [];
  if (info !== 'sh' && !(marker && marker in markers)) {
    throw new Error(`${path}:${line}: "${info}": known markers are ${Object.keys(markers).join(', ')}`);
  }
  if (marker?.startsWith('needs-') && !reason) {
    throw new Error(`${path}:${line}: "${info}" gives no reason in parentheses`);
  }
  return { line, marker: marker as Marker | undefined, reason, text: lines.join('\n') };
}
