// dist/ is what users run: the compiled rooms, a one-line package.json that opens their doors, and the web UI.
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';

const run = (script, ...args) => execFileSync(process.execPath, [script, ...args], { stdio: 'inherit' });

rmSync('dist', { recursive: true, force: true });
run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json');
writeFileSync(
  'dist/package.json',
  `${JSON.stringify({ type: 'module', imports: { '#*': './*/index.js' } })}\n`,
);
// what kubectl explain tells of built-in kinds: Kubernetes' own words, which are not part of our source
const { modelFolder, readModels } = await import('../dist/devcluster/openapi/model-files.js');
const models = modelFolder();
if (models)
  writeFileSync('dist/devcluster/openapi/descriptions.json.gz', gzipSync(JSON.stringify(readModels(models))));
chmodSync('dist/main/fairlead.js', 0o755);
if (existsSync('ui/vite.config.ts'))
  run('node_modules/vite/bin/vite.js', 'build', 'ui', '--logLevel', 'warn');
