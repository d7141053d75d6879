import { type Ctx, FairleadError } from '#base/std';
import type { ProviderFields, ScmSecretRef } from './provider-fields.ts';
import type { ScmDeps } from './scm-host.ts';

type Around = { readonly fields: ProviderFields; readonly deps: ScmDeps };

/** The secret that a field names; '' when it names none. Space around it, as editors leave at the end, is removed. */
export async function secretOf(ctx: Ctx, { deps }: Around, ref: ScmSecretRef | undefined): Promise<string> {
  return ref ? (await deps.secret(ctx, ref)).trim() : '';
}

/** How the host is trusted: `insecure`, and the certificates of `caRef`. */
export const trustOf = async (ctx: Ctx, around: Around) => ({
  insecure: around.fields.flag('insecure'),
  authorities: await authoritiesOf(ctx, around),
});

/** The certificates that `caRef` names. Throws InvalidSpec when there are none. */
async function authoritiesOf(ctx: Ctx, { fields, deps }: Around): Promise<string | undefined> {
  const ref = fields.configMapRef('caRef');
  if (!ref) return undefined;
  const bundle = await deps.configMap(ctx, ref);
  if (bundle.includes('-----BEGIN CERTIFICATE-----')) return bundle;
  throw new FairleadError(
    'InvalidSpec',
    `${fields.name}.caRef: ConfigMap ${ref.configMapName} has no certificate in ${ref.key}: write it as PEM`,
  );
}

/** The header of a username and password. */
export const basic = (username: string, password: string): string =>
  `Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`;

/** Bitbucket's credentials: a bearer token, or else a user, or else none. */
export async function bitbucketLogin(ctx: Ctx, around: Around): Promise<Readonly<Record<string, string>>> {
  const { fields } = around;
  const [bearer, login] = [fields.group('bearerToken'), fields.group('basicAuth')];
  if (bearer) {
    const token = await secretOf(ctx, around, bearer.secretRef('tokenRef'));
    return { authorization: `Bearer ${token}` };
  }
  if (!login) return {};
  const password = await secretOf(ctx, around, login.secretRef('passwordRef'));
  return { authorization: basic(login.text('username'), password) };
}

/** The URL for the chosen protocol. Throws InvalidSpec for one that the provider does not have. */
export function cloneUrl(provider: string, chosen: string, urls: Readonly<Record<string, string>>): string {
  const protocol = chosen || 'ssh';
  const url = Object.hasOwn(urls, protocol) ? urls[protocol] : undefined;
  if (url !== undefined) return url;
  throw new FairleadError(
    'InvalidSpec',
    `scmProvider.cloneProtocol ${JSON.stringify(chosen)} is unknown for ${provider}: use ${Object.keys(urls).join(' or ')}`,
  );
}

/** Whether all these labels are among those of a pull request (sources ASP-1). */
export const hasLabels = (wanted: readonly string[], labels: readonly string[]): boolean =>
  wanted.every((label) => labels.includes(label));
