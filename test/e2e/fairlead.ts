import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Application } from '#base/model';
import { realClock, silent } from '#base/std';
import { findTool } from '#platform/exec';
import { type ApiRequest, applications, call, follow, type Send, session } from '#serve/api';

const program = join(import.meta.dirname, '../../dist/main/fairlead.js');
const patienceMs = 60_000;

type Output = { code: number; stdout: string; stderr: string };

/** A started program, with everything a user has at hand: a browser's address, kubectl, git and the command line. */
export type Fairlead = {
  readonly url: string;
  /** A folder of the test's own, for repositories too: there are none below the data folder. */
  readonly folder: string;
  readonly dataDir: string;
  readonly demo: string;
  readonly readyMs: number;
  readonly pid: number;
  readonly password: string;
  /** What it has logged so far. */
  log(): string;
  cli(...args: string[]): Promise<Output>;
  kubectl(...args: string[]): Promise<Output>;
  /** kubectl with a manifest on its standard input. */
  apply(manifest: object | string): Promise<Output>;
  /** Writes files into the demo repository, `null` deletes one, and commits them all. */
  commit(files: Record<string, string | null>, message?: string): Promise<string>;
  /** Follows an application until it is as wanted; fails with its last state when it never is. */
  until(name: string, what: string, isSo: (app: Application) => boolean): Promise<Application>;
  /** Ctrl-C, and waits for the end. */
  stop(): Promise<number | null>;
  /** kill -9 */
  kill(): Promise<void>;
  /** The same data folder, started again. */
  restart(): Promise<Fairlead>;
};

/** Starts `fairlead up` on a free port in a folder of its own, as a user would. */
export async function startFairlead(...args: string[]): Promise<Fairlead> {
  const folder = mkdtempSync(join(tmpdir(), 'fairlead-e2e-'));
  return start(folder, args);
}

/** The flags of a program on a cluster that is not its own: what of this machine it may reach is listed, as an operator would. */
export const onCluster = (kubeconfig: string): string[] => [
  '--kubeconfig',
  kubeconfig,
  '--local-repositories',
  tmpdir(),
  '--allow-hosts',
  '127.0.0.1,localhost',
];

/** Removes what a started program left on disk. */
export function forget({ folder }: Pick<Fairlead, 'folder'>): void {
  rmSync(folder, { recursive: true, force: true });
}

async function start(folder: string, args: readonly string[]): Promise<Fairlead> {
  const dataDir = join(folder, 'data');
  const began = performance.now();
  const child = spawn(process.execPath, [program, 'up', '--data-dir', dataDir, '--port', '0', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, HOME: dataDir, XDG_CACHE_HOME: join(tmpdir(), 'fairlead-e2e-cache') },
  });
  let logged = '';
  child.stderr.on('data', (chunk) => {
    logged += chunk;
  });
  const url = await readyUrl(child);
  const readyMs = performance.now() - began;
  const password = readFileSync(join(dataDir, 'admin-password'), 'utf8').trim();
  const ended = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const at = args.indexOf('--kubeconfig');
  const kubeconfig = (at >= 0 && args[at + 1]) || join(dataDir, 'kubeconfig');
  const env = { HOME: dataDir, PATH: process.env.PATH ?? '', KUBECONFIG: kubeconfig };
  const demo = join(dataDir, 'demo');
  let send: Send | undefined;
  return {
    url,
    folder,
    dataDir,
    demo,
    readyMs,
    pid: child.pid ?? 0,
    password,
    log: () => logged,
    cli: (...words) => execute(process.execPath, [program, ...words], { env }),
    kubectl: async (...words) => execute(await kubectlPath(), words, { env }),
    apply: async (manifest) => {
      const text = typeof manifest === 'string' ? manifest : JSON.stringify(manifest);
      return execute(await kubectlPath(), ['apply', '-f', '-'], { env, input: text });
    },
    commit: (files, message = 'a change') => commit(demo, files, message),
    until: async (name, what, isSo) => {
      send ??= await signedIn(url, password);
      return until(send, name, { what, isSo });
    },
    stop: () => {
      child.kill('SIGINT');
      return ended;
    },
    kill: async () => {
      child.kill('SIGKILL');
      await ended;
    },
    restart: () => start(folder, args),
  };
}

