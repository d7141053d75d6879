// The real Argo Rollouts: the `kubectl argo rollouts` plugin and the controller; `node tools/real-clients/rollouts.js [controller]` prints
// where the program is. About seven minutes each the first time on two cores, the second one less.
import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { builtClient } from './go-client.js';

const version = '1.9.1';
const module = 'github.com/argoproj/argo-rollouts';

const built = (name) =>
  builtClient({
    name,
    module,
    version,
    command: `./cmd/${name}`,
    flags: `-X ${module}/utils/version.version=${version}`,
  });

/** The path of the plugin. Throws when Go is missing or the build fails. */
export const rolloutsProgram = () => built('kubectl-argo-rollouts');

/** The path of the controller. Throws when Go is missing or the build fails. */
export const rolloutsController = () => built('rollouts-controller');

/** The folder with the definitions of the real controller's kinds, in Go's cache of modules: read from there, never copied. */
export function rolloutsDefinitions() {
  const answer = execFileSync('go', ['mod', 'download', '-json', `${module}@v${version}`], {
    encoding: 'utf8',
  });
  return join(JSON.parse(answer).Dir, 'manifests/crds');
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  console.log(process.argv[2] === 'controller' ? rolloutsController() : rolloutsProgram());
