import type { ApplicationSet, Health, KubeObject } from '#base/model';
import { type ChildOptions, inGrace } from './application.ts';
import { check, conditions, on } from './rules.ts';
import { degraded, healthy, isWorse, progressing } from './verdict.ts';

/** compat engine X-4: Healthy when the generated Applications are up to date as objects; `off` does not wait for them. */
const asGenerated = check(
  conditions(on('ErrorOccurred', 'True', degraded)),
  conditions(on('ResourcesUpToDate', 'False', degraded)),
  conditions(on('RolloutProgressing', 'True', progressing)),
  conditions(on('ResourcesUpToDate', 'True', healthy)),
);

export function applicationSetHealth(object: KubeObject, options: ChildOptions = { mode: 'off' }): Health {
  const own = asGenerated(object) ?? progressing('waiting for the first status');
  if (options.mode === 'off' || own.status !== 'Healthy') return own;
  const { resources = [], resourcesCount = resources.length } = (object as ApplicationSet).status ?? {};
  const worst = worstOf(resources.map(reported), own);
  if (options.mode === 'mirror') return worst;
  if (worst.status === 'Degraded') return inGrace(worst, options) ? progressing(worst.message) : worst;
  if (worst.status !== 'Healthy') return progressing(worst.message);
  // what is cut off the list cannot be vouched for
  return resourcesCount > resources.length
    ? progressing(`only ${resources.length} of ${resourcesCount} generated applications are reported`)
    : worst;
}

type Reported = { readonly name: string; readonly health?: Health };

/** engine X-4: the health of one generated Application, with its name in front. */
function reported({ name, health }: Reported): Health {
  if (!health?.status) return progressing(`application ${name} has not reported its health`);
  const { status, message, lastTransitionTime } = health;
  const reported = `application ${name}: ${message ?? status}`;
  return lastTransitionTime
    ? { status, message: reported, lastTransitionTime }
    : { status, message: reported };
}

function worstOf(all: readonly Health[], best: Health): Health {
  return all.reduce((worst, next) => (isWorse(next.status, worst.status) ? next : worst), best);
}
