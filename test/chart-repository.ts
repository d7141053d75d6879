import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Packs charts with the real helm into a folder, and writes the index of all that lie there. */
export class ChartPress {
  readonly dir: string;
  readonly #helm: string;
  #charts = 0;

  constructor(helm: string, dir: string) {
    this.#helm = helm;
    this.dir = dir;
  }

  /** Runs helm; what it says. */
  async helm(...args: string[]): Promise<string> {
    const env = { HOME: this.dir, PATH: '' };
    const { stdout } = await run(this.#helm, args, { env, maxBuffer: 64 * 1024 * 1024 });
    return stdout;
  }

  /** Writes a chart's files to a folder of its own; where they are. */
  async write(files: Readonly<Record<string, string>>): Promise<string> {
    this.#charts += 1;
    const folder = join(this.dir, '.work', String(this.#charts));
    for (const [path, content] of Object.entries(files)) {
      const at = join(folder, path);
      await mkdir(dirname(at), { recursive: true });
      await writeFile(at, content);
    }
    return folder;
  }

  /** Packs a chart of one ConfigMap that tells its version; where the archive lies. */
  async pack(name: string, version: string, files: Readonly<Record<string, string>> = {}): Promise<string> {
    const folder = await this.write({
      'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: ${version}\ndescription: tells its version\nhome: https://example.com/${name}\nmaintainers: [{name: Ann, email: ann@example.com}]\n`,
      'values.yaml': 'color: red\n',
      'templates/cm.yaml': [
        'apiVersion: v1',
        'kind: ConfigMap',
        `metadata: {name: "{{ .Release.Name }}-${name}"}`,
        'data: {version: {{ .Chart.Version | quote }}, color: {{ .Values.color | quote }}}',
        '',
      ].join('\n'),
      ...files,
    });
    await this.helm('package', folder, '--destination', this.dir);
    return join(this.dir, `${name}-${version}.tgz`);
  }

  /** Writes index.yaml, the archives' URLs below `url`; relative when it is ''. */
  async index(url = ''): Promise<void> {
    await this.helm('repo', 'index', this.dir, ...(url ? ['--url', url] : []));
  }
}
