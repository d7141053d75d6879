// npm run test:real: what we test against our own registry, against somebody else's: Debian's docker-registry, open and
// with a login. It is downloaded with apt-get into a temporary folder; nothing is installed, and all of it is removed.
import { spawn, spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { hashSync } from '@node-rs/bcrypt';

const login = { username: 'joe', password: 'hunter2-secret' };
const folder = mkdtempSync(join(tmpdir(), 'fairlead-real-'));
const running = [];

try {
  const program = download();
  const htpasswd = join(folder, 'htpasswd');
  writeFileSync(htpasswd, `${login.username}:${hashSync(login.password, { cost: 10 })}\n`);
  const closed = {
    REGISTRY_AUTH: 'htpasswd',
    REGISTRY_AUTH_HTPASSWD_REALM: 'x',
    REGISTRY_AUTH_HTPASSWD_PATH: htpasswd,
  };
  const ok =
    test(await start(program, {}), {}) &&
    test(await start(program, closed), {
      FAIRLEAD_TEST_REGISTRY_LOGIN: `${login.username}:${login.password}`,
    });
  process.exitCode = ok ? 0 : 1;
} finally {
  for (const child of running) child.kill();
  rmSync(folder, { recursive: true, force: true });
}

function download() {
  const fetched = spawnSync('apt-get', ['download', 'docker-registry'], { cwd: folder, encoding: 'utf8' });
  const archive = readdirSync(folder).find((name) => name.endsWith('.deb'));
  if (!archive) {
    throw new Error(`apt-get cannot download docker-registry; run apt-get update first:\n${fetched.stderr}`);
  }
  spawnSync('dpkg-deb', ['-x', archive, 'unpacked'], { cwd: folder, stdio: 'inherit' });
  return join(folder, 'unpacked/usr/bin/docker-registry');
}

async function start(program, more) {
  const host = `127.0.0.1:${await freePort()}`;
  const config = join(folder, `${running.length}.yml`);
  const storage = join(folder, `storage-${running.length}`);
  writeFileSync(
    config,
    JSON.stringify({
      version: 0.1,
      storage: { filesystem: { rootdirectory: storage } },
      http: { addr: host },
    }),
  );
  const child = spawn(program, ['serve', config], {
    env: { ...more, OTEL_TRACES_EXPORTER: 'none' },
    stdio: 'ignore',
  });
  running.push(child);
  for (let tries = 0; tries < 100; tries++) {
    if (await fetch(`http://${host}/v2/`).catch(() => undefined)) return host;
    await pause(100);
  }
  throw new Error('docker-registry does not answer');
}

function test(host, more) {
  const args = [
    'node_modules/.bin/vitest',
    'run',
    '--project',
    'edges',
    'src/sources/repositories/oci/registry-charts.test.ts',
  ];
  const env = { ...process.env, FAIRLEAD_TEST_REGISTRY: host, ...more };
  return spawnSync(process.execPath, args, { env, stdio: 'inherit' }).status === 0;
}

function freePort() {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address();
      server.close(() => resolve(port));
    });
  });
}
