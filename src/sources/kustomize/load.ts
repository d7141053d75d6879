import { baseName, type FileTree, isWithin, joinPath } from '#base/model';
import { type BuildMeter, decline } from './decline.ts';

/** A file that replaces one in the tree. */
export type Edited = { readonly path: string; readonly text: string };

const names = ['kustomization.yaml', 'kustomization.yml', 'Kustomization'];
// names that kustomize may treat as a repository or a URL
const elsewhere = /[:?@\0\\]|\/\/|\.git|_git|^\/|^github\.com|^~/;

/** The files of a build: only those in the tree itself, with no link on the way. */
export class Files {
  readonly #tree: FileTree;
  readonly #edited: Edited | undefined;
  readonly #isFree: boolean;
  readonly #meter: BuildMeter;

  /** `isFree`: files may be outside the folder of the kustomization that names them (sources KL-2). */
  constructor(
    tree: FileTree,
    edited: Edited | undefined,
    { isFree, meter }: { isFree: boolean; meter: BuildMeter },
  ) {
    this.#tree = tree;
    this.#edited = edited;
    this.#isFree = isFree;
    this.#meter = meter;
  }

  /** The path that a name in the kustomization of a folder refers to. */
  find(dir: string, name: string): { readonly path: string; readonly isFolder: boolean } {
    if (name === '' || elsewhere.test(name)) decline('a name that may stand for something elsewhere');
    const path = joinPath(dir, name);
    const kind = this.#plainKind(path);
    if (kind !== 'file' && kind !== 'dir') decline('a name that stands for nothing');
    return { path, isFolder: kind === 'dir' };
  }

  #plainKind(path: string): string | undefined {
    if (this.#tree.resolve(path) !== path) decline('a link on the way to a file, or nothing there');
    return path === '' ? 'dir' : this.#tree.kind(path);
  }

  /** The kustomization of a folder, and the name of its file. */
  async kustomization(dir: string): Promise<{ readonly text: string; readonly name: string }> {
    const found = names.map((name) => joinPath(dir, name)).filter((path) => this.#tree.has(path));
    const [path] = found;
    if (path === undefined || found.length > 1) decline('not exactly one kustomization in a folder');
    if (this.#plainKind(path) !== 'file') decline('a kustomization that is no file');
    const name = baseName(path);
    if (path !== this.#edited?.path) return { text: this.#decoded(await this.#read(path)), name };
    this.#meter.bytes(this.#edited.text.length);
    return { text: this.#edited.text, name };
  }

  /** The text of a file that a kustomization names. */
  async text(dir: string, name: string): Promise<string> {
    return this.#decoded(await this.bytes(dir, name));
  }

  async bytes(dir: string, name: string): Promise<Uint8Array> {
    const { path, isFolder } = this.find(dir, name);
    if (isFolder) decline('a folder where a file should be');
    return this.contained(dir, path);
  }

  /** The text of a file that was found. */
  async textAt(dir: string, path: string): Promise<string> {
    return this.#decoded(await this.contained(dir, path));
  }

  async contained(dir: string, path: string): Promise<Uint8Array> {
    if (!this.#isFree && !isWithin(path, dir)) decline('a file beside its kustomization');
    return this.#read(path);
  }

  async #read(path: string): Promise<Uint8Array> {
    this.#meter.bytes(this.#tree.size(path) ?? 0);
    return this.#tree.read(path);
  }

  #decoded(bytes: Uint8Array): string {
    return decodeUtf8(bytes) ?? decline('a file that is no UTF-8');
  }
}

/** Undefined for bytes that are not UTF-8. A byte order mark is kept. */
export function decodeUtf8(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
