import { type Application, annotation } from '#base/model';
import type { Ctx } from '#base/std';
import type { TrafficDeps } from './traffic-deps.ts';

export const applicationRef = ({ metadata }: Application) => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'Application',
  name: metadata.name,
  namespace: metadata.namespace,
});

/** Requests a refresh from the controller; a failure costs time, because the application is refreshed at its interval. */
export async function refreshApplication(ctx: Ctx, { kube }: TrafficDeps, app: Application): Promise<void> {
  const body = { metadata: { annotations: { [annotation.refresh]: 'normal' } } };
  try {
    await kube.patch(ctx, applicationRef(app), { type: 'merge', body });
  } catch (error) {
    ctx.log.warn('cannot request a refresh', { app: app.metadata.name, error });
  }
}
