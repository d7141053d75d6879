// A network namespace in which there is nothing but loopback (Linux).
import { spawn } from 'node:child_process';

const mark = 'FAIRLEAD_ENCLOSED';

export const isEnclosed = () => process.env[mark] === '1';

/** Runs a script of Node's there; resolves to its exit code. Only root may, or who may make user namespaces. */
export function enclose(argv) {
  const isRoot = process.getuid?.() === 0;
  const namespaces = isRoot ? ['--net'] : ['--net', '--map-root-user'];
  const script = 'ip link set lo up && exec "$@"';
  const child = spawn('unshare', [...namespaces, '--', 'sh', '-c', script, 'sh', process.execPath, ...argv], {
    stdio: 'inherit',
    env: { ...process.env, [mark]: '1' },
  });
  // an interrupt reaches the whole group; this process stays until the other has cleaned up
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on('error', () =>
      reject(
        new Error(
          'Knative is tested in a network namespace of its own: install unshare (util-linux) and ip (iproute2)',
        ),
      ),
    );
    child.on('close', (code) => resolve(code ?? 1));
  });
}
