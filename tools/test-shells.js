// npm run test:shells: the completion scripts for zsh and fish, in the real shells. They are downloaded with apt-get into a temporary
// folder; nothing is installed, and all of it is removed.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const packages = ['zsh', 'zsh-common', 'fish', 'fish-common', 'libpcre2-32-0'];
const folder = mkdtempSync(join(tmpdir(), 'fairlead-shells-'));

try {
  const vitest = ['node_modules/.bin/vitest', 'run', '--project', 'system', 'test/e2e/completion.test.ts'];
  const env = { ...process.env, FAIRLEAD_TEST_SHELLS: download() };
  process.exitCode = spawnSync(process.execPath, vitest, { env, stdio: 'inherit' }).status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** The folder with what the packages would install. */
function download() {
  const fetched = spawnSync('apt-get', ['download', ...packages], { cwd: folder, encoding: 'utf8' });
  const archives = readdirSync(folder).filter((name) => name.endsWith('.deb'));
  if (archives.length < packages.length)
    throw new Error(
      `apt-get cannot download ${packages.join(', ')}; run apt-get update first:\n${fetched.stderr}`,
    );
  for (const archive of archives)
    spawnSync('dpkg-deb', ['-x', archive, 'unpacked'], { cwd: folder, stdio: 'inherit' });
  return join(folder, 'unpacked');
}
