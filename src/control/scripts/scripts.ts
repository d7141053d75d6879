import type { KubeObject, ResourceOverride } from '#base/model';
import { type Ctx, FairleadError } from '#base/std';
import { type Assessment, failedVerdict, type HealthScript, healthScriptFor, readVerdict } from '#engine';
import { type ScriptJob, type ScriptOutcome, ScriptRunner } from '#platform/workers';

/** The scripts' results for some objects; undefined: none is configured for this one's kind. */
type Verdicts = (object: KubeObject) => Assessment | undefined;

/** Users' scripts, run in sandboxed workers. */
export type Scripts = {
  /** The script's return value; undefined: nothing. Rejects with the script's error, or with LimitExceeded. */
  run(ctx: Ctx, job: ScriptJob): Promise<unknown>;
  /**
   * Assesses each object that has a health script. Costs nothing when no kind has one. A broken script is a result, not an
   * error.
   */
  judge(ctx: Ctx, objects: Iterable<KubeObject>, overrides: Overrides): Promise<Verdicts>;
  /** Ends the workers. */
  close(): Promise<void>;
};

/** Starts nothing until the first script is to run. At most `size` run at a time. */
export function createScripts({ size }: { readonly size: number }): Scripts {
  const runner = new ScriptRunner(size);
  const cached = new CachedResults();
  return {
    async run(ctx, job) {
      const [outcome] = await runner.runAll(ctx, [job]);
      if (outcome && 'code' in outcome) throw new FairleadError(outcome.code, outcome.message);
      return outcome?.value;
    },

    async judge(ctx, objects, overrides) {
      const scripted = withScripts(objects, overrides);
      const open = scripted.filter(({ object, script }) => !cached.get(object, script));
      const outcomes = open.length > 0 ? await runner.runAll(ctx, open.map(jobOf)) : [];
      const verdicts = new Map<KubeObject, Assessment>();
      for (const [i, outcome] of outcomes.entries()) {
        const judged = open[i];
        if (judged) verdicts.set(judged.object, cached.keep(judged, outcome));
      }
      for (const { object, script } of scripted) {
        const known = cached.get(object, script);
        if (known) verdicts.set(object, known);
      }
      return (object) => verdicts.get(object) ?? (healthScriptFor(object, overrides) && notYet);
    },

    close: () => runner.close(),
  };
}

type Overrides = Readonly<Record<string, ResourceOverride>>;
type Scripted = { readonly object: KubeObject; readonly script: HealthScript };

function withScripts(objects: Iterable<KubeObject>, overrides: Overrides): Scripted[] {
  return [...new Set(objects)].flatMap((object) => {
    const script = healthScriptFor(object, overrides);
    return script ? [{ object, script }] : [];
  });
}

const jobOf = ({ object, script }: Scripted): ScriptJob => ({ ...script, globals: { obj: object } });

/** For an object added after the others were assessed: Progressing, not Degraded. */
const notYet: Assessment = { health: { status: 'Progressing', message: 'its health script has yet to run' } };

function verdictOf(outcome: ScriptOutcome): Assessment {
  return 'code' in outcome ? failedVerdict(outcome.message) : readVerdict(outcome.value);
}

/** Objects in the cache are never changed, only replaced, so the result for one is valid for as long as it is there. */
class CachedResults {
  readonly #verdicts = new WeakMap<KubeObject, { script: HealthScript; verdict: Assessment }>();

  get(object: KubeObject, { script, openLibs }: HealthScript): Assessment | undefined {
    const known = this.#verdicts.get(object);
    const isSame = known?.script.script === script && known.script.openLibs === openLibs;
    return isSame ? known.verdict : undefined;
  }

  /** Does not cache the result of a script that may read the time, nor of one that was stopped: the next run may differ. */
  keep({ object, script }: Scripted, outcome: ScriptOutcome): Assessment {
    const verdict = verdictOf(outcome);
    const wasStopped = 'code' in outcome && outcome.code !== 'InvalidSpec';
    if (!wasStopped && !readsTime.test(script.script)) this.#verdicts.set(object, { script, verdict });
    return verdict;
  }
}

const readsTime = /\bos\b/;
