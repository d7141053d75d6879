import { type AppProject, defaultProjectSpec } from '#base/model';

/** compat P-3: the project there always is: everything may go everywhere. */
export const defaultProject = (namespace: string): AppProject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name: 'default', namespace },
  spec: defaultProjectSpec,
});
