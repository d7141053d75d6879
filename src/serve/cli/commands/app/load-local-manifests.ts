import type { localManifests as render } from './local-manifests.ts';

/** The manifests of an application rendered from a folder of this machine; the renderer is loaded only for this. */
export const localManifests: typeof render = async (...args) =>
  (await import('./local-manifests.ts')).localManifests(...args);
