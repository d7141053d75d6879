import { annotation, type Health, isApplication, type KubeObject, type ResourceKey } from '#base/model';
import { isTrue } from '../annotations.ts';
import { isHook, isSkipped } from '../sync/hooks.ts';
import { assess, type HealthOptions } from './health.ts';
import { shortAbort } from './kinds/rollout.ts';
import { healthy, isWorse } from './verdict.ts';

type Pair = { readonly key: ResourceKey; readonly target?: KubeObject; readonly live?: KubeObject };

export type AggregateHealth = {
  readonly health: Health;
  /** Health of each pair that has one, by key. */
  readonly byKey: ReadonlyMap<ResourceKey, Health>;
  /** Checks that broke down; each is a ComparisonError (engine H-3). */
  readonly errors: readonly string[];
};

export type AggregateOptions = HealthOptions & {
  /** The Application itself, when it manages its own object: that one does not count (engine H-5). */
  readonly isSelf?: (object: KubeObject) => boolean;
};

const maxNamed = 3;
const maxReason = 120;

/** compat engine §5.3: the worst health of what Git declares and of what still awaits pruning; hooks do not count. */
export function aggregateHealth(pairs: readonly Pair[], options: AggregateOptions = {}): AggregateHealth {
  const counted = pairs.filter(isCounted);
  const byKey = new Map<ResourceKey, Health>();
  const errors: string[] = [];
  const worst = new Worst();
  for (const { key, live } of counted) {
    // compat engine H-6: a missing object is reported, but does not count
    const { health, error } = live ? assess(live, options) : { health: missing };
    if (error) errors.push(`${key}: ${error}`);
    if (!health) continue;
    byKey.set(key, health);
    if (live && counts(live, health, options)) worst.see(live, health);
  }
  return { health: isNothingLive(counted) ? worst.atLeast(missing) : worst.reported(), byKey, errors };
}

/** compat engine H-9: nothing at all exists yet. */
const isNothingLive = (pairs: readonly Pair[]): boolean =>
  pairs.length > 0 && pairs.every(({ live }) => !live);

const isCounted = ({ target, live }: Pair): boolean =>
  !(target && isSkipped(target)) && !(live && isHook(live));

const missing: Health = { status: 'Missing' };

function counts(live: KubeObject, { status }: Health, { isSelf }: AggregateOptions): boolean {
  if (isTrue(live, annotation.ignoreHealthCheck) || isSelf?.(live)) return false;
  // compat engine H-7: a child that is only beginning does not count for its parent
  const isChild = isApplication(live);
  return !(isChild && (status === 'Missing' || status === 'Unknown'));
}

class Worst {
  health: Health = healthy();
  #causes: string[] = [];
  #count = 0;

  see(object: KubeObject, { status, message }: Health): void {
    if (isWorse(status, this.health.status)) {
      this.health = { status };
      this.#causes = [];
      this.#count = 0;
    }
    if (status !== this.health.status || status === 'Healthy') return;
    this.#count++;
    if (this.#causes.length < maxNamed) this.#causes.push(causeOf(object, message));
  }

  atLeast(floor: Health): Health {
    return isWorse(floor.status, this.health.status) ? floor : this.reported();
  }

  reported(): Health {
    if (this.#count === 0) return this.health;
    const more = this.#count - this.#causes.length;
    const named = this.#causes.join(', ');
    return { ...this.health, message: more > 0 ? `${named} and ${more} more` : named };
  }
}

/** `Deployment web (ImagePullBackOff)`: the object, and the reason if it fits on a line. */
function causeOf({ kind, metadata }: KubeObject, message: string | undefined): string {
  const first = message?.split('\n', 1)[0]?.trim();
  const line = first && kind === 'Rollout' ? shortAbort(first) : first;
  if (!line) return `${kind} ${metadata.name}`;
  return `${kind} ${metadata.name} (${line.length > maxReason ? `${line.slice(0, maxReason - 1)}…` : line})`;
}
