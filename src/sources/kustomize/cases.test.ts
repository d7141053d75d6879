import { expect, test } from 'vitest';
import { memoryTree } from '#base/model';
import { printJson } from '#base/std';
import { cases } from '../../../test/cases.ts';
import { buildKustomization } from './index.ts';

/** What the real engine printed; `declined`: why it is left to that. */
type Expected = { readonly declined?: string; readonly objects?: readonly unknown[] };

const printed = (objects: readonly unknown[] | undefined): string[] =>
  (objects ?? []).map((object) => printJson(object, 1));

// recorded with `npm run test:kustomize -- --record`
for (const { name, input, expect: expected } of cases<Expected>(new URL('testdata/', import.meta.url))) {
  test(name, async () => {
    const [{ files, path = 'app' }] = input;
    const built = await buildKustomization({ tree: memoryTree(files), path });
    if (expected.declined) expect(built).toEqual({ declined: expected.declined });
    else expect('objects' in built ? printed(built.objects) : built).toEqual(printed(expected.objects));
  });
}