function readyUrl(child: ChildProcess): Promise<string> {
  return new Promise((resolve, reject) => {
    let said = '';
    child.stderr?.on('data', (chunk) => {
      said += chunk;
    });
    if (child.stdout) {
      createInterface({ input: child.stdout }).on('line', (line) => {
        const found = /^fairlead ready at (\S+)/.exec(line)?.[1];
        if (found) resolve(found);
      });
    }
    child.on('exit', (code) =>
      reject(new Error(`fairlead up ended with ${code} before it was ready: ${said}`)),
    );
  });
}

let kubectl: Promise<string> | undefined;

function kubectlPath(): Promise<string> {
  const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
  const places = {
    searchPath: process.env.PATH ?? '',
    cacheDir: join(tmpdir(), 'fairlead-e2e-cache/fairlead'),
  };
  kubectl ??= findTool(ctx, 'kubectl', places).then(({ command }) => command);
  return kubectl;
}

type ExecuteOptions = { env?: Record<string, string>; cwd?: string; input?: string };

function execute(command: string, args: readonly string[], options: ExecuteOptions = {}): Promise<Output> {
  const { input, ...rest } = options;
  return new Promise((resolve) => {
    const settings = { ...rest, timeout: patienceMs, maxBuffer: 64 * 1024 * 1024 };
    const child = execFile(command, [...args], settings, (error, stdout, stderr) => {
      const code = typeof error?.code === 'number' ? error.code : error ? -1 : 0;
      resolve({ code, stdout, stderr });
    });
    child.stdin?.on('error', () => {}); // a program that ends without reading is not our failure
    child.stdin?.end(input ?? '');
  });
}

async function commit(
  folder: string,
  files: Record<string, string | null>,
  message: string,
): Promise<string> {
  for (const [path, text] of Object.entries(files)) {
    if (text === null) rmSync(join(folder, path));
    else {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), text);
    }
  }
  for (const args of [
    ['add', '--all'],
    ['commit', '--quiet', '-m', message],
  ]) {
    const { code, stderr } = await execute('git', args, { cwd: folder });
    if (code !== 0) throw new Error(`git ${args[0]} failed: ${stderr}`);
  }
  return (await execute('git', ['rev-parse', 'HEAD'], { cwd: folder })).stdout.trim();
}

/** The browser's own way to send, with a token instead of a cookie. */
async function signedIn(url: string, password: string): Promise<Send> {
  const anonymous = sendTo(url, undefined);
  const { token } = await call(anonymous, session.create, { body: { username: 'admin', password } });
  return sendTo(url, token);
}

function sendTo(url: string, token: string | undefined): Send {
  return async ({ method, path, headers, body, signal }: ApiRequest) => {
    const response = await fetch(new URL(path, url), {
      method,
      headers: { ...headers, ...(token && { authorization: `Bearer ${token}` }) },
      ...(body !== undefined && { body }),
      ...(signal && { signal }),
    });
    return { status: response.status, text: () => response.text(), lines: () => linesOf(response) };
  };
}

async function* linesOf(response: Response): AsyncGenerator<string> {
  let rest = '';
  for await (const chunk of response.body?.pipeThrough(new TextDecoderStream()) ?? []) {
    const lines = (rest + chunk).split('\n');
    rest = lines.pop() ?? '';
    yield* lines;
  }
}

async function until(
  send: Send,
  name: string,
  { what, isSo }: { what: string; isSo: (app: Application) => boolean },
): Promise<Application> {
  const signal = AbortSignal.timeout(patienceMs);
  let last: Application | undefined;
  try {
    for await (const { type, application } of follow(send, applications.watch, { query: { name }, signal })) {
      if (type === 'DELETED') continue;
      last = application;
      if (isSo(application)) return application;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  throw new Error(`${name} was never ${what}; its last state: ${JSON.stringify(last?.status, null, 1)}`);
}

export const isSettled = ({ status, operation }: Application): boolean =>
  !operation && status?.sync?.status === 'Synced' && status.health?.status === 'Healthy';
