import { type Ctx, FairleadError, within } from '#base/std';
import type { HostApi } from './host-api.ts';
import { ProviderFields } from './provider-fields.ts';
import type { PullRequestContext, ScmDeps } from './scm-host.ts';

type Providers<Provider, Host> = {
  readonly spec: object;
  readonly providers: Readonly<Record<string, Provider>>;
  connect(provider: Provider, around: PullRequestContext): Promise<Host>;
};

/**
 * compat sources ASS-5: connects the first provider, in Argo CD's order, that a generator has, and reports the fields that
 * it does not read, so that a misspelt one is found. Throws PermissionDenied when providers are disabled or its API is not
 * among the allowed ones, InvalidSpec when there is none.
 */
export async function connectProvider<Provider, Host>(
  generator: string,
  given: Providers<Provider, Host>,
  deps: ScmDeps,
): Promise<Host> {
  const { provider, fields } = chosen(generator, given, deps);
  const host = await given.connect(provider, { fields, deps });
  for (const field of fields.unused)
    deps.warn(`${fields.name}.${field} is not a field and has no effect; correct or remove it`);
  return host;
}

function chosen<Provider>(
  generator: string,
  { spec, providers }: Pick<Providers<Provider, unknown>, 'spec' | 'providers'>,
  { enabled, allowedProviders, warn }: ScmDeps,
): { readonly provider: Provider; readonly fields: ProviderFields } {
  if (!enabled) {
    throw new FairleadError(
      'PermissionDenied',
      'scm providers are disabled: an operator enables them with applicationsetcontroller.enable.scm.providers',
    );
  }
  const written = spec as Readonly<Record<string, unknown>>;
  const [name, ...others] = Object.keys(providers).filter((key) => (written[key] ?? undefined) !== undefined);
  const provider = name === undefined ? undefined : providers[name];
  if (name === undefined || provider === undefined) {
    throw new FairleadError(
      'InvalidSpec',
      `${generator} has no provider: set one of ${Object.keys(providers).join(', ')}`,
    );
  }
  if (others.length > 0)
    warn(`${generator} has more than one provider: ${name} is used, ${others.join(', ')} without effect`);
  const fields = new ProviderFields(`${generator}.${name}`, written[name]);
  refuseUnlessAllowed(fields.text('api'), allowedProviders);
  return { provider, fields };
}

function refuseUnlessAllowed(api: string, allowed: readonly string[]): void {
  if (api === '' || allowed.length === 0 || allowed.includes(api)) return;
  throw new FairleadError(
    'PermissionDenied',
    `scm provider ${JSON.stringify(api)} not allowed, must use one of the following: ${allowed.join(', ')}`,
  );
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
