// npm run test:argocd [file …]: the unmodified `argocd` command line against a started program, as its users type it.
import { spawnSync } from 'node:child_process';
import { argocdProgram } from './real-clients/argocd.js';

const args = ['node_modules/.bin/vitest', 'run', '--project', 'argocd', ...process.argv.slice(2)];
const env = { ...process.env, FAIRLEAD_TEST_ARGOCD: argocdProgram() };
process.exitCode = spawnSync(process.execPath, args, { env, stdio: 'inherit' }).status ?? 1;
