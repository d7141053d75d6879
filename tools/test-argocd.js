// npm run test:argocd [-- --kubernetes] [file …]: the unmodified `argocd` command line against a started program, as its users type it;
// with --kubernetes what it does every day, on a real cluster instead of the embedded one.
import { spawnSync } from 'node:child_process';
import { argocdProgram } from './real-clients/argocd.js';

const given = process.argv.slice(2);
const isReal = given.includes('--kubernetes');
const vitest = ['node_modules/.bin/vitest', 'run', '--project', 'argocd'];
const args = isReal
  ? ['tools/kubernetes/cluster.js', 'run', '--', process.execPath, ...vitest, 'test/argocd/cluster.test.ts']
  : [...vitest, ...given];
const env = { ...process.env, FAIRLEAD_TEST_ARGOCD: argocdProgram() };
process.exitCode = spawnSync(process.execPath, args, { env, stdio: 'inherit' }).status ?? 1;
