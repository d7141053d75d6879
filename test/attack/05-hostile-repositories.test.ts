import { execFileSync } from 'node:child_process';
import { access, chmod, mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { configMap, type ManifestsFixture, manifestsFixture } from '../manifests.ts';

// Attack 5: hostile `.git` configuration, hooks, trees, submodules and LFS pointers.

let the: ManifestsFixture;
beforeAll(async () => {
  the = await manifestsFixture();
});
afterAll(() => the.close());

const marker = (): string => join(the.folder, 'marker');

test('neither configuration nor hooks of a local repository run anything', async () => {
  await the.repo.commit({ 'app/x.yaml': configMap('x') });
  const evil = join(the.folder, 'evil.sh');
  await writeFile(evil, `#!/bin/sh\ntouch ${marker()}\n`);
  await chmod(evil, 0o755);
  for (const key of [
    'core.fsmonitor',
    'core.sshCommand',
    'core.gitProxy',
    'core.pager',
    'uploadpack.packObjectsHook',
    'core.editor',
  ]) {
    await the.repo.git('config', key, evil);
  }
  await the.repo.git('config', 'alias.fetch', `!${evil}`);
  await the.repo.git('config', 'filter.x.smudge', evil);
  const hooks = join(the.repo.dir, '.git/hooks');
  await mkdir(hooks, { recursive: true });
  for (const hook of ['post-checkout', 'reference-transaction', 'post-update', 'pre-receive', 'update']) {
    await writeFile(join(hooks, hook), `#!/bin/sh\ntouch ${marker()}\n`, { mode: 0o755 });
  }
  expect(await the.names({ path: 'app' })).toEqual(['x']);
  for await (const _ of the.sources.watchLocal(the.ctx, { url: the.repo.dir })) break;
  await expect(access(marker())).rejects.toThrow();
  for (const key of ['core.fsmonitor', 'core.pager', 'core.editor'])
    execFileSync('git', ['config', '--unset', key], { cwd: the.repo.dir });
  execFileSync('rm', ['-rf', hooks]);
});

/** Writes a tree that git itself would refuse to make, and a commit of it. */
function handMade(entries: readonly [mode: string, name: string, hash: string][]): string {
  const rows = entries.map(([mode, name, hash]) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(hash, 'hex')]),
  );
  const options = { cwd: the.repo.dir, encoding: 'utf8' as const };
  const write = (type: string, input: Buffer | string): string =>
    execFileSync('git', ['hash-object', '-t', type, '-w', '--literally', '--stdin'], {
      ...options,
      input,
    }).trim();
  const tree = write('tree', Buffer.concat(rows));
  const who = 'a <a@example.com> 1700000000 +0000';
  return write('commit', `tree ${tree}\nauthor ${who}\ncommitter ${who}\n\nhand-made\n`);
}

test.each(['..', '.', '.git', '.GIT', 'a/b'])('a tree with an entry named %j is refused', async (name) => {
  await the.repo.commit({ 'app/x.yaml': configMap('x') });
  const app = await the.repo.git('rev-parse', 'HEAD:app');
  const commit = handMade([['40000', name, app]]);
  await the.repo.git('update-ref', 'refs/heads/tricky', commit);
  const generating = the.manifests.generate(the.ctx, the.request({ path: '.', targetRevision: commit }));
  await expect(generating).rejects.toMatchObject({
    code: 'InvalidSpec',
    message: expect.stringContaining(`holds an entry named "${name}"`),
  });
});

test('a tree that unfolds to billions of files is refused quickly', async () => {
  await the.repo.commit({ 'bomb/x': 'x' });
  const blob = await the.repo.git('rev-parse', 'HEAD:bomb/x');
  const options = { cwd: the.repo.dir, encoding: 'utf8' as const };
  let hash = blob;
  let mode = '100644';
  for (let level = 0; level < 12; level++) {
    const input = Array.from(
      { length: 10 },
      (_, at) => `${mode} ${mode === '100644' ? 'blob' : 'tree'} ${hash}\td${at}`,
    ).join('\n');
    hash = execFileSync('git', ['mktree'], { ...options, input: `${input}\n` }).trim();
    mode = '040000';
  }
  const commit = await the.repo.git('commit-tree', hash, '-m', 'bomb');
  await the.repo.git('update-ref', 'refs/heads/bomb', commit);
  const generating = the.manifests.generate(
    the.ctx,
    the.request({ targetRevision: commit, directory: { recurse: true } }),
  );
  await expect(generating).rejects.toMatchObject({ code: 'LimitExceeded' });
});

test('a submodule that names a program instead of a repository runs nothing, and is refused (SUB-2)', async () => {
  const head = await the.repo.commit({
    'app/x.yaml': configMap('x'),
    '.gitmodules': `[submodule "app/sub"]\n  path = app/sub\n  url = ext::touch ${marker()}\n  update = !touch ${marker()}\n[include]\n  path = /etc/passwd\n`,
  });
  await the.repo.git('update-index', '--add', '--cacheinfo', `160000,${head},app/sub`);
  await the.repo.git('commit', '--quiet', '-m', 'submodule');
  const source = { path: 'app', directory: { recurse: true } };
  await expect(the.names(source)).rejects.toMatchObject({
    code: 'InvalidSpec',
    message: expect.stringContaining('submodule app/sub of repository'),
  });
  // switched off it is an empty folder, and nobody looks at what it says (VFT-8)
  expect(await the.names(source, { settings: { submodulesEnabled: false } })).toEqual(['x']);
  await expect(access(marker())).rejects.toThrow();
  await the.repo.git('rm', '-q', '--cached', 'app/sub');
});

test('an LFS pointer is what it is: text', async () => {
  await the.repo.commit({
    'lfs/x.yaml': 'version https://git-lfs.github.com/spec/v1\noid sha256:0000\nsize 12\n',
    'lfs/y.yaml': configMap('kept'),
    '.lfsconfig': '[lfs]\n  url = http://127.0.0.1:1/\n',
    '.gitattributes': '*.yaml filter=lfs diff=lfs merge=lfs\n',
  });
  expect(await the.names({ path: 'lfs' })).toEqual(['kept']);
});
