import type { Application } from '#base/model';
import { isAutomated } from '#base/model';
import type { Change } from './changes.ts';
import { revisionChanges } from './revision-diff.ts';
import { counted } from './span.ts';

/** Manifests as JSON texts: of the stored application, and of its draft. */
type Rendered = {
  readonly before: readonly string[];
  readonly after: readonly string[];
  readonly type: string;
};

type DraftEffect = {
  /** What it comes to, in a sentence. */
  readonly summary: string;
  readonly changes: readonly Change[];
};

/** What storing a draft would change in the manifests, and when that reaches the cluster. */
export function draftEffect({ before, after, type }: Rendered, draft: Application): DraftEffect {
  const changes = revisionChanges(before, after);
  const all = counted(after.length, 'resource');
  if (before.length === 0) return { summary: `It renders ${all} (${type}). ${whenApplied(draft)}`, changes };
  if (changes.length === 0) return { summary: `It still renders the same ${all}.`, changes };
  const count = (deed: Change['deed']) => changes.filter((one) => one.deed === deed).length;
  const parts = [
    [count('create'), 'comes'] as const,
    [count('change'), 'changes'] as const,
    [count('prune'), 'leaves'] as const,
  ].flatMap(([number, verb]) => (number > 0 ? [`${number} ${number === 1 ? verb : plural[verb]}`] : []));
  return { summary: `Of ${all}, ${parts.join(', ')}. ${whenApplied(draft)}`, changes };
}

const plural = { comes: 'come', changes: 'change', leaves: 'leave' };

const whenApplied = ({ spec }: Application): string =>
  isAutomated(spec)
    ? 'Auto-sync is on: it applies this as soon as it is saved.'
    : 'Nothing of it reaches the cluster before the next sync.';
