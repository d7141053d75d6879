import type { Ctx } from '#base/std';
import type { Manifests } from '#sources/manifests';

/** Opens a renderer for one command; `main` provides it. */
export type OpenManifests = (
  ctx: Ctx,
  options: { readonly plugins: string | undefined },
) => Promise<{ readonly manifests: Manifests; close(): Promise<void> }>;
