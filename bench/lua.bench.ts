import type { KubeObject } from '#base/model';
import { realClock, silent } from '#base/std';
import { createScripts } from '#control/scripts';
import { health } from '#engine';
import type { Figure } from './harness.ts';
import { bigDeployment } from './object.ts';

const ctx = { signal: new AbortController().signal, log: silent, clock: realClock };
const rounds = 5;

// the size and manner of a script from the field: conditions looked through, a message put together
const script = `
local hs = { status = 'Progressing', message = 'Waiting' }
if obj.status ~= nil and obj.status.conditions ~= nil then
  local ready, total = 0, 0
  for i, condition in ipairs(obj.status.conditions) do
    total = total + 1
    if condition.status == 'True' then ready = ready + 1 end
    if condition.type == 'Stalled' and condition.status == 'True' then
      return { status = 'Degraded', message = condition.message }
    end
  end
  hs.message = ready .. ' of ' .. total
  if ready == total then hs.status = 'Healthy' end
end
return hs`;

/** A thousand objects as clusters return them, a third of them of a kind that has a script. */
function mixed(): KubeObject[] {
  return Array.from({ length: 1000 }, (_, i) => {
    const object = { ...bigDeployment(), metadata: { name: `o${i}` } } as unknown as KubeObject;
    const conditions = ['Ready', 'Synced', 'Stalled'].map((type) => ({
      type,
      status: type === 'Stalled' ? 'False' : 'True',
    }));
    if (i % 3 !== 0) return object;
    return { ...object, apiVersion: 'example.io/v1', kind: 'Widget', status: { conditions } };
  });
}

async function judgeAll(
  scripts: ReturnType<typeof createScripts>,
  objects: readonly KubeObject[],
): Promise<number> {
  const begun = performance.now();
  const scripted = await scripts.judge(ctx, objects, { 'example.io/Widget': { healthLua: script } });
  for (const object of objects) health(object, { scripted });
  return performance.now() - begun;
}

export async function figures(): Promise<Figure[]> {
  const scripts = createScripts({ size: 1 });
  try {
    const first = await judgeAll(scripts, mixed());
    const fresh: number[] = [];
    for (let i = 0; i < rounds; i += 1) fresh.push(await judgeAll(scripts, mixed()));
    const objects = mixed();
    await judgeAll(scripts, objects);
    const again = await judgeAll(scripts, objects);
    return [
      { name: 'lua: 1,000 objects, a third scripted, cold', value: first, unit: 'ms', target: 2_000 },
      { name: 'lua: the same with a warm worker', value: Math.max(...fresh), unit: 'ms', target: 1_000 },
      { name: 'lua: the same objects again', value: again, unit: 'ms', target: 20 },
    ];
  } finally {
    await scripts.close();
  }
}
