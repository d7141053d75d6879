import type { World } from '#look';
import type { Turns } from './turns.ts';

/** What a pass may have to wait for. */
export type Needs = { readonly cluster: string; readonly repositories: readonly string[] };

type Pass<Value> = {
  readonly key: string;
  readonly needs: Needs;
  readonly world: World;
  run(world: World): Promise<Value>;
};

/**
 * Runs a pass when there is room for it; undefined when there is none, and it will be called again. It has its cluster to
 * the end, and its repositories until they have given what they have: a cluster that hangs would otherwise keep waiting
 * everybody whose manifests come from the same place.
 */
export async function inItsTurn<Value>(
  turns: Turns,
  { key, needs: { cluster, repositories }, world, run }: Pass<Value>,
): Promise<Value | undefined> {
  if (!turns.enter(key, [cluster, ...repositories])) return undefined;
  let hasThem = true;
  const giveBack = (): void => {
    if (hasThem) turns.leave(repositories);
    hasThem = false;
  };
  const generate: World['manifests']['generate'] = (ctx, request) =>
    world.manifests.generate(ctx, request).finally(giveBack);
  try {
    return await run({ ...world, manifests: { ...world.manifests, generate } });
  } finally {
    giveBack();
    turns.leave([cluster]);
  }
}
