// dist/ is what users run: the program, bundled into a few files because Node takes half a second to open a thousand;
// the engine as a library with the types of all rooms; and the web UI. `--program` leaves the types out, which take as long as
// all the rest: whoever installs wants to start. `--keep-ui` also keeps the web UI of the build before.
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { build } from 'esbuild';
import { requireBudget } from './first-load.js';

const keepsUi = process.argv.includes('--keep-ui') && existsSync('dist/ui/index.html');
const isProgramOnly = keepsUi || process.argv.includes('--program');
const run = (script, ...args) =>
  new Promise((resolve, reject) => {
    const child = spawn(process.execPath, [script, ...args], { stdio: 'inherit' });
    child.on('error', reject);
    child.on('exit', (code) => (code === 0 ? resolve() : reject(new Error(`${script} ended with ${code}`))));
  });
/**
 * Packages that become part of the program: JavaScript alone, of many files, that most commands load. Node takes longer to find and
 * open those files than to run them. The others stay packages of their own.
 */
const inlined = ['commander', 'diff', 'js-yaml', 're2js', 'zod'];
const { dependencies, optionalDependencies } = JSON.parse(readFileSync('package.json', 'utf8'));
const external = Object.keys({ ...dependencies, ...optionalDependencies })
  .filter((name) => !inlined.includes(name))
  .flatMap((name) => [name, `${name}/*`]);
/** A module has no `require` for what a package in CommonJS requires of Node. */
const builtins = {
  name: 'builtins',
  setup(on) {
    on.onResolve({ filter: /^node:/ }, ({ kind, path }) =>
      kind === 'require-call' ? { path, namespace: 'builtin' } : undefined,
    );
    on.onLoad({ filter: /./, namespace: 'builtin' }, ({ path }) => ({
      contents: `module.exports = process.getBuiltinModule('${path}');`,
    }));
  },
};
const bundled = {
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20',
  external,
  plugins: [builtins],
  // names stay, for stack traces; what only people read costs a tenth of the start
  minifyWhitespace: true,
  lineLimit: 160,
  logLevel: 'warning',
};

/** Their licenses require their text in every copy. */
function licenseOf(name) {
  const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8'));
  const file = readdirSync(`node_modules/${name}`).find((one) => /^licen[cs]e/i.test(one));
  if (!file) throw new Error(`${name} ships no license: it cannot become part of the program`);
  return `${name} ${version}\n\n${readFileSync(`node_modules/${name}/${file}`, 'utf8')}`;
}

mkdirSync('dist', { recursive: true });
for (const name of readdirSync('dist')) {
  if (name !== 'ui' || !keepsUi) rmSync(`dist/${name}`, { recursive: true, force: true });
}
const others = Promise.all([
  isProgramOnly || run('node_modules/typescript/bin/tsc', '-p', 'tsconfig.build.json'),
  !keepsUi &&
    existsSync('ui/vite.config.ts') &&
    run('node_modules/vite/bin/vite.js', 'build', 'ui', '--logLevel', 'warn'),
]);
writeFileSync(
  'dist/package.json',
  `${JSON.stringify({ type: 'module', imports: { '#*': './*/index.js' } })}\n`,
);
writeFileSync('dist/LICENSES.txt', inlined.map(licenseOf).join('\n'));
// all beside each other: what a module looks for beside itself, it finds wherever it was put
await build({
  ...bundled,
  entryPoints: [
    'src/main/fairlead.ts',
    'src/platform/workers/worker.ts',
    'src/platform/workers/script-worker.ts',
    'src/serve/server/auth/hash-worker.ts',
    'src/embedded/apiserver/openapi/model-files.ts',
  ],
  splitting: true,
  entryNames: '[name]',
  chunkNames: '[name]-[hash]',
  outdir: 'dist/main',
});
await build({ ...bundled, entryPoints: ['src/engine/index.ts'], outfile: 'dist/engine/index.js' });
// what kubectl explain tells of built-in kinds: Kubernetes' own words, which are not part of our source
const { modelFolder, readModels } = await import('../dist/main/model-files.js');
const models = modelFolder();
if (models) writeFileSync('dist/main/descriptions.json.gz', gzipSync(JSON.stringify(readModels(models))));
await others;
if (!keepsUi && existsSync('dist/ui/index.html')) requireBudget('dist/ui');
if (keepsUi) utimesSync('dist/ui/index.html', new Date(), new Date()); // the age of this file is that of the build
