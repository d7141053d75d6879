import { constants } from 'node:fs';
import { lstat, open, readdir, realpath } from 'node:fs/promises';
import { dirname, join, relative, resolve, sep } from 'node:path';
import { type DoctorFile, isKustomization, readDoctorFile } from '#engine/doctor';
import { workTreeOf } from '../../input/work-tree.ts';
import { ExitError } from '../../io.ts';

/** The files of a folder, with paths from the root of its repository, and what was left out. */
export type DoctorTree = {
  readonly root: string;
  readonly files: DoctorFile[];
  /** What was not examined, and why. */
  readonly remarks: string[];
};

const maxFiles = 20_000;
/** The reader of YAML refuses more. */
export const maxBytes = 10_000_000;
const maxTotal = 500_000_000;
const skipped = new Set(['node_modules', 'vendor']);

/** Reads a folder or one file. Links are not followed: what they lead to is examined where it is, or is not part of the path. */
export async function readTree(path: string): Promise<DoctorTree> {
  // a link that the user names is meant; those below it are not followed
  const start = await realpath(resolve(path)).catch(() => undefined);
  const stat = start === undefined ? undefined : await lstat(start);
  if (start === undefined || !stat)
    throw new ExitError(20, `there is nothing at ${path}: give a folder or a file with manifests`);
  const isFolder = stat.isDirectory();
  const root = rootOf(isFolder ? start : dirname(start));
  const walk = new TreeWalk(root);
  if (isFolder) await walk.folder(start);
  else await walk.file(start);
  return walk.done();
}

/** The repository; without one the folder the user is in, so that an overlay finds its base. */
function rootOf(folder: string): string {
  const root = workTreeOf(folder);
  const here = resolve('.');
  const isBelow = folder === here || folder.startsWith(`${here}${sep}`);
  return root === folder && isBelow ? here : root;
}

/** Reads one more file of the same repository, by its path from the root; undefined where it holds no manifests. */
export async function readOne(root: string, path: string): Promise<DoctorFile | undefined> {
  const text = await textOf(join(root, path));
  return text === undefined ? undefined : readDoctorFile(path, text);
}

class TreeWalk {
  readonly #root: string;
  readonly #files: DoctorFile[] = [];
  readonly #remarks: string[] = [];
  #bytes = 0;
  #links = 0;

  constructor(root: string) {
    this.#root = root;
  }

  done(): DoctorTree {
    if (this.#links > 0)
      this.#remarks.push(`${this.#links} symbolic link${this.#links === 1 ? ' was' : 's were'} not followed`);
    return { root: this.#root, files: this.#files, remarks: this.#remarks };
  }

  async folder(dir: string): Promise<void> {
    const entries = await readdir(dir, { withFileTypes: true });
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    const isChart = entries.some(({ name }) => name === 'Chart.yaml');
    if (isChart) {
      const path = this.#path(dir) || '.';
      this.#remarks.push(`the chart ${path} was not rendered: fairlead render ${path} | fairlead doctor -`);
    }
    for (const entry of entries) {
      const at = join(dir, entry.name);
      if (entry.isSymbolicLink()) this.#links += 1;
      else if (entry.isFile() && isManifestName(entry.name)) await this.file(at);
      else if (entry.isDirectory() && !isLeftOut(entry.name, isChart)) await this.folder(at);
    }
  }

  async file(at: string): Promise<void> {
    const path = this.#path(at);
    const text = await textOf(at);
    if (text === undefined) {
      this.#remarks.push(`${path} is larger than ${maxBytes} bytes, or cannot be read, and was left out`);
      return;
    }
    this.#bytes += text.length;
    if (this.#files.length >= maxFiles || this.#bytes > maxTotal)
      throw new ExitError(
        20,
        `more than ${maxFiles} files or ${maxTotal} bytes of manifests: give one folder of them at a time`,
      );
    if (!at.endsWith('.json') || text.includes('"apiVersion"')) this.#files.push(readDoctorFile(path, text));
  }

  #path = (at: string): string => relative(this.#root, at).split(sep).join('/');
}

const isManifestName = (name: string): boolean => /\.(?:ya?ml|json)$/.test(name) || isKustomization(name);

/** The templates of a chart are no YAML, and hidden folders belong to tools. */
const isLeftOut = (name: string, isChart: boolean): boolean =>
  name.startsWith('.') || skipped.has(name) || (isChart && (name === 'templates' || name === 'charts'));

/** A file that became a link since it was listed is not followed. */
async function textOf(at: string): Promise<string | undefined> {
  try {
    const file = await open(at, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    try {
      const stat = await file.stat();
      return stat.isFile() && stat.size <= maxBytes ? await file.readFile('utf8') : undefined;
    } finally {
      await file.close();
    }
  } catch {
    return undefined;
  }
}
