// The real `kubectl argo rollouts` plugin; prints where it is. About seven minutes the first time on two cores.
import { fileURLToPath } from 'node:url';
import { builtClient } from './go-client.js';

const version = '1.9.1';
const module = 'github.com/argoproj/argo-rollouts';

/** The path of the program. Throws when Go is missing or the build fails. */
export const rolloutsProgram = () =>
  builtClient({
    name: 'kubectl-argo-rollouts',
    module,
    version,
    command: './cmd/kubectl-argo-rollouts',
    flags: `-X ${module}/utils/version.version=${version}`,
  });

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(rolloutsProgram());
