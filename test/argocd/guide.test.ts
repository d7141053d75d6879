import { symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { guides } from '../docs/guide.ts';
import { openSession } from '../docs/session.ts';
import { temporaryFolder } from '../git-repository.ts';

// The commands of the guide, typed from top to bottom with the unmodified argocd.

test('every command of docs/guide/argocd-command.md runs', async () => {
  const guide = guides().find(({ path }) => path === 'docs/guide/argocd-command.md');
  if (!guide) throw new Error('the guide is gone');
  const folder = await temporaryFolder();
  const session = await openSession(guide, { dir: folder.path });
  symlinkSync(process.env.FAIRLEAD_TEST_ARGOCD ?? '', join(folder.path, 'bin/argocd'));
  try {
    await session.start(['--demo']);
    let printed = '';
    for (const block of guide.blocks)
      if (block.marker === 'needs-argocd') printed += await session.run(block);
    expect(printed).toMatch(/'admin:login' logged in successfully/);
    expect(printed).toMatch(/^argocd-server: v/m);
    expect(printed).toMatch(/^yes$/m);
    expect(printed).toMatch(/Phase: +Succeeded/);
  } finally {
    await session.stop();
    await folder.remove();
  }
});
