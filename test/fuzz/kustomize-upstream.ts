import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Tree } from './kustomize-tree.ts';

/** A tree that Kustomize tests itself with, and the folder of it that the test builds. */
export type UpstreamTree = { readonly name: string; readonly files: Tree; readonly path: string };

/** The module whose tests hold the trees; the version is that of the Kustomize in the tool cache (decision 23). */
const module = 'sigs.k8s.io/kustomize/api@v0.21.1';

/** What the harness of those tests writes in front of a kustomization or a component. */
const heads = {
  K: '\napiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\n',
  C: '\napiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component\n',
  F: '',
} as const;

const names = { K: '/kustomization.yaml', C: '/kustomization.yaml', F: '' } as const;

/** A text in Go: raw, quoted or a constant, or several of them joined. */
const part = '(?:`[^`]*`|"(?:[^"\\\\\\n]|\\\\.)*"|[A-Za-z]\\w*)';
const text = `(${part}(?:\\s*\\+\\s*${part})*)`;
/** What a test does with its tree, in its order: it writes a file, has a helper write some, or builds a folder. */
const step = new RegExp(
  `\\bth\\.Write([KFC])\\(\\s*${text}\\s*,\\s*${text}\\s*,?\\s*\\)|\\bth\\.Run(?:WithErr)?\\(\\s*${text}\\s*,|^\\s*(\\w+)\\(th\\)`,
  'gm',
);

/** The trees in the tests of the package krusty. Go downloads the module; files on the disk and what is computed is left out. */
export function upstreamTrees(): readonly UpstreamTree[] {
  const told = execFileSync('go', ['mod', 'download', '-json', module], { cwd: tmpdir(), encoding: 'utf8' });
  const folder = join((JSON.parse(told) as { Dir: string }).Dir, 'krusty');
  const sources = readdirSync(folder).filter((name) => name.endsWith('_test.go'));
  const source = new Source(sources.map((name) => readFileSync(join(folder, name), 'utf8')).join('\n'));
  return [...source.functions.keys()]
    .filter((name) => name.startsWith('Test'))
    .flatMap((name) => source.treesOf(name));
}

class Source {
  readonly functions: ReadonlyMap<string, string>;
  readonly #constants: ReadonlyMap<string, string>;

  constructor(go: string) {
    const bodies = [...go.matchAll(/^func (\w+)\([^)]*\)[^{\n]*\{\n([\s\S]*?)^\}/gm)];
    this.functions = new Map(bodies.map(([, name = '', body = '']) => [name, body]));
    const constants = [...go.matchAll(/^\s*(?:const |var )?(\w+)\s*:?=\s*(`[^`]*`)/gm)];
    this.#constants = new Map(constants.map(([, name = '', raw = '']) => [name, raw.slice(1, -1)]));
  }

  treesOf(name: string): UpstreamTree[] {
    const files: Record<string, string> = {};
    const paths = this.#play(name, files);
    return paths.map(({ path, seen }) => ({ name: `${name} ${path}`, files: seen, path }));
  }

  /** Writes what a function writes into `files`; the folders that it builds, each with the files there were. */
  #play(name: string, files: Record<string, string>): { readonly path: string; readonly seen: Tree }[] {
    const built: { path: string; seen: Tree }[] = [];
    for (const [, kind, at, content, folder, helper] of (this.functions.get(name) ?? '').matchAll(step)) {
      if (helper) built.push(...this.#play(helper, files));
      else if (folder !== undefined)
        built.push({ path: clean(this.#valueOf(folder) ?? ''), seen: { ...files } });
      else this.#write(files, kind as keyof typeof heads, [at ?? '', content ?? '']);
    }
    return built.filter(({ path, seen }) =>
      Object.keys(seen).some((file) => file.startsWith(path && `${path}/`)),
    );
  }

  #write(
    files: Record<string, string>,
    kind: keyof typeof heads,
    [at, content]: readonly [string, string],
  ): void {
    const [path, value] = [this.#valueOf(at), this.#valueOf(content)];
    if (path !== undefined && value !== undefined) files[clean(path + names[kind])] = heads[kind] + value;
  }

  /** Undefined for what the test computes. */
  #valueOf(expression: string): string | undefined {
    const parts = [...expression.matchAll(new RegExp(part, 'g'))].map(([one]) => {
      if (one.startsWith('`')) return one.slice(1, -1);
      return one.startsWith('"') ? (JSON.parse(one) as string) : this.#constants.get(one);
    });
    return parts.includes(undefined) ? undefined : parts.join('');
  }
}

/** Paths below one root: the tests write `/app`, `app` and `.` alike. */
const clean = (path: string): string =>
  path
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .join('/');
