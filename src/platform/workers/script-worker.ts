// The functions of a worker that runs scripts. Only workers load it: the Lua runtime takes over a whole process.

import { FairleadError, realClock } from '#base/std';
import { type LuaJob, loadLua } from '#lang/lua';
import { batchMs, type ScriptBatch, type ScriptOutcome } from './script-batch.ts';

const lua = await loadLua();

export const functions = {
  /** The results of the first jobs, at least of one. Its name is in the message if it is killed. */
  script({ scripts, jobs, now }: ScriptBatch): ScriptOutcome[] {
    const outcomes: ScriptOutcome[] = [];
    const end = realClock.now().getTime() + batchMs;
    for (const { script, globals } of jobs) {
      const outcome = run({ script: '', openLibs: false, ...scripts[script], globals, now });
      outcomes.push(outcome);
      const isOver = 'code' in outcome && outcome.code === 'LimitExceeded';
      if (isOver || realClock.now().getTime() > end) break;
    }
    return outcomes;
  },
};

function run(job: LuaJob): ScriptOutcome {
  try {
    return { value: lua.run(job) };
  } catch (thrown) {
    const { code, message } = FairleadError.from(thrown);
    return { code, message };
  }
}
