// The real `argocd` command line; prints where it is. About nine minutes the first time on two cores.
import { fileURLToPath } from 'node:url';
import { builtClient } from './go-client.js';

const version = '3.5.6';
const module = 'github.com/argoproj/argo-cd/v3';
/** A nested module, at the commit of the release. */
const engine = 'github.com/argoproj/argo-cd/gitops-engine';
const engineVersion = 'v0.0.0-20260914071520-c9c369efcc5b';

/** The path of the program. Throws when Go is missing or the build fails. */
export const argocdProgram = () =>
  builtClient({
    name: 'argocd',
    module,
    version,
    replace: { [engine]: `${engine}@${engineVersion}` },
    command: './cmd',
    flags: `-X ${module}/common.version=${version}`,
  });

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(argocdProgram());
