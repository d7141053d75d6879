import { annotation } from '#base/model';
import type { Check } from '../../check.ts';
import { textAt } from '../../kinds.ts';

const hooks = new Set(['PreSync', 'Sync', 'PostSync', 'SyncFail', 'Skip', 'PreDelete', 'PostDelete']);
const policies = new Set(['HookSucceeded', 'HookFailed', 'BeforeHookCreation']);

const unknownIn = (text: string, known: ReadonlySet<string>): string[] =>
  text
    .split(',')
    .map((word) => word.trim())
    .filter((word) => word !== '' && !known.has(word));

export const syncAnnotations: Check = {
  id: 'sync-annotation-unknown',
  title: 'an annotation about hooks or waves cannot be read',
  severity: 'error',
  why: 'a hook with a misspelt phase is an ordinary object, and a wave that is no number is wave 0: the order that the author meant does not happen.',
  fix: 'write a phase such as PreSync, a policy such as HookSucceeded, and a whole number for the wave',
  reads: ['*'],
  onApplication: 'errors',
  *find(object) {
    const at = (name: string) => ['metadata', 'annotations', name];
    const wave = textAt(object, at(annotation.syncWave));
    if (wave !== undefined && !/^[+-]?\d+$/.test(wave.trim()))
      yield { at: at(annotation.syncWave), message: `the wave ${JSON.stringify(wave)} is no whole number` };
    for (const [name, known] of [
      [annotation.hook, hooks],
      [annotation.hookDeletePolicy, policies],
    ] as const) {
      const unknown = unknownIn(textAt(object, at(name)) ?? '', known);
      if (unknown.length > 0)
        yield { at: at(name), message: `${unknown.join(', ')} is not one of ${[...known].join(', ')}` };
    }
  },
};
