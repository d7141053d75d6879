import type { Health, KubeObject } from '#base/model';
import { degraded, healthy, progressing, unknown } from './verdict.ts';

type WorkflowView = KubeObject<unknown, { phase?: string; message?: string }>;

/** The Argo Workflow, most often met as a hook. */
export function workflowHealth(object: KubeObject): Health {
  const { phase = '', message } = (object as WorkflowView).status ?? {};
  switch (phase) {
    case '':
    case 'Pending':
    case 'Running':
      return progressing(message);
    case 'Succeeded':
      return healthy(message);
    case 'Failed':
    case 'Error':
      return degraded(message);
    default:
      return unknown(message);
  }
}
