import type { Application } from '#base/model';

const quiet = new WeakMap<Application, Application>();

/**
 * compat sources ASY-2: a generated application as a rollout writes it: the controller starts its syncs, so its own
 * automation is off. The same application gives the very same result.
 */
export function withoutAutomation(app: Application): Application {
  const { syncPolicy } = app.spec;
  if (!syncPolicy?.automated || syncPolicy.automated.enabled === false) return app;
  const known = quiet.get(app);
  if (known) return known;
  const automated = { ...syncPolicy.automated, enabled: false };
  const next = { ...app, spec: { ...app.spec, syncPolicy: { ...syncPolicy, automated } } };
  quiet.set(app, next);
  return next;
}
