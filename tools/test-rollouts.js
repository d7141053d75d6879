// npm run test:rollouts [file …]: the unmodified `kubectl argo rollouts` plugin against a started program, as its users type it.
import { spawnSync } from 'node:child_process';
import { rolloutsProgram } from './real-clients/rollouts.js';

const args = ['node_modules/.bin/vitest', 'run', '--project', 'rollouts', ...process.argv.slice(2)];
const env = { ...process.env, FAIRLEAD_TEST_ROLLOUTS: rolloutsProgram() };
process.exitCode = spawnSync(process.execPath, args, { env, stdio: 'inherit' }).status ?? 1;
