import { type AppProject, defaultProjectSpec } from '#base/model';

/** compat engine P-3: the default project: any source, any destination. */
export const defaultProject = (namespace: string): AppProject => ({
  apiVersion: 'argoproj.io/v1alpha1',
  kind: 'AppProject',
  metadata: { name: 'default', namespace },
  spec: defaultProjectSpec,
});
