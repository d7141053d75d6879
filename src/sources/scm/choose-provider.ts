import { type Ctx, FairleadError, within } from '#base/std';
import type { HostApi } from './host-api.ts';
import { ProviderFields } from './provider-fields.ts';
import type { ScmDeps } from './scm-host.ts';

/** A provider's function and the fields that the user wrote for it. */
export type ChosenProvider<Connect> = { readonly connect: Connect; readonly fields: ProviderFields };

/**
 * compat sources ASS-5: the first provider, in Argo CD's order, that a generator has. Throws PermissionDenied when
 * providers are disabled or its API is not among the allowed ones, InvalidSpec when there is none.
 */
export function chooseProvider<Connect>(
  ctx: Ctx,
  generator: string,
  { spec, providers }: { spec: object; providers: Readonly<Record<string, Connect>> },
  { enabled, allowedProviders }: ScmDeps,
): ChosenProvider<Connect> {
  if (!enabled) {
    throw new FairleadError(
      'PermissionDenied',
      'scm providers are disabled: an operator enables them with applicationsetcontroller.enable.scm.providers',
    );
  }
  const written = spec as Readonly<Record<string, unknown>>;
  const [name, ...others] = Object.keys(providers).filter((key) => (written[key] ?? undefined) !== undefined);
  const connect = name === undefined ? undefined : providers[name];
  if (name === undefined || connect === undefined) {
    throw new FairleadError(
      'InvalidSpec',
      `${generator} has no provider: set one of ${Object.keys(providers).join(', ')}`,
    );
  }
  if (others.length > 0)
    ctx.log.warn('more than one scm provider; the first is used', { generator, name, others });
  const fields = new ProviderFields(`${generator}.${name}`, written[name]);
  refuseUnlessAllowed(fields.text('api'), allowedProviders);
  return { connect, fields };
}

function refuseUnlessAllowed(api: string, allowed: readonly string[]): void {
  if (api === '' || allowed.length === 0 || allowed.includes(api)) return;
  throw new FairleadError(
    'PermissionDenied',
    `scm provider ${JSON.stringify(api)} not allowed, must use one of the following: ${allowed.join(', ')}`,
  );
}

/** Reports the fields that no provider reads, so that a misspelt one is found. */
export function reportUnused(ctx: Ctx, { name, unused }: ProviderFields): void {
  if (unused.length > 0)
    ctx.log.warn('scm provider fields without effect', { provider: name, fields: unused });
}

/** Runs the requests of one generator within its timeout. */
export async function withinLimits<Result>(
  ctx: Ctx,
  { client }: ScmDeps,
  api: HostApi,
  work: (ctx: Ctx) => Promise<Result>,
): Promise<Result> {
  const { wholeMs } = client.limits;
  const bounded = within(ctx, wholeMs);
  try {
    return await work(bounded);
  } catch (error) {
    if (error instanceof FairleadError || ctx.signal.aborted || !bounded.signal.aborted) throw error;
    throw new FairleadError(
      'Unavailable',
      `${api.name} took longer than ${wholeMs / 1000} s for all of ${api.subject}: list less, or divide it among several generators`,
      error,
    );
  }
}
