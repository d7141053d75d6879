import { parseArgs } from 'node:util';
import type { Figure } from './harness.ts';
import { measureIsolation } from './isolation/measure.ts';

const targetMs = 1000;
/** What drifts while the program starts is healed when the cluster has been read: the goal for any start. */
const startMs = 5000;
const ways = ['directory', 'kustomize', 'helm'] as const;

const { values } = parseArgs({
  options: { way: { type: 'string', default: 'directory' }, kubeconfig: { type: 'string' } },
  strict: false,
});

/**
 * What small applications notice of one of fifty megabytes, on the embedded cluster, whose own work on them is in these
 * figures: the longest wait for an answer that takes no work, and for a change by hand to be healed. Needs `npm run build`.
 * `--way kustomize` or `--way helm` renders it otherwise; `--kubeconfig file` does it on another cluster, to which
 * applications and namespaces are written.
 */
export async function figures(): Promise<Figure[]> {
  const { phases, memory } = await measureIsolation({
    way: ways.find((way) => way === values.way) ?? 'directory',
    kubeconfig: typeof values.kubeconfig === 'string' ? values.kubeconfig : undefined,
    tell: (line) => console.error(line),
  });
  const rows = phases.flatMap(({ name, answer, healed }) => [
    { name: `50 MB ${name}: longest wait for an answer`, value: answer, unit: 'ms', target: targetMs },
    {
      name: `50 MB ${name}: longest drift to healed`,
      value: healed,
      unit: 'ms',
      target: name === 'after a restart' ? startMs : targetMs,
    },
  ]);
  return [...rows, { name: '50 MB: most resident memory', value: memory, unit: 'MB', target: 2000 }];
}
