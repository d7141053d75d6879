import { parseArgs } from 'node:util';
import type { Figure } from './harness.ts';
import { measureIsolation } from './isolation/measure.ts';

const targetMs = 1000;
/** What drifts while the program starts is healed when the cluster has been read: so much longer it may take with that in it. */
const startMs = 1000;
const ways = ['directory', 'kustomize', 'helm'] as const;

const { values } = parseArgs({
  options: { way: { type: 'string', default: 'directory' }, kubeconfig: { type: 'string' } },
  strict: false,
});

/**
 * What small applications notice of one of fifty megabytes, on the embedded cluster, whose own work on them is in these
 * figures: the longest wait for an answer that takes no work, and for a change by hand to be healed. To heal takes about five
 * answers of the cluster: how long one change took to be written and told of is said beside it. Needs `npm run build`.
 * `--way kustomize` or `--way helm` renders it otherwise; `--kubeconfig file` does it on another cluster, to which
 * applications and namespaces are written.
 */
export async function figures(): Promise<Figure[]> {
  const { phases, memory } = await measureIsolation({
    way: ways.find((way) => way === values.way) ?? 'directory',
    kubeconfig: typeof values.kubeconfig === 'string' ? values.kubeconfig : undefined,
    tell: (line) => console.error(line),
  });
  const undisturbed = phases.find(({ name }) => name === 'restarted without it')?.healed ?? 0;
  const ms = { unit: 'ms', target: targetMs };
  const rows = phases.flatMap(({ name, answer, healed, told }) => [
    { name: `50 MB ${name}: longest wait for an answer`, value: answer, ...ms },
    { name: `50 MB ${name}: longest in the cluster itself`, value: told, ...ms },
    {
      ...{ name: `50 MB ${name}: longest drift to healed`, value: healed, ...ms },
      ...(name.startsWith('restarted') && { target: Math.round(undisturbed) + startMs }),
    },
  ]);
  return [...rows, { name: '50 MB: most resident memory', value: memory, unit: 'MB', target: 2000 }];
}
