// npm run test:rollouts [file …]: the unmodified `kubectl argo rollouts` plugin against a started program, as its users type it.
// npm run test:rollouts -- --differential [--scenario word]: the same Rollouts under the controller of Argo Rollouts and under ours, on a
// real Kubernetes of tools/kubernetes or on that of FAIRLEAD_TEST_KUBECONFIG.
import { spawnSync } from 'node:child_process';
import { rolloutsController, rolloutsDefinitions, rolloutsProgram } from './real-clients/rollouts.js';

const given = process.argv.slice(2);
const env = { ...process.env, FAIRLEAD_TEST_ROLLOUTS: rolloutsProgram() };
let args = ['node_modules/.bin/vitest', 'run', '--project', 'rollouts', ...given];
if (given.includes('--differential')) {
  const suite = ['node_modules/.bin/tsx', 'test/rollouts/differential/run.ts'];
  const options = given.filter((word) => word !== '--differential');
  const cluster = ['tools/kubernetes/cluster.js', 'run', '--', process.execPath];
  args = env.FAIRLEAD_TEST_KUBECONFIG ? [...suite, ...options] : [...cluster, ...suite, ...options];
  env.FAIRLEAD_TEST_ROLLOUTS_CONTROLLER = rolloutsController();
  env.FAIRLEAD_TEST_ROLLOUTS_DEFINITIONS = rolloutsDefinitions();
}
process.exitCode = spawnSync(process.execPath, args, { env, stdio: 'inherit' }).status ?? 1;
