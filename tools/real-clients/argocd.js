// The real `argocd` command line, built from its Go module into the cache, once per version; prints where it is. About nine minutes the
// first time on two cores. For tests only: we ship none of it.
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
import { fileURLToPath } from 'node:url';

const version = '3.5.6';
const module = 'github.com/argoproj/argo-cd/v3';
/** A nested module, at the commit of the release. */
const engine = 'github.com/argoproj/argo-cd/gitops-engine';
const engineVersion = 'v0.0.0-20260914071520-c9c369efcc5b';

const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'fairlead/real-clients');

/** The path of the program. Throws when Go is missing or the build fails. */
export function argocdProgram() {
  const program = join(cache, `argocd-${version}`);
  if (existsSync(program)) return program;
  mkdirSync(cache, { recursive: true });
  const folder = mkdtempSync(join(cache, 'src.'));
  try {
    const { Dir } = JSON.parse(go(folder, 'mod', 'download', '-json', `${module}@v${version}`));
    cpSync(Dir, folder, { recursive: true });
    makeWritable(folder);
    go(folder, 'mod', 'edit', '-replace', `${engine}=${engine}@${engineVersion}`);
    const named = `-X ${module}/common.version=${version}`;
    go(folder, 'build', '-ldflags', `-s -w ${named}`, '-o', `${program}.part`, './cmd');
    renameSync(`${program}.part`, program);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  return program;
}

function go(cwd, ...args) {
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
  if (error) throw new Error(`the argocd command line is built with Go 1.26 or later: ${error.message}`);
  if (status !== 0) throw new Error(`go ${args.join(' ')} ended with ${status}`);
  return stdout;
}

/** The cache of Go modules is read-only, and so is a copy of it. */
function makeWritable(folder) {
  chmodSync(folder, 0o755);
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) makeWritable(path);
    else if (entry.isFile()) chmodSync(path, 0o644);
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(argocdProgram());
