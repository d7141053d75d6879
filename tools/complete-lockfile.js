// `npm ci` refuses a lockfile that lacks an optional package, and npm leaves out every platform
// variant its registry did not answer for. This adds the missing entries, each fenced to its own
// platform, so that one lockfile serves every machine. Run it after each `npm install`.
import { readFileSync, writeFileSync } from 'node:fs';

const file = new URL('../package-lock.json', import.meta.url);
const lock = JSON.parse(readFileSync(file, 'utf8'));

const systems = [
  'android',
  'darwin',
  'freebsd',
  'linux',
  'netbsd',
  'openbsd',
  'openharmony',
  'sunos',
  'aix',
  'win32',
];
const processors = [
  'arm64',
  'arm',
  'ia32',
  'x64',
  'loong64',
  'mips64el',
  'ppc64',
  'riscv64',
  's390x',
  'wasm32',
];

const words = (name) => name.split('/').at(-1).split('-');
const has = (list, name) => list.find((item) => words(name).includes(item));

function fence(name) {
  if (words(name).includes('wasm32')) return { cpu: ['wasm32'] };
  const os = has(systems, name) ?? (words(name).includes('win') ? 'win32' : undefined);
  const cpu = has(processors, name) ?? (name.includes('ppc64') ? 'ppc64' : undefined);
  const libc = words(name).includes('musl') ? 'musl' : undefined;
  return {
    ...(cpu && { cpu: [cpu] }),
    ...(libc && { libc: [libc] }),
    ...(os && { os: [os] }),
  };
}

let added = 0;
for (const [path, entry] of Object.entries(lock.packages)) {
  for (const [name, range] of Object.entries(entry.optionalDependencies ?? {})) {
    const present = [`${path}/node_modules/${name}`, `node_modules/${name}`].some(
      (at) => at in lock.packages,
    );
    if (path === '' || present) continue;
    lock.packages[`node_modules/${name}`] = {
      version: range.replace(/^[\^~]/, ''),
      ...fence(name),
      ...(entry.dev && { dev: true }),
      optional: true,
    };
    added += 1;
  }
}
lock.packages = Object.fromEntries(Object.entries(lock.packages).sort(([a], [b]) => (a < b ? -1 : 1)));
writeFileSync(file, `${JSON.stringify(lock, null, 2)}\n`);
console.log(`${added} platform entries added`);
