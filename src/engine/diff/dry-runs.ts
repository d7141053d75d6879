import { type Application, annotation, annotationList, type KubeObject, type ResourceKey } from '#model';

/** A target the server should be asked about before the comparison (D-23). */
export type DryRun = { readonly key: ResourceKey; readonly target: KubeObject };

/** compat §3.5: on for the installation or the Application, unless the Application says no. */
export function serverSideDiffWanted(
  app: Application,
  { serverSideDiff }: { readonly serverSideDiff: boolean },
): boolean {
  const options = annotationList(app, annotation.compareOptions);
  if (options.includes('ServerSideDiff=false')) return false;
  return serverSideDiff || options.includes('ServerSideDiff=true');
}

/** compat D-24 */
export const includesWebhooks = (app: Application): boolean =>
  annotationList(app, annotation.compareOptions).includes('IncludeMutationWebhook=true');
