// `fairlead/engine` runs in a browser: bundled for one, it must need nothing that only Node has.
import { build } from 'vite';
import { packages, uiPackages } from './rooms.js';

const entry = 'src/engine/index.ts';
const nodeOnly =
  /^node:|^(?:fs|path|os|crypto|child_process|worker_threads|http|https|net|tls|stream|url|util|zlib)$/;

const pageOnly = uiPackages.filter((name) => !packages.engine.includes(name));
const strayed = [];
const result = await build({
  configFile: false,
  logLevel: 'error',
  build: {
    write: false,
    minify: true,
    target: 'es2022',
    lib: { entry, formats: ['es'], fileName: 'engine' },
  },
  plugins: [
    {
      name: 'nothing-of-node',
      enforce: 'pre',
      resolveId(id, importer) {
        if (nodeOnly.test(id) || pageOnly.includes(id)) strayed.push(`${importer} imports ${id}`);
      },
    },
  ],
});
const outputs = [result].flat().flatMap(({ output }) => output);
const bytes = outputs.reduce((sum, chunk) => sum + ('code' in chunk ? chunk.code.length : 0), 0);
const loaders = outputs.filter((chunk) => 'code' in chunk && /\bprocess\.|\brequire\(/.test(chunk.code));
for (const stray of strayed) console.error(stray);
for (const { fileName } of loaders) console.error(`${fileName} reaches for process or require`);
if (strayed.length > 0 || loaders.length > 0) process.exit(1);
console.log(`fairlead/engine for a browser: ${Math.round(bytes / 1024)} KB`);
