import type { KubeObject } from '#base/model';
import { printJson } from '#base/std';
import type { Check, Inventory } from '../../check.ts';
import { application, isTemplated, textAt, valueAt } from '../../kinds.ts';
import { sourcesIn } from './sources.ts';

const destination = ['spec', 'destination'];

/** What an application writes, and where; undefined for one that cannot be compared. */
function identity(app: KubeObject): string | undefined {
  const text = printJson([sourcesIn(app).map(({ source }) => source), valueAt(app, destination) ?? null]);
  return isTemplated(text) || sourcesIn(app).length === 0 ? undefined : text;
}

/** The first application with each identity; made once for all applications of an inventory. */
const firsts = new WeakMap<Inventory, ReadonlyMap<string, KubeObject>>();

function firstOf(inventory: Inventory, own: string): KubeObject | undefined {
  let known = firsts.get(inventory);
  if (!known) {
    const all = inventory.all(application).map((app) => [identity(app) ?? '', app] as const);
    known = new Map(all.toReversed());
    firsts.set(inventory, known);
  }
  return known.get(own);
}

export const appSharedSource: Check = {
  id: 'app-shared-source',
  title: 'two Applications own the same objects',
  severity: 'error',
  why: 'each of them applies and prunes what the other does: a conflict without end. One object has one Application.',
  fix: 'delete one of them, or give it another path or destination',
  reads: [application],
  *find(app, inventory) {
    const own = identity(app);
    if (own === undefined) return;
    const twin = firstOf(inventory, own);
    if (twin && twin.metadata.name !== app.metadata.name)
      yield {
        at:
          textAt(app, ['spec', 'source', 'path']) === undefined
            ? ['spec', 'source']
            : ['spec', 'source', 'path'],
        message: `${app.metadata.name} and ${twin.metadata.name} have the same source and destination`,
      };
  },
};
