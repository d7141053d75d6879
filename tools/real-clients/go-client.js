// Clients of others, built from their Go modules into the cache, once per version. For tests only: we ship none of them.
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  renameSync,
  rmSync,
} from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'fairlead/real-clients');

/**
 * The path of a program, built when the cache does not have it: `{ name, module, version, replace, command, flags }`. Throws when Go is
 * missing or the build fails.
 */
export function builtClient({ name, module, version, replace = {}, command, flags }) {
  const program = join(cache, `${name}-${version}`);
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'src.'));
  const go = goIn(folder, name);
  try {
    const { Dir } = JSON.parse(go('mod', 'download', '-json', `${module}@v${version}`));
    cpSync(Dir, folder, { recursive: true });
    makeWritable(folder);
    for (const [from, to] of Object.entries(replace)) go('mod', 'edit', '-replace', `${from}=${to}`);
    go('build', '-ldflags', `-s -w ${flags}`, '-o', `${program}.part`, command);
    renameSync(`${program}.part`, program);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return program;
}

const goIn =
  (cwd, name) =>
  (...args) => {
    const env = {
      ...process.env,
      ...{ CGO_ENABLED: '0', GOTOOLCHAIN: 'local', GOFLAGS: '-buildvcs=false -trimpath -mod=mod' },
    };
    const { status, stdout, error } = spawnSync('go', args, {
      cwd,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    if (error) throw new Error(`${name} is built with Go 1.26 or later: ${error.message}`);
    if (status !== 0) throw new Error(`go ${args.join(' ')} ended with ${status}`);
    return stdout;
  };

/** The cache of Go modules is read-only, and so is a copy of it. */
function makeWritable(folder) {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makeWritable(path);
    else if (entry.isFile()) chmodSync(path, 0o644);
  }
}
